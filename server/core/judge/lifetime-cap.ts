import { DAY_MS } from '../../../contract/durations.ts';

/** Baseline Requirements §6.3.2 (ballots 193, SC-031, SC-081v3): the longest validity of a certificate from each day on. */
const CAPS: readonly { from: number; days: number }[] = [
  { from: Date.UTC(2029, 2, 15), days: 47 },
  { from: Date.UTC(2027, 2, 15), days: 100 },
  { from: Date.UTC(2026, 2, 15), days: 200 },
  { from: Date.UTC(2020, 8, 1), days: 398 },
  { from: Date.UTC(2018, 2, 1), days: 825 },
];

/**
 * The number of days that a public certificate of this notBefore may be valid, where it is valid for longer; else null. Both
 * of its ends count (RFC 5280 §4.1.2.5), and any part of a day is a day.
 */
export function exceededLifetimeCap(certificate: { notBefore: number; notAfter: number }): number | null {
  const cap = CAPS.find(({ from }) => certificate.notBefore >= from);
  return cap !== undefined && validityDays(certificate) > cap.days ? cap.days : null;
}

/** Days of validity, begun ones counted whole. */
export function validityDays({ notBefore, notAfter }: { notBefore: number; notAfter: number }): number {
  return Math.ceil((notAfter - notBefore + 1_000) / DAY_MS);
}
