import { recall } from './judge/carry.ts';
import type { Verdict } from './verdict.ts';

/**
 * Returns the fingerprints of the old and the new leaf when a check found the certificate replaced, else null. `current` must
 * have been judged with `previous`, so that a replacement during an outage is found afterwards. A leaf that one of the last
 * few checks already saw replaces nothing: several servers answer behind one name.
 */
export function replacedCertificate(
  previous: Verdict | null,
  current: Verdict,
): { from: string; to: string } | null {
  const before = previous?.lastSeen ?? null;
  const after = current.lastSeen;
  if (!current.reached || before === null || after === null) return null;
  const [from, to] = [before.leafFingerprint, after.leafFingerprint];
  const isKnown = recall(previous).turns.some(({ certificate }) => certificate.fingerprint === to);
  return from === to || isKnown ? null : { from, to };
}
