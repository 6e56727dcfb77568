import type { Certificate } from '../../pki/certificate.ts';
import type { PathFailure, PathFailureCode } from '../../pki/path-failure.ts';
import { type PublicKey, publicKeyName } from '../../pki/public-key.ts';
import type { TrustStore } from '../../pki/trust-store.ts';
import { type Client, CLIENTS } from '../../../contract/check-words.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { certificateName, issuerName } from '../facts.ts';
import { clientsRefusingAnchor } from '../judge/clients/anchor-rules.ts';
import { clientNames, connectsTo, severityOf } from '../judge/clients/client-rule.ts';
import { clientsRefusingCritical, clientsRefusingMalformed } from '../judge/clients/extension-rules.ts';
import { clientsRefusingAlgorithm } from '../judge/clients/field-rules.ts';
import { longInstant } from '../long-date.ts';
import { newRoot, newRootAmong, newRootFix } from './dates.ts';
import { inspect, verify } from '../report/reproduce.ts';
import { boolean, both, code, type Infer, nullable, number, object, text, union } from '../shape.ts';
import { type AuthorityPlace, contentKey, type Definition, type FoundIn, kind } from './definition.ts';
import { adviceToWait, minutesUntilValid, notYetValid, notYetValidSeverity } from './leaf.ts';

const unknownAlgorithm = {
  authority: nullable(text),
  /** Name of the algorithm, or its OID if we know no name. */
  algorithm: text,
  /** OID of the algorithm. */
  identifier: text,
};
/** Path faults that have values of their own. */
const ownFaults = {
  /** `canBeFetched`: the issuer of the leaf is missing, and the leaf has a URL from which it can be fetched. */
  no_issuer: { issuer: text, canBeFetched: boolean },
  untrusted_root: { root: text, newRoot },
  expired: { authority: text, notAfter: number },
  self_signed: {},
  weak_key: {
    authority: nullable(text),
    key: object({ type: code<PublicKey['type']>(), bits: number, curve: nullable(text) }),
  },
  weak_signature: { authority: nullable(text), algorithm: text },
  unknown_key: unknownAlgorithm,
  unknown_signature: unknownAlgorithm,
  not_yet_valid: { authority: nullable(text), notBefore: number, ...minutesUntilValid },
};
type OtherPathFault = Exclude<PathFailureCode, keyof typeof ownFaults>;
/** A reason why no path is valid. `authority`: name of the CA certificate at fault; null if the leaf is at fault. */
const pathFault = both(
  object({ evidence: object({ certificate: text, issuer: text }) }),
  union('fault', ownFaults, object({ fault: code<OtherPathFault>(), authority: nullable(text) })),
);
type FaultFacts = Infer<typeof pathFault>;
type PathFault = { kind: 'path_fault' } & FaultFacts;

/** Clients that check certificate policies (measured). */
const CHECKING_POLICIES: readonly Client[] = ['chromium', 'go', 'java', 'gnutls'];

const faultKind = kind(
  pathFault,
  (facts) => ({
    message: faultSentence(facts),
    evidence: [
      { label: 'Certificate', value: facts.evidence.certificate },
      { label: 'Issued by', value: facts.evidence.issuer },
      ...('identifier' in facts ? [{ label: 'Algorithm', value: algorithmName(facts) }] : []),
    ],
  }),
  { fix: faultFix, refusedBy: refusingFault },
);

const ADD_AUTHORITY: Record<AuthorityPlace, string> = {
  profile: 'add its root to the authorities in your profile.',
  shell: 'pass its root with --ca FILE.',
};
/**
 * Advice about adding the self-signed certificate itself as an authority. The profile accepts it only if it is a CA
 * certificate.
 */
const ITSELF: Record<AuthorityPlace, string> = {
  profile: 'You can add the certificate itself there only if it is a CA certificate (CA: true).',
  shell: 'You can also pass the certificate itself.',
};
export const REISSUE_ADVICE =
  'Have the certificate reissued, and install it with the chain that comes with it.';

