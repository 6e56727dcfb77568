import type { ChainFacts, OtherPathFault, PathFault } from '../finding.ts';
import { notYetValid, type Words } from './leaf-words.ts';
import { longDate, longInstant } from '../long-date.ts';

/** Returns the words of a finding about the chain of a certificate, or about the path to its root. */
export function chainWords(facts: ChainFacts): Words {
  switch (facts.kind) {
    case 'path_fault': {
      const { certificate, issuer } = facts.evidence;
      return {
        message: pathFault(facts),
        evidence: [
          { label: 'Certificate', value: certificate },
          { label: 'Issued by', value: issuer },
          ...('identifier' in facts ? [{ label: 'Algorithm', value: algorithmName(facts) }] : []),
        ],
      };
    }
    case 'too_much_work':
      return {
        message: 'We could not verify the certificate: its chain is too complex for one check.',
        evidence: [],
      };
    case 'no_path':
      return {
        message: 'The certificate is not trusted: it does not lead to a known authority.',
        evidence: [],
      };
    case 'distrusted_root':
      return {
        message: `Chrome does not trust certificates of the root “${facts.root}” that were issued after ${longDate(facts.trustedUntil, 'UTC')}, and this one is newer.`,
        evidence: [
          { label: 'Root', value: facts.root },
          { label: 'Trusted for certificates issued until', value: longInstant(facts.trustedUntil) },
        ],
      };
    case 'expired_authority':
      return {
        message: `The intermediate certificate “${facts.name}” expired on ${longDate(facts.notAfter, 'UTC')}. Without it, clients cannot verify this host.`,
        evidence: [
          { label: 'Intermediate', value: facts.name },
          { label: 'Expired', value: longInstant(facts.notAfter) },
        ],
      };
    case 'outdated_intermediate':
      return {
        message: `Your server sends the intermediate “${facts.name}”, which expired on ${longDate(facts.notAfter, 'UTC')}. ${whoRefuses(facts)}`,
        evidence: missingAndSent(facts.evidence.missing, facts.evidence.sent),
      };
    case 'missing_intermediates': {
      const { missing, evidence } = facts;
      const quoted = missing.map((name) => `“${name}”`).join(' and ');
      return {
        message: `Your server does not send the intermediate${missing.length === 1 ? '' : 's'} ${quoted}. ${whoRefuses(facts)}`,
        evidence: missingAndSent(missing, evidence.sent),
      };
    }
    case 'path_pending': {
      const { issuer, isIssuerSent, evidence } = facts;
      return {
        message: isIssuerSent
          ? `The chain that the server sends does not lead to a known authority. We are still looking for another chain for “${issuer}”.`
          : `The chain is incomplete: the server does not send “${issuer}”. We are still looking for it elsewhere.`,
        evidence: [
          { label: 'Certificate', value: evidence.certificate },
          { label: 'Issued by', value: issuer },
        ],
      };
    }
    case 'unreadable_companion':
      return { message: 'The server sends an additional certificate that cannot be read.', evidence: [] };
    case 'unused_expired':
      return {
        message: `The server also sends “${facts.name}”, which expired on ${longDate(facts.notAfter, 'UTC')}. No client needs it.`,
        evidence: [
          { label: 'Certificate', value: facts.name },
          { label: 'Expired', value: longInstant(facts.notAfter) },
        ],
      };
    case 'extra_certificates': {
      const quoted = facts.names.map((name) => `“${name}”`);
      return {
        message:
          quoted.length === 1
            ? `The server also sends ${quoted[0]}, which no client needs.`
            : `The server also sends ${quoted.length} certificates that no client needs: ${quoted.join(', ')}.`,
        evidence: facts.evidence.why.map((why, index) => ({
          label: facts.names[index] ?? '',
          value: WHY_EXTRA[why],
        })),
      };
    }
    case 'wrong_order':
      return {
        message: 'The server sends the chain in the wrong order. Some clients refuse to connect.',
        evidence: [{ label: 'Sent after the host’s certificate', value: facts.evidence.sent.join(', ') }],
      };
    case 'chain_cut':
      return {
        message: `The server sends too many certificates. We checked the first ${facts.read} and ignored the others.`,
        evidence: [{ label: 'Certificates checked', value: String(facts.read) }],
      };
    default:
      return facts satisfies never;
  }
}

