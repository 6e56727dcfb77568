import { recall } from './judge/carry.ts';
import type { FindingCode, Verdict } from './verdict.ts';

export type Event =
  | { kind: 'certificate_replaced'; from: string; to: string }
  | { kind: 'became_unreachable' }
  | { kind: 'became_reachable' }
  | { kind: 'finding_opened'; code: FindingCode; fingerprint: string | null }
  | { kind: 'finding_closed'; code: FindingCode; fingerprint: string | null };

/**
 * What changed between two checks of one endpoint. `current` must have been judged with `previous`: then an outage
 * neither closes findings nor hides that the certificate was replaced meanwhile. A certificate that was shown a few checks
 * ago replaces nothing: servers take turns. A first verdict changes nothing.
 */
export function diff(previous: Verdict | null, current: Verdict): Event[] {
  if (previous === null) return [];
  const events: Event[] = [];
  if (previous.reached && !current.reached) events.push({ kind: 'became_unreachable' });
  if (!previous.reached && current.reached) events.push({ kind: 'became_reachable' });

  const before = previous.lastSeen;
  const after = current.lastSeen;
  if (!current.reached || before === null || after === null) return events;
  const isKnown = recall(previous).turns.some(
    ({ certificate }) => certificate.fingerprint === after.leafFingerprint,
  );
  if (before.leafFingerprint !== after.leafFingerprint && !isKnown) {
    events.push({ kind: 'certificate_replaced', from: before.leafFingerprint, to: after.leafFingerprint });
  }
  const key = (finding: { code: string; fingerprint: string | null }) =>
    `${finding.code} ${finding.fingerprint}`;
  const known = new Set(before.findings.map(key));
  const still = new Set(after.findings.map(key));
  for (const { code, fingerprint } of after.findings) {
    if (!known.has(key({ code, fingerprint }))) events.push({ kind: 'finding_opened', code, fingerprint });
  }
  for (const { code, fingerprint } of before.findings) {
    if (!still.has(key({ code, fingerprint }))) events.push({ kind: 'finding_closed', code, fingerprint });
  }
  return events;
}
