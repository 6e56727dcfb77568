import { validityFailure } from '../../pki/certificate-checks.ts';
import type { Certificate } from '../../pki/certificate.ts';
import type { PathFailure } from '../../pki/path-failure.ts';
import type { Client } from '../../../contract/check-words.ts';
import { certificateName, issuerName } from '../facts.ts';
import { longInstant } from '../long-date.ts';
import { newRoot, newRootAmong, newRootFix } from './dates.ts';
import type { HandshakeObservation } from '../observation.ts';
import { verify } from '../report/reproduce.ts';
import { boolean, code, list, number, object, optional, text } from '../shape.ts';
import { type Definition, type FoundIn, kind, type Words } from './definition.ts';

const missing = {
  /** Whether the root belongs to no public program, so that Firefox has not seen the intermediates elsewhere. */
  isPrivate: optional(boolean),
  /** Whether the root is private and the certificate below a missing intermediate names no URL to fetch it from. */
  isUnfetchable: optional(boolean),
};
type Missing = { [Fact in keyof typeof missing]?: boolean };

export const CHAIN_ORDER = 'the certificate first, then each issuer in turn, without the root.';
const LEAVE_OUT = `Remove what clients do not need, and send the rest in order: ${CHAIN_ORDER}`;

/** Clients that neither fetch nor keep intermediates that a server does not send. */
const WITHOUT_FETCHING: readonly Client[] = ['openssl', 'go', 'java', 'gnutls'];
/** Below a private root, Firefox cannot complete a chain either: it fetches no intermediates, and ships only those of public CAs (measured). */
const WITHOUT_PRIVATE: readonly Client[] = ['firefox', ...WITHOUT_FETCHING];

/** Findings about the certificates that a server sends in addition to its leaf: missing, expired, unnecessary or in the wrong order. */
export const SENT_CHAIN_FINDINGS = {
  incomplete_chain: {
    kinds: {
      missing_intermediates: kind(
        object({ missing: list(text), newRoot, ...missing, evidence: object({ sent: list(text) }) }),
        (facts) => ({
          message: `Your server does not send the intermediate${facts.missing.length === 1 ? '' : 's'} ${facts.missing.map((name) => `“${name}”`).join(' and ')}. ${whoRefuses(facts)}`,
          evidence: missingAndSent(facts.missing, facts.evidence.sent),
        }),
        { fix: (facts) => newRootFix(facts), refusedBy: refusingMissing, breaksChain: true },
      ),
      /** Certificates that may complete the path are still being fetched. */
      path_pending: kind(
        object({ issuer: text, isIssuerSent: boolean, evidence: object({ certificate: text }) }),
        ({ issuer, isIssuerSent, evidence }) => ({
          message: isIssuerSent
            ? `The chain that the server sends does not lead to a known authority. We are still looking for another chain for “${issuer}”.`
            : `The chain is incomplete: the server does not send “${issuer}”. We are still looking for it elsewhere.`,
          evidence: [
            { label: 'Certificate', value: evidence.certificate },
            { label: 'Issued by', value: issuer },
          ],
        }),
      ),
    },
    fix: 'Install the full chain that your authority delivers with the certificate (often called fullchain.pem).',
    command: verify,
    short: 'The chain is incomplete',
    isReasonToReplace: true,
  },
  intermediate_expired: {
    kinds: {
      /** No path is valid, and the search rejected this CA certificate because it has expired. */
      expired_authority: kind(object({ name: text, notAfter: number }), ({ name, notAfter }) => ({
        message: `The intermediate certificate “${name}” expired on ${longInstant(notAfter)}. Without it, clients cannot verify this host.`,
        evidence: [
          { label: 'Intermediate', value: name },
          { label: 'Expired', value: longInstant(notAfter) },
        ],
      })),
      /** The server sends an expired intermediate, but a path is valid with a certificate from another source. */
      outdated_intermediate: kind(
        object({
          name: text,
          notAfter: number,
          ...missing,
          evidence: object({ missing: list(text), sent: list(text) }),
        }),
        (facts) => ({
          message: `Your server sends the intermediate “${facts.name}”, which expired on ${longInstant(facts.notAfter)}. ${whoRefuses(facts)}`,
          evidence: missingAndSent(facts.evidence.missing, facts.evidence.sent),
        }),
        { refusedBy: refusingMissing, breaksChain: true },
      ),
    },
    fix: 'Install the current intermediate of your authority. If there is none, have the certificate reissued.',
    command: verify,
    short: 'Not trusted: an intermediate has expired',
    isReasonToReplace: true,
  },
  unused_certificate_expired: {
    kinds: {
      unused_expired: kind(object({ name: text, notAfter: number }), ({ name, notAfter }) => ({
        message: `The server also sends “${name}”, which expired on ${longInstant(notAfter)}. No client needs it.`,
        evidence: [
          { label: 'Certificate', value: name },
          { label: 'Expired', value: longInstant(notAfter) },
        ],
      })),
    },
    fix: LEAVE_OUT,
  },
  /** The server sends a certificate that no client needs: the root, one outside the path, or the same one again. */
  extra_certificate: {
    kinds: {
      /** `why`: for each name, why no client needs the certificate. */
      extra_certificates: kind(
        object({
          names: list(text),
          evidence: object({ why: list(code<keyof typeof WHY_EXTRA>()) }),
        }),
        ({ names, evidence }) => {
          const quoted = names.map((name) => `“${name}”`);
          return {
            message:
              quoted.length === 1
                ? `The server also sends ${quoted[0]}, which no client needs.`
                : `The server also sends ${quoted.length} certificates that no client needs: ${quoted.join(', ')}.`,
            evidence: evidence.why.map((why, index) => ({
              label: names[index] ?? '',
              value: WHY_EXTRA[why],
            })),
          };
        },
      ),
    },
    fix: LEAVE_OUT,
  },
  wrong_order: {
    kinds: {
      wrong_order: kind(object({ evidence: object({ sent: list(text) }) }), ({ evidence }) => ({
        message: 'The server sends the chain in the wrong order. Some clients refuse to connect.',
        evidence: [{ label: 'Sent after the host’s certificate', value: evidence.sent.join(', ') }],
      })),
    },
    fix: LEAVE_OUT,
  },
  /** The server sends more certificates than were read. */
  chain_cut: {
    kinds: {
      chain_cut: kind(object({ read: number }), ({ read }) => ({
        message: `The server sends too many certificates. We checked the first ${read} and ignored the others.`,
        evidence: [{ label: 'Certificates checked', value: String(read) }],
      })),
    },
    fix: LEAVE_OUT,
  },
} satisfies Readonly<Record<string, Definition>>;

