import type { AddressWire } from '../../../../contract/domain-report.ts';
import { longDate, plural } from '../../../lib/format.ts';

export interface JudgedAddress {
  seen: AddressWire;
  /** How the address differs from most others; null if it does not. */
  mark: 'Another certificate' | 'Old certificate' | 'Failed' | 'Not checked' | null;
}

export interface AddressVerdict {
  line: string;
  /** True if an address differs so much that the table of addresses should be open. */
  needsLook: boolean;
  addresses: JudgedAddress[];
}

/**
 * Returns one sentence about all addresses of a host, and a mark for each address that stands out. If two certificates are
 * served, the one that expires later counts as the new one.
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
    if (seen.fingerprint === null) return { seen, mark: seen.is_ours ? 'Not checked' : 'Failed' };
    return { seen, mark: isSplit && seen.fingerprint !== newest?.fingerprint ? differing : null };
  });
  return {
    line: lineOf(judged, counts.size, isOnlyAge),
    needsLook: judged.some(({ mark }) => mark !== null && mark !== 'Not checked'),
    addresses: judged,
  };
}

function lineOf(judged: readonly JudgedAddress[], certificates: number, isOnlyAge: boolean): string {
  const marked = (...marks: JudgedAddress['mark'][]) =>
    judged.filter(({ mark }) => marks.includes(mark)).length;
  const total = judged.length;
  const failed = marked('Failed');
  const skipped = marked('Not checked');
  const odd = marked('Old certificate', 'Another certificate');
  const unread = failed > 0 ? `; ${failed} failed` : '';
  const versions = judged.filter(({ mark }) => mark === 'Not checked').map(({ seen }) => `IPv${seen.family}`);
  const missing = [...new Set(versions)].join(' and no ');
  const left =
    skipped > 0
      ? `; ${skipped} ${plural(skipped, 'was', 'were')} not checked, because our server has no ${missing}`
      : '';
  const rest = `${unread}${left}`;
  if (total === 0) return 'No addresses known';
  if (failed === total)
    return total === 1
      ? 'The check of the only address failed'
      : `The checks of all ${total} addresses failed`;
  if (skipped === total && total === 1)
    return `The only address was not checked: our server has no ${missing}`;
  if (failed + skipped === total) return `None of ${total} addresses answered${rest}`;
  if (odd > 0)
    return isOnlyAge
      ? `${odd} of ${total} addresses still ${plural(odd, 'serves', 'serve')} the old certificate${rest}`
      : `${total} addresses serve ${certificates} different certificates${rest}`;
  if (total === 1) return 'One address';
  const fine = total - failed - skipped;
  if (rest !== '')
    return `${fine} of ${total} addresses ${plural(fine, 'serves', 'serve')} the certificate${rest}`;
  return total === 2
    ? 'Both addresses serve the same certificate'
    : `All ${total} addresses serve the same certificate`;
}

const expiry = ({ expiry_date: date }: AddressWire): number => (date === null ? 0 : Date.parse(date));

/** Returns 'TLS 1.3' for 'TLSv1.3'. */
export function tlsName(version: string): string {
  return version === 'TLSv1' ? 'TLS 1.0' : version.replace('TLSv', 'TLS ');
}

/** Says how many addresses still serve the shown certificate although others serve a newer one. Null if no newer one is served. */
export function oldCertificateLine(
  fingerprint: string | null,
  addresses: readonly AddressWire[],
): string | null {
  const shown = addresses.filter((seen) => fingerprint !== null && seen.fingerprint === fingerprint);
  const [first] = shown;
  if (!first) return null;
  const newer = addresses.filter((seen) => seen.fingerprint !== null && expiry(seen) > expiry(first));
  const [newest] = newer.toSorted((one, other) => expiry(other) - expiry(one));
  if (!newest?.expiry_date) return null;
  const stale = `${shown.length} of ${addresses.length} addresses still ${plural(shown.length, 'serves', 'serve')} this certificate`;
  const others = newer.length === 1 ? 'another serves' : `${newer.length} others serve`;
  return `${stale}; ${others} a newer one, valid until ${longDate(newest.expiry_date)}`;
}