const whoRefuses = ({
  isPrivate,
  isUnfetchable,
}: {
  isPrivate?: boolean;
  isUnfetchable?: boolean;
}): string =>
  isUnfetchable === true
    ? 'Clients refuse it unless they have seen the intermediate elsewhere, because no certificate says where to fetch it.'
    : isPrivate === true
      ? 'Chrome and Safari may still connect; Firefox, curl, Java and many apps will not.'
      : 'Browsers may still connect; curl, Java and many apps will not.';

const WHY_EXTRA = {
  repeated: 'sent twice',
  root: 'a root, which clients already have or do not trust',
  unrelated: 'not part of this chain',
} as const;

function missingAndSent(missing: readonly string[], sent: readonly string[]): Words['evidence'] {
  return [
    { label: 'Missing', value: missing.join(', ') },
    { label: 'Sent', value: sent.join(', ') },
  ];
}

function pathFault(facts: PathFault): string {
  switch (facts.fault) {
    case 'no_issuer':
      return facts.canBeFetched
        ? `The chain is incomplete: the server does not send “${facts.issuer}”, and we could not find it elsewhere.`
        : `The certificate is not trusted: its issuer “${facts.issuer}” is not a known authority, and the server does not send that certificate.`;
    case 'untrusted_root':
      return `The certificate is not trusted: it leads to “${facts.root}”, which is not a known authority.`;
    case 'expired':
      return `The certificate is not trusted: the certificate of its authority “${facts.authority}” expired on ${longDate(facts.notAfter, 'UTC')}.`;
    case 'self_signed':
      return 'The certificate is self-signed, so clients do not trust it.';
    case 'weak_key':
      return `${subjectOf(facts)} has ${weakKey(facts.key)}, which clients refuse.`;
    case 'unknown_key':
      return `${subjectOf(facts)} has a key of a type that we do not know (OID ${facts.identifier}), so we cannot verify what it signs.`;
    case 'unknown_signature':
      return facts.algorithm === facts.identifier
        ? `We cannot verify ${subjectOf(facts).replace(/^T/, 't')}: we do not know the algorithm of its signature (OID ${facts.identifier}).`
        : `We cannot verify ${subjectOf(facts).replace(/^T/, 't')}: this server’s version of OpenSSL cannot check its signature (${facts.algorithm}).`;
    case 'weak_signature':
      return `${subjectOf(facts)} is signed with ${facts.algorithm}, which clients refuse.`;
    case 'not_yet_valid':
      return `${subjectOf(facts)} ${notYetValid(facts)}`;
    case 'malformed':
      return `${subjectOf(facts)} has a part that cannot be read. Clients may refuse it.`;
    default:
      return `${subjectOf(facts)} ${PATH_FAULTS[facts.fault]}, so clients refuse it.`;
  }
}

type Fault<Name> = Extract<PathFault, { fault: Name }>;

function weakKey({ type, bits, curve }: Fault<'weak_key'>['key']): string {
  switch (type) {
    case 'rsa':
      return `a weak key (RSA, ${bits} bits)`;
    case 'ec':
      return `a weak key (${curve ?? 'ECDSA with a custom curve'})`;
    case 'dsa':
      return 'a weak key (DSA)';
    case 'malformed':
      return 'a key that cannot be read';
    default:
      // Verdicts of older versions called unknown keys weak.
      return 'a key of an unknown type';
  }
}

function algorithmName({ algorithm, identifier }: Fault<'unknown_key' | 'unknown_signature'>): string {
  return algorithm === identifier ? `OID ${identifier}` : `${algorithm} (OID ${identifier})`;
}

function subjectOf({ authority }: { authority: string | null }): string {
  return authority === null ? 'The certificate' : `The certificate “${authority}”`;
}

const PATH_FAULTS: Record<Exclude<OtherPathFault, 'malformed'>, string> = {
  bad_signature: 'was not signed by the issuer that it names',
  extended_key_usage: 'is not meant for TLS servers (extended key usage)',
  key_usage: 'lacks a required key usage',
  not_a_ca: 'is used as an issuer but is not a CA certificate (basic constraints)',
  path_length: 'allows fewer intermediate certificates below it than this chain has',
  name_constraints: 'is not allowed to issue for the names of this certificate',
  unknown_critical_extension: 'has a critical extension that clients do not support',
  policy: 'lacks a certificate policy that its chain requires',
  profile: 'breaks a rule for public certificates',
  name_mismatch: 'is for another name',
};
