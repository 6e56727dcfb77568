import { type Certificate, validityFailure } from '../../pki/index.ts';
import { certificateName } from '../facts.ts';
import type { ChainFinding } from '../finding.ts';
import type { HandshakeObservation } from '../observation.ts';

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
  const extra: { one: Certificate; why: 'repeated' | 'root' | 'unrelated' }[] = [];
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
 * Returns the fingerprints of a path and of every intermediate sent that may be above one of its certificates, by their
 * names.
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