type ChainFinding = FoundIn<typeof SENT_CHAIN_FINDINGS>;

function refusingMissing({ isPrivate, isUnfetchable }: Missing): readonly Client[] | undefined {
  if (isUnfetchable === true) return undefined;
  return isPrivate === true ? WITHOUT_PRIVATE : WITHOUT_FETCHING;
}

const whoRefuses = ({ isPrivate, isUnfetchable }: Missing): string =>
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

/**
 * Reports a chain that is valid only with certificates that the server did not send. `outdated`: an expired intermediate that it
 * sent instead, or null. `isPublic`: whether the path ends in an anchor of a public root program.
 */
export function incompleteFinding(
  { leaf, sent }: { leaf: Certificate; sent: readonly Certificate[] },
  path: readonly Certificate[],
  outdated: Certificate | null,
  isPublic: boolean,
): ChainFinding {
  const known = new Set(sent.map(({ fingerprint }) => fingerprint));
  const intermediates = path.slice(1, -1).filter(({ fingerprint }) => !known.has(fingerprint));
  const missing = intermediates.map(certificateName);
  const sentNames = [leaf, ...sent].map(certificateName);
  // Clients know the intermediates of public authorities, and fetch the others if the certificate below names a URL.
  const isUnfetchable =
    !isPublic && intermediates.some((one) => path[path.indexOf(one) - 1]?.caIssuersUrls.length === 0);
  const severity = isUnfetchable ? 'critical' : 'warning';
  const why = { ...(!isPublic && { isPrivate: true }), ...(isUnfetchable && { isUnfetchable }) };
  if (outdated !== null)
    return {
      code: 'intermediate_expired',
      severity,
      fingerprint: outdated.fingerprint,
      facts: {
        kind: 'outdated_intermediate',
        name: certificateName(outdated),
        notAfter: outdated.notAfter,
        ...why,
        evidence: { missing, sent: sentNames },
      },
      fixedByChain: true,
    };
  return {
    code: 'incomplete_chain',
    severity,
    fingerprint: leaf.fingerprint,
    facts: {
      kind: 'missing_intermediates',
      missing,
      ...newRootAmong(intermediates),
      ...why,
      evidence: { sent: sentNames },
    },
    fixedByChain: true,
  };
}

