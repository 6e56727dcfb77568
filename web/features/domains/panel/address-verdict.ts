import type { AddressWire } from '../../../../contract/domain-report.ts';
import { longDate } from '../../../lib/dates.ts';

export interface JudgedAddress {
  seen: AddressWire;
  /** How it differs from most, in a word or two; null where it does not. */
  mark: 'Another certificate' | 'Old certificate' | 'Failed' | 'Not looked at' | null;
}

export interface AddressVerdict {
  line: string;
  /** Somebody should look at the table. */
  needsLook: boolean;
  addresses: JudgedAddress[];
}

/**
 * One sentence on all addresses of a host, and which of them stand out. Where two certificates are served, the one that
 * expires later is the new one.
 */
export function addressVerdict(addresses: readonly AddressWire[]): AddressVerdict {
  const answered = addresses.filter(({ fingerprint }) => fingerprint !== null);
  const counts = new Map<string, number>();
  for (const { fingerprint } of answered)
    if (fingerprint !== null) counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + 1);
  const newest = answered.reduce<AddressWire | null>(
    (best, seen) => (best === null || expiry(seen) > expiry(best) ? seen : best),
    null,
  );
  const isSplit = counts.size > 1;
  const isOnlyAge = counts.size === 2 && new Set(answered.map(expiry)).size === 2;
  const differing = isOnlyAge ? 'Old certificate' : 'Another certificate';
  const judged = addresses.map((seen): JudgedAddress => {
    if (seen.fingerprint === null) return { seen, mark: seen.is_ours ? 'Not looked at' : 'Failed' };
    return { seen, mark: isSplit && seen.fingerprint !== newest?.fingerprint ? differing : null };
  });
  return {
    line: lineOf(judged, counts.size, isOnlyAge),
    needsLook: judged.some(({ mark }) => mark !== null && mark !== 'Not looked at'),
    addresses: judged,
  };
}

function lineOf(judged: readonly JudgedAddress[], certificates: number, isOnlyAge: boolean): string {
  const marked = (...marks: JudgedAddress['mark'][]) =>
    judged.filter(({ mark }) => marks.includes(mark)).length;
  const total = judged.length;
  const failed = marked('Failed');
  const skipped = marked('Not looked at');
  const odd = marked('Old certificate', 'Another certificate');
  const rest = `${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} not looked at from here` : ''}`;
  if (total === 0) return 'No address is known';
  if (failed === total) return total === 1 ? 'The only address failed' : `All ${total} addresses failed`;
  if (skipped === total && total === 1) return 'The only address was not looked at from here';
  if (failed + skipped === total) return `None of ${total} addresses answered${rest}`;
  if (odd > 0)
    return isOnlyAge
      ? `${odd} of ${total} addresses still ${odd === 1 ? 'serves' : 'serve'} the old certificate${rest}`
      : `${total} addresses show ${certificates} certificates${rest}`;
  if (total === 1) return 'There is one address';
  const fine = total - failed - skipped;
  if (rest !== '')
    return `${fine} of ${total} addresses ${fine === 1 ? 'shows' : 'show'} the certificate${rest}`;
  return total === 2
    ? 'Both addresses show the same certificate'
    : `All ${total} addresses show the same certificate`;
}

const expiry = ({ expiry_date: date }: AddressWire): number => (date === null ? 0 : Date.parse(date));

/** 'TLS 1.3' for 'TLSv1.3'. */
export function tlsName(version: string): string {
  return version === 'TLSv1' ? 'TLS 1.0' : version.replace('TLSv', 'TLS ');
}

/** Where a newer certificate is served too: by how many addresses the one that is shown still is. Null where it is the newest. */
export function servedStillLine(
  fingerprint: string | null,
  addresses: readonly AddressWire[],
): string | null {
  const shown = addresses.filter((seen) => fingerprint !== null && seen.fingerprint === fingerprint);
  const [first] = shown;
  if (!first) return null;
  const newer = addresses.filter((seen) => seen.fingerprint !== null && expiry(seen) > expiry(first));
  const [newest] = newer.toSorted((one, other) => expiry(other) - expiry(one));
  if (!newest?.expiry_date) return null;
  const count = newer.length === 1 ? 'another serves' : `${newer.length} serve`;
  return `Still served by ${shown.length} of ${addresses.length} addresses; ${count} one valid until ${longDate(newest.expiry_date)}`;
}
