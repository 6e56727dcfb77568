import { type Certificate, validityFailure } from '../../pki/index.ts';
import { certificateName } from '../facts.ts';
import type { ChainFinding } from './chain-finding.ts';
import { longDate, longInstant } from '../long-date.ts';
import type { HandshakeObservation } from '../observation.ts';

/**
 * What was sent along beside or out of the order of a path that holds. Worth a note; nothing depends on it. `sent`: without
 * the leaf, in order; `path`: leaf first.
 */
export function companionFindings(
  sent: readonly Certificate[],
  path: readonly Certificate[],
  now: number,
): ChainFinding[] {
  const place = new Map(path.map(({ fingerprint }, index) => [fingerprint, index]));
  const expired = sent.filter(
    (one) => !place.has(one.fingerprint) && validityFailure(one, now) === 'expired',
  );
  return [
    ...expired.map(unusedExpired),
    ...extraFindings(
      sent.filter((one) => !expired.includes(one)),
      path,
    ),
    ...orderFindings(sent, place),
  ];
}

function unusedExpired(one: Certificate): ChainFinding {
  const date = longDate(one.notAfter, 'UTC');
  return {
    code: 'unused_certificate_expired',
    severity: 'note',
    message: `“${certificateName(one)}” is sent along although it expired on ${date}; nothing depends on it.`,
    fingerprint: one.fingerprint,
    evidence: [
      { label: 'Certificate', value: certificateName(one) },
      { label: 'Expired', value: longInstant(one.notAfter) },
    ],
    mendedByChain: true,
  };
}

/** Roots, strangers and repetitions. Another certificate of an authority of the path may be what older clients need. */
function extraFindings(sent: readonly Certificate[], path: readonly Certificate[]): ChainFinding[] {
  const useful = withAncestors(path.slice(0, path.length > 1 ? -1 : 1), sent);
  const seen = new Set(path[0] === undefined ? [] : [path[0].fingerprint]);
  const extra: { one: Certificate; why: string }[] = [];
  for (const one of sent) {
    const repeated = seen.has(one.fingerprint);
    seen.add(one.fingerprint);
    if (repeated) extra.push({ one, why: 'sent twice' });
    else if (useful.has(one.fingerprint)) continue;
    else if (one.selfIssued) extra.push({ one, why: 'a root: clients have it already, or do not trust it' });
    else extra.push({ one, why: 'not part of this chain' });
  }
  const [first] = extra;
  if (first === undefined) return [];
  const names = extra.map(({ one }) => `“${certificateName(one)}”`);
  return [
    {
      code: 'extra_certificate',
      severity: 'note',
      message:
        extra.length === 1
          ? `The server also sends ${names[0]}, which no client needs.`
          : `The server also sends ${extra.length} certificates that no client needs: ${names.join(', ')}.`,
      fingerprint: first.one.fingerprint,
      evidence: extra.map(({ one, why }) => ({ label: certificateName(one), value: why })),
      mendedByChain: true,
    },
  ];
}

/** Fingerprints of a path and of everything sent that could stand above one of its certificates. */
function withAncestors(path: readonly Certificate[], sent: readonly Certificate[]): Set<string> {
  const useful = new Map(path.map((one) => [one.fingerprint, one]));
  // A Map goes on to what is added while it is walked.
  for (const below of useful.values()) {
    for (const one of sent) {
      if (!one.selfIssued && one.subject.comparisonKey === below.issuer.comparisonKey)
        useful.set(one.fingerprint, one);
    }
  }
  return new Set(useful.keys());
}

function orderFindings(sent: readonly Certificate[], place: ReadonlyMap<string, number>): ChainFinding[] {
  const once = new Set(sent.map(({ fingerprint }) => fingerprint));
  const places = [...once]
    .flatMap((fingerprint) => place.get(fingerprint) ?? [])
    .filter((index) => index > 0);
  if (places.every((index, position) => index >= (places[position - 1] ?? 0))) return [];
  return [
    {
      code: 'wrong_order',
      severity: 'note',
      message: 'The server sends the chain in the wrong order; some clients cannot follow it.',
      fingerprint: null,
      evidence: [{ label: 'Sent after the certificate', value: sent.map(certificateName).join(', ') }],
      mendedByChain: true,
    },
  ];
}

/** Says that certificates beyond the limit were not read. */
export function cutFindings({ chainCut, presentedChain }: HandshakeObservation): ChainFinding[] {
  if (chainCut !== true) return [];
  const read = presentedChain.length;
  const message = `The server sends too many certificates. The first ${read} were judged; the others were not read.`;
  const evidence = [{ label: 'Certificates read', value: String(read) }];
  return [{ code: 'chain_cut', severity: 'note', message, fingerprint: null, evidence, mendedByChain: true }];
}