/** Reports that no path is valid yet, while certificates that may complete one are still being fetched. */
export function pendingFinding(leaf: Certificate, failures: readonly PathFailure[]): ChainFinding {
  return {
    code: 'incomplete_chain',
    severity: 'warning',
    fingerprint: leaf.fingerprint,
    facts: {
      kind: 'path_pending',
      issuer: issuerName(leaf),
      isIssuerSent: !failures.some(({ code, role }) => code === 'no_issuer' && role === 'leaf'),
      evidence: { certificate: certificateName(leaf) },
    },
  };
}

/**
 * Returns notes about certificates that are sent but not part of a valid path, sent twice, or sent out of order. Trust does
 * not depend on them. `sent`: without the leaf, in order; `path`: leaf first.
 */
export function sentChainFindings(
  sent: readonly Certificate[],
  path: readonly Certificate[],
  now: number,
): ChainFinding[] {
  const positionOnPath = new Map(path.map(({ fingerprint }, index) => [fingerprint, index]));
  const expired = sent.filter(
    (one) => !positionOnPath.has(one.fingerprint) && validityFailure(one, now) === 'expired',
  );
  return [
    ...expired.map(unusedExpired),
    ...extraFindings(
      sent.filter((one) => !expired.includes(one)),
      path,
    ),
    ...orderFindings(sent, positionOnPath),
  ];
}

function unusedExpired(one: Certificate): ChainFinding {
  return {
    code: 'unused_certificate_expired',
    severity: 'note',
    fingerprint: one.fingerprint,
    facts: { kind: 'unused_expired', name: certificateName(one), notAfter: one.notAfter },
    fixedByChain: true,
  };
}

/**
 * Reports roots, unrelated and repeated certificates. Intermediates that belong to another path of the leaf are not
 * reported, because older clients may need them.
 */
function extraFindings(sent: readonly Certificate[], path: readonly Certificate[]): ChainFinding[] {
  const useful = withAncestors(path.slice(0, path.length > 1 ? -1 : 1), sent);
  const seen = new Set(path[0] === undefined ? [] : [path[0].fingerprint]);
  const extra: { one: Certificate; why: keyof typeof WHY_EXTRA }[] = [];
  for (const one of sent) {
    const isRepeated = seen.has(one.fingerprint);
    seen.add(one.fingerprint);
    if (isRepeated) extra.push({ one, why: 'repeated' });
    else if (!useful.has(one.fingerprint)) extra.push({ one, why: one.selfIssued ? 'root' : 'unrelated' });
  }
  const [first] = extra;
  if (first === undefined) return [];
  return [
    {
      code: 'extra_certificate',
      severity: 'note',
      fingerprint: first.one.fingerprint,
      facts: {
        kind: 'extra_certificates',
        names: extra.map(({ one }) => certificateName(one)),
        evidence: { why: extra.map(({ why }) => why) },
      },
      fixedByChain: true,
    },
  ];
}

/**
 * Returns the fingerprints of a path, and of the sent intermediates that by their names may have issued one of its certificates, directly
 * or through others.
 */
function withAncestors(path: readonly Certificate[], sent: readonly Certificate[]): Set<string> {
  const useful = new Map(path.map((one) => [one.fingerprint, one]));
  // Iterating over a Map includes entries that are added during the loop.
  for (const below of useful.values()) {
    for (const one of sent) {
      if (!one.selfIssued && one.subject.comparisonKey === below.issuer.comparisonKey)
        useful.set(one.fingerprint, one);
    }
  }
  return new Set(useful.keys());
}

function orderFindings(
  sent: readonly Certificate[],
  positionOnPath: ReadonlyMap<string, number>,
): ChainFinding[] {
  const distinct = new Set(sent.map(({ fingerprint }) => fingerprint));
  const sentPositions = [...distinct]
    .flatMap((fingerprint) => positionOnPath.get(fingerprint) ?? [])
    .filter((index) => index > 0);
  if (sentPositions.every((index, position) => index >= (sentPositions[position - 1] ?? 0))) return [];
  return [
    {
      code: 'wrong_order',
      severity: 'note',
      fingerprint: null,
      facts: { kind: 'wrong_order', evidence: { sent: sent.map(certificateName) } },
      fixedByChain: true,
    },
  ];
}

/** Reports that the server sent more certificates than the limit, and that the rest was not read. */
export function truncatedChainFindings({ chainCut, presentedChain }: HandshakeObservation): ChainFinding[] {
  if (chainCut !== true) return [];
  const facts = { kind: 'chain_cut' as const, read: presentedChain.length };
  return [{ code: 'chain_cut', severity: 'note', fingerprint: null, facts, fixedByChain: true }];
}
