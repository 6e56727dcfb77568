import { expectedRenewal } from '../alert-steps.ts';
import type { ChainFinding } from './chain-finding.ts';
import { earliest } from './expiring.ts';
import { longDate } from '../long-date.ts';
import type { ExpiringCertificate, Turn } from '../verdict.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const MOST_TURNS = 6;
/** What was not shown for so many checks, or for so long, is taken to be gone. */
const FORGOTTEN_AFTER_CHECKS = 8;
const FORGOTTEN_AFTER_MS = 3 * DAY_MS;

/** The turns of the last checks with this one added. */
export function withTurn(before: readonly Turn[], certificate: ExpiringCertificate, at: number): Turn[] {
  const last = before.at(-1);
  const turns =
    last?.certificate.fingerprint === certificate.fingerprint
      ? [
          ...before.slice(0, -1),
          { certificate, at, checks: Math.min(last.checks + 1, FORGOTTEN_AFTER_CHECKS) },
        ]
      : [...before, { certificate, at, checks: 1 }];
  const kept = turns.slice(-MOST_TURNS);
  const first = kept.findIndex((turn, index) => {
    const checksSince = kept.slice(index + 1).reduce((sum, { checks }) => sum + checks, 0);
    return checksSince < FORGOTTEN_AFTER_CHECKS && at - turn.at <= FORGOTTEN_AFTER_MS;
  });
  // The current one before it stays as well: it is what tells a turn from a replacement.
  const isReturn = kept[first - 1]?.certificate.fingerprint === certificate.fingerprint;
  return kept.slice(isReturn ? first - 1 : first);
}

/**
 * The certificates that servers behind one address show in turn, the current one left out: those that came between two
 * appearances of the current one. A certificate that came and stayed replaced the one before it, and nothing takes turns.
 */
export function takingTurns(turns: readonly Turn[]): ExpiringCertificate[] {
  const current = turns.at(-1)?.certificate.fingerprint;
  const first = turns.findIndex(({ certificate }) => certificate.fingerprint === current);
  const between = turns
    .slice(first)
    .map(({ certificate }) => certificate)
    .filter(({ fingerprint }) => fingerprint !== current);
  return [...new Map(between.map((one) => [one.fingerprint, one])).values()];
}

/** One finding for however many turns; a warning once the one that ends first is due to be renewed. */
export function turnsFinding(
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
    message: `The host shows ${all.length} certificates in turn, as servers behind one address do; the first to expire does so on ${longDate(older.notAfter, 'UTC')}.`,
    fingerprint: older.fingerprint,
    evidence: all
      .toSorted((left, right) => left.notAfter - right.notAfter)
      .map(({ fingerprint, notAfter }) => ({
        label: `Until ${longDate(notAfter, 'UTC')}`,
        value: `SHA-256 ${fingerprint}`,
      })),
  };
}
