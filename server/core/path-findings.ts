import type { Certificate, PathFailure, PathResult, TrustStore } from '../pki/index.ts';
import { buildPath } from '../pki/index.ts';
import { certificateName, issuerName } from './certificate-name.ts';
import type { Finding, FindingCode } from './verdict.ts';
import { longDate } from './long-date.ts';

/** A finding about a chain, wherever that chain is served. */
export type ChainFinding = Pick<Finding, 'code' | 'severity' | 'message' | 'fingerprint'>;

export interface PathJudgement {
  findings: ChainFinding[];
  /** Leaf first, anchor last; null when no path holds. */
  path: Certificate[] | null;
  /** The certificate that ends the validity of the way up, the leaf itself where nothing better is known. */
  weakest: Certificate;
}

/**
 * Judges the way from a leaf to a trust anchor. The leaf's own validity is not its business: an expired certificate of a
 * trusted CA is expired, not untrusted.
 */
export function judgePath(input: {
  leaf: Certificate;
  others: readonly Certificate[];
  trustStore: TrustStore;
  now: number;
}): PathJudgement {
  const { leaf, others, trustStore, now } = input;
  const build = (at: number): PathResult =>
    buildPath({ leaf, intermediates: others, trustStore, now: at, ignoreLeafValidity: true });
  const result = build(now);
  if (result.ok) return { findings: [], path: result.path, weakest: result.weakest };

  const candidates = [leaf, ...others, ...trustStore.anchors.map(({ certificate }) => certificate)];
  const named = new Map(candidates.map((one) => [one.fingerprint, one]));
  const expired = result.failures
    .filter(({ code, role }) => code === 'expired' && role === 'intermediate')
    .flatMap(({ fingerprint }) => named.get(fingerprint) ?? [])
    .toSorted((left, right) => right.notAfter - left.notAfter);
  const [latest] = expired;
  if (latest === undefined) {
    const findings = describe(result.failures, named);
    return { findings: findings.length > 0 ? findings : [unexplained(leaf)], path: null, weakest: leaf };
  }

  // The search stops at an expired authority. Looking again at its last second tells whether all else would hold.
  const before = build(latest.notAfter);
  const rest = before.ok ? ownFailures(result.failures) : before.failures;
  const findings = [...(before.ok ? [latest] : expired).map(expiredAuthority), ...describe(rest, named)];
  return { findings, path: null, weakest: latest.notAfter < leaf.notAfter ? latest : leaf };
}

/** Faults of the leaf itself, as against those of the ways up, of which one good one would do. */
function ownFailures(failures: readonly PathFailure[]): PathFailure[] {
  return failures.filter(({ code, role }) => role === 'leaf' && !WAY_UP.has(code));
}

const WAY_UP = new Set<PathFailure['code']>([
  'no_issuer',
  'bad_signature',
  'self_signed',
  'untrusted_root',
  'policy',
]);

/** The search ended at its step limit before it met any reason: no path is no trust, whatever the reason. */
function unexplained({ fingerprint }: Certificate): ChainFinding {
  const message = 'The certificate is not trusted: no way to a known authority was found.';
  return { code: 'path_invalid', severity: 'critical', message, fingerprint };
}

function expiredAuthority(certificate: Certificate): ChainFinding {
  return {
    code: 'intermediate_expired',
    severity: 'critical',
    message: `The intermediate certificate “${certificateName(certificate)}” expired on ${longDate(certificate.notAfter, 'UTC')}, and without it clients cannot verify this host.`,
    fingerprint: certificate.fingerprint,
  };
}

function describe(failures: readonly PathFailure[], named: ReadonlyMap<string, Certificate>): ChainFinding[] {
  const findings = new Map<string, ChainFinding>();
  for (const failure of failures) {
    const certificate = named.get(failure.fingerprint);
    // Expired intermediates have their own finding.
    if (certificate === undefined || (failure.code === 'expired' && failure.role === 'intermediate'))
      continue;
    const [code, message] = sentence(failure, certificate);
    const { fingerprint } = certificate;
    findings.set(`${code} ${message}`, { code, severity: 'critical', message, fingerprint });
  }
  return [...findings.values()];
}

function sentence({ code, role }: PathFailure, certificate: Certificate): [FindingCode, string] {
  const name = `“${certificateName(certificate)}”`;
  const which = role === 'leaf' ? 'The certificate' : `The authority certificate ${name}`;
  if (code === 'no_issuer') return missingIssuer(certificate, role);
  if (code === 'untrusted_root') {
    return [code, `The certificate is not trusted: it leads to ${name}, which is not a known authority.`];
  }
  if (code === 'expired') {
    const date = longDate(certificate.notAfter, 'UTC');
    return ['untrusted_root', `The certificate is not trusted: its authority ${name} expired on ${date}.`];
  }
  if (code === 'self_signed') {
    return [code, 'The certificate is signed by itself and not trusted: no authority vouches for it.'];
  }
  if (code === 'weak_key') return [code, `${which} has a key (${keyName(certificate)}) that clients refuse.`];
  if (code === 'weak_signature') {
    return [code, `${which} is signed with ${certificate.signatureAlgorithm}, which clients refuse.`];
  }
  if (code === 'malformed') {
    return [
      'malformed_certificate',
      `${which} has a part that cannot be read, so that clients may refuse it.`,
    ];
  }
  if (code === 'not_yet_valid') {
    return ['path_invalid', `${which} is valid only from ${longDate(certificate.notBefore, 'UTC')} on.`];
  }
  return ['path_invalid', `${which} ${PATH_FAULTS[code]}.`];
}

const PATH_FAULTS: Record<
  Exclude<
    PathFailure['code'],
    | 'no_issuer'
    | 'untrusted_root'
    | 'self_signed'
    | 'weak_key'
    | 'weak_signature'
    | 'malformed'
    | 'not_yet_valid'
    | 'expired'
  >,
  string
> = {
  bad_signature: 'claims an issuer that did not sign it',
  extended_key_usage: 'is not meant for web servers (extended key usage)',
  key_usage: 'may not be used this way (key usage)',
  not_a_ca: 'has issued a certificate without being an authority',
  path_length: 'has more authorities below it than it allows',
  name_constraints: 'may not issue for the names of this certificate',
  unknown_critical_extension: 'has a critical extension that clients do not know',
  policy: 'does not fulfil the certificate policies that its chain asks for',
  profile: 'breaks a rule of its authority',
  name_mismatch: 'is for another name',
};

/** Where a certificate says where its issuer can be fetched, the authority is public and the chain merely cut short. */
function missingIssuer(certificate: Certificate, role: PathFailure['role']): [FindingCode, string] {
  const issuer = `“${issuerName(certificate)}”`;
  return role === 'leaf' && certificate.caIssuersUrls.length > 0
    ? [
        'incomplete_chain',
        `The chain is incomplete: the server does not send ${issuer}, so that many clients cannot verify it.`,
      ]
    : [
        'untrusted_root',
        `The certificate is not trusted: its issuer ${issuer} is neither sent by the server nor a known authority.`,
      ];
}

function keyName({ key }: Certificate): string {
  return key.curve ?? `${key.type.toUpperCase()}, ${key.bits} bits`;
}
