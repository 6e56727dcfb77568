import { expectedRenewal } from '../alert-steps.ts';
import type { ChainFinding } from '../finding.ts';
import { earliest } from './renewal.ts';
import type { ExpiringCertificate, ServedPeriod } from '../verdict.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const MAX_TURNS = 6;
/** A leaf counts as gone after this many later checks saw another leaf, or after `FORGOTTEN_AFTER_MS`. */
const FORGOTTEN_AFTER_CHECKS = 8;
const FORGOTTEN_AFTER_MS = 3 * DAY_MS;

/** Returns the recent leaves with this check added, at most six periods and without leaves that count as gone. */
export function recordServed(
  before: readonly ServedPeriod[],
  certificate: ExpiringCertificate,
  at: number,
): ServedPeriod[] {
  const last = before.at(-1);
  const turns =
    last?.certificate.fingerprint === certificate.fingerprint
      ? [
          ...before.slice(0, -1),
          { certificate, at, checks: Math.min(last.checks + 1, FORGOTTEN_AFTER_CHECKS) },
        ]
      : [...before, { certificate, at, checks: 1 }];
  const kept = turns.slice(-MAX_TURNS);
  const first = kept.findIndex((turn, index) => {
    const checksSince = kept.slice(index + 1).reduce((sum, { checks }) => sum + checks, 0);
    return checksSince < FORGOTTEN_AFTER_CHECKS && at - turn.at <= FORGOTTEN_AFTER_MS;
  });
  // Keep an earlier period of the current certificate: it distinguishes rotating servers from a replacement.
  const isReturn = kept[first - 1]?.certificate.fingerprint === certificate.fingerprint;
  return kept.slice(isReturn ? first - 1 : first);
}

/**
 * Returns the certificates that servers behind one address show in rotation with the current one: those seen between two
 * periods of the current one. A certificate that came and stayed is a replacement, which is not returned.
 */
export function rotatingCertificates(turns: readonly ServedPeriod[]): ExpiringCertificate[] {
  const current = turns.at(-1)?.certificate.fingerprint;
  const first = turns.findIndex(({ certificate }) => certificate.fingerprint === current);
  const between = turns
    .slice(first)
    .map(({ certificate }) => certificate)
    .filter(({ fingerprint }) => fingerprint !== current);
  return [...new Map(between.map((one) => [one.fingerprint, one])).values()];
}

/**
 * Returns one finding for all certificates in rotation: a note, and a warning once the first to expire is due for renewal.
 * Returns null if there is no rotation.
 */
export function rotationFinding(
  current: ExpiringCertificate,
  others: readonly ExpiringCertificate[],
  now: number,
): ChainFinding | null {
  const all = [current, ...others];
  const older = earliest(all);
  if (older === null || others.length === 0) return null;
  return {
    code: 'certificates_differ',
    severity: now >= expectedRenewal(older).from ? 'warning' : 'note',
    fingerprint: older.fingerprint,
    facts: {
      kind: 'shown_in_turn',
      certificates: all
        .toSorted((left, right) => left.notAfter - right.notAfter)
        .map(({ fingerprint, notAfter }) => ({ fingerprint, notAfter })),
    },
  };
}