/** Findings about the path from a leaf to a root: what makes every path invalid, or its root distrusted. */
export const PATH_FINDINGS = {
  self_signed: {
    kinds: { path_fault: faultKind },
    fix: ({ authorityPlace }) =>
      `Install a certificate from a public authority. Or have your own authority issue one and ${ADD_AUTHORITY[authorityPlace]} ${ITSELF[authorityPlace]}`,
    command: verify,
    short: 'Not trusted: self-signed',
    isReasonToReplace: true,
  },
  untrusted_root: {
    kinds: { path_fault: faultKind },
    fix: ({ authorityPlace }) =>
      `Install a certificate from a public authority. If your own authority issued this one, ${ADD_AUTHORITY[authorityPlace]}`,
    command: verify,
    short: 'Not trusted: unknown authority',
    isReasonToReplace: true,
  },
  path_invalid: {
    kinds: {
      path_fault: faultKind,
      too_much_work: kind(object({}), () => ({
        message: 'We could not verify the certificate: its chain is too complex for one check.',
        evidence: [],
      })),
      no_path: kind(object({}), () => ({
        message: 'The certificate is not trusted: it does not lead to a known authority.',
        evidence: [],
      })),
    },
    fix: REISSUE_ADVICE,
    command: verify,
    short: 'Not trusted: the chain is not valid',
    isReasonToReplace: true,
  },
  weak_key: {
    kinds: { path_fault: faultKind },
    fix: 'Create a new key (ECDSA P-256, or RSA with 2048 to 4096 bits) and have a certificate issued for it.',
    command: inspect('-noout -text'),
    short: 'The key is too weak',
    isReasonToReplace: true,
  },
  weak_signature: {
    kinds: { path_fault: faultKind },
    fix: 'Have the certificate reissued: authorities sign with SHA-256 or better today.',
    command: inspect('-noout -text'),
    short: 'The signature is too weak',
    isReasonToReplace: true,
  },
  /** We cannot verify a key or a signature of the chain, so we cannot tell whether it is genuine. */
  unverifiable: {
    kinds: { path_fault: faultKind },
    fix: 'Check with a client that supports this algorithm. For clients that do not, install a certificate with an ECDSA or RSA key from an authority with such a key.',
    command: inspect('-noout -text'),
    short: 'We cannot verify its signature',
    isReasonToReplace: true,
  },
  /** The root is trusted, but a browser refuses certificates that were issued under it after a certain date. */
  distrusted_root: {
    kinds: {
      // Verdicts of older versions name no clients: these findings are about Chrome.
      distrusted_root: kind(
        object({ root: text, trustedUntil: number }),
        ({ root, trustedUntil }, { clients }) => ({
          message: `${clientNames(clients.length === 0 ? ['chromium'] : clients)} ${clients.length > 1 ? 'do' : 'does'} not trust certificates of the root “${root}” that were issued after ${longInstant(trustedUntil)}, and this one is newer.`,
          evidence: [
            { label: 'Root', value: root },
            { label: 'Trusted for certificates issued until', value: longInstant(trustedUntil) },
          ],
        }),
      ),
      removed_root: kind(object({ root: text, from: number }), ({ root, from }, { clients }) => ({
        message: `${clientNames(clients)} ${clients.length > 1 ? 'do' : 'does'} not trust the root “${root}” since ${longInstant(from)}.`,
        evidence: [{ label: 'Root', value: root }],
      })),
    },
    fix: 'Get a certificate from another authority.',
    command: inspect('-noout -issuer -dates'),
    short: 'Not trusted: browsers distrust its root',
    isReasonToReplace: true,
    refusedBy: ['chromium'],
  },
} satisfies Readonly<Record<string, Definition>>;

/** Codes of this family, and codes of other families that describe a fault of a path. */
type PathCode = keyof typeof PATH_FINDINGS | 'incomplete_chain' | 'malformed_certificate';
type PathFinding = Omit<FoundIn<typeof PATH_FINDINGS>, 'code'> & { code: PathCode };

function faultFix(facts: FaultFacts): string | undefined {
  if (facts.fault === 'not_yet_valid') return adviceToWait(facts);
  if (facts.fault === 'untrusted_root') return newRootFix(facts);
  return facts.fault === 'expired'
    ? 'If this authority is your own, renew its certificate, and replace it everywhere it is trusted. Otherwise get a certificate from another authority.'
    : undefined;
}

function refusingFault(facts: FaultFacts): readonly Client[] | undefined {
  if (facts.fault === 'weak_key' && facts.key.type === 'rsa') return refusingRsa(facts.key.bits);
  // Measured: Java refuses SHA-1 only below the roots that it ships, but in the RSA-PSS signature of a leaf below every root.
  if (facts.fault === 'weak_signature' && /SHA-?1$/i.test(facts.algorithm))
    return facts.authority === null && facts.algorithm.startsWith('RSA-PSS')
      ? CLIENTS
      : CLIENTS.filter((client) => client !== 'java');
  return facts.fault === 'policy' ? CHECKING_POLICIES : undefined;
}

/** Returns who refuses a weak RSA key of this size (measured; Apple: support.apple.com/103769). */
function refusingRsa(bits: number): readonly Client[] {
  if (bits < 1024) return CLIENTS;
  return bits < 2048 ? ['openssl', 'apple'] : ['chromium', 'go'];
}

function faultSentence(facts: FaultFacts): string {
  switch (facts.fault) {
    case 'no_issuer':
      return facts.canBeFetched
        ? `The chain is incomplete: the server does not send “${facts.issuer}”, and we could not find it elsewhere.`
        : `The certificate is not trusted: its issuer “${facts.issuer}” is not a known authority, and the server does not send that certificate.`;
    case 'untrusted_root':
      return `The certificate is not trusted: it leads to “${facts.root}”, which is not a known authority.`;
    case 'expired':
      return `The certificate is not trusted: the certificate of its authority “${facts.authority}” expired on ${longInstant(facts.notAfter)}.`;
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

type Fault<Name> = Extract<FaultFacts, { fault: Name }>;

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

/** Reports a CA certificate of a path that is not valid yet. */
export function earlyAuthority(authority: Certificate, protocol: Protocol, now: number): PathFinding {
  const { fingerprint, notBefore } = authority;
  const { minutesUntilValid, ...severityAndClients } = notYetValidSeverity(authority, protocol, now);
  const name = certificateName(authority);
  const evidence = { certificate: name, issuer: issuerName(authority) };
  const facts = {
    kind: 'path_fault' as const,
    fault: 'not_yet_valid' as const,
    authority: name,
    notBefore,
    ...minutesUntilValid,
    evidence,
  };
  return { code: 'path_invalid', fingerprint, facts, ...severityAndClients };
}

/**
 * Returns the reasons why no path is valid as findings, except expired intermediates, which have a finding of their own.
 * `named`: the certificates that the failures are about, by fingerprint.
 */
export function pathFaults(
  failures: readonly PathFailure[],
  named: ReadonlyMap<string, Certificate>,
  protocol: Protocol,
  trustStore: TrustStore,
): PathFinding[] {
  const findings = new Map<string, PathFinding>();
  for (const failure of failures) {
    const certificate = named.get(failure.fingerprint);
    if (certificate === undefined || (failure.code === 'expired' && failure.role === 'intermediate'))
      continue;
    const facts = factsOf(failure, certificate);
    const code = codeOf(facts);
    const isAnchor = failure.role === 'anchor';
    const refusing = isAnchor
      ? clientsRefusingAnchor(failure.code, certificate, trustStore)
      : refusingByCertificate(facts, certificate);
    const clients = refusing?.filter(connectsTo(protocol));
    // The clients that refuse this anchor, for example browsers, may all speak other protocols only.
    if (clients?.length === 0 && isAnchor) continue;
    findings.set(contentKey({ code, facts }), {
      code,
      // A faulty anchor, or a signature that we cannot verify, is only as severe as the clients that are known to refuse it. Other faults
      // are critical.
      severity: isAnchor || code === 'unverifiable' ? severityOf(clients ?? [], protocol) : 'critical',
      fingerprint: certificate.fingerprint,
      facts,
      ...(clients !== undefined && { clients }),
    });
  }
  return [...findings.values()];
}

/** Returns the clients that refuse the certificate; undefined if the finding's code or facts alone tell them. */
function refusingByCertificate(facts: PathFault, certificate: Certificate): readonly Client[] | undefined {
  switch (facts.fault) {
    case 'malformed':
      return clientsRefusingMalformed(certificate);
    case 'unknown_critical_extension':
      return clientsRefusingCritical(certificate);
    case 'unknown_key':
    case 'unknown_signature':
      return clientsRefusingAlgorithm(facts.identifier, facts.algorithm);
    default:
      return undefined;
  }
}

function factsOf({ code: fault, role }: PathFailure, certificate: Certificate): PathFault {
  const name = certificateName(certificate);
  const issuer = issuerName(certificate);
  const base = { kind: 'path_fault', evidence: { certificate: name, issuer } } as const;
  const authority = role === 'leaf' ? null : name;
  switch (fault) {
    case 'no_issuer': {
      const canBeFetched = role === 'leaf' && certificate.caIssuersUrls.length > 0;
      return { ...base, fault, issuer, canBeFetched };
    }
    case 'untrusted_root':
      return { ...base, fault, root: name, ...newRootAmong([certificate]) };
    case 'expired':
      return { ...base, fault, authority: name, notAfter: certificate.notAfter };
    case 'self_signed':
      return { ...base, fault };
    case 'weak_key': {
      const { type, bits, curve } = certificate.key;
      return { ...base, fault, authority, key: { type, bits, curve } };
    }
    case 'weak_signature':
      return { ...base, fault, authority, algorithm: certificate.signatureAlgorithm };
    case 'unknown_key': {
      const { algorithm } = certificate.key;
      return { ...base, fault, authority, algorithm: publicKeyName(certificate.key), identifier: algorithm };
    }
    case 'unknown_signature': {
      const { name: algorithm, identifier } = certificate.signature.algorithm;
      return { ...base, fault, authority, algorithm, identifier };
    }
    case 'not_yet_valid':
      return { ...base, fault, authority, notBefore: certificate.notBefore };
    default:
      return { ...base, fault, authority };
  }
}

function codeOf(facts: PathFault): PathCode {
  switch (facts.fault) {
    case 'no_issuer':
      // A leaf with a URL of its issuer most likely comes from a public authority: report its chain as incomplete, not as
      // untrusted.
      return facts.canBeFetched ? 'incomplete_chain' : 'untrusted_root';
    case 'untrusted_root':
      return 'untrusted_root';
    case 'self_signed':
    case 'weak_key':
    case 'weak_signature':
      return facts.fault;
    case 'unknown_key':
    case 'unknown_signature':
      return 'unverifiable';
    case 'malformed':
      return 'malformed_certificate';
    default:
      return 'path_invalid';
  }
}
