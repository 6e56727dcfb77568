import type { Transaction } from 'kysely';
import type { CertificateFacts } from '../../core/facts.ts';
import { dailyQuotaKb, type Limits } from '../../core/limits.ts';
import type { SeenCertificate } from './certificates.ts';
import type { Evidence } from './evidence.ts';
import { countMonitors } from '../monitors/monitors.ts';
import { consumeRateLimit, readRateLimit } from '../operations/rate-limits.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const KB = 1_000;
/** Bytes that a certificate takes in rows and index entries, without its DER and facts. */
const ROW_BYTES = 400;

/** Returns the key in `rate_limits` under which the account's stored kilobytes are counted. */
export const storageQuotaKey = (accountId: string): string => `stored:${accountId}`;

/** Returns how many bytes of certificates, evidence and verdicts the account may still store in its current day-long window. */
export async function remainingBytes(
  trx: Transaction<Tables>,
  { accountId, limits, now }: { accountId: string; limits: Limits; now: number },
): Promise<number> {
  const { count } = await readRateLimit(trx, { key: storageQuotaKey(accountId), windowMs: DAY_MS, now });
  return (dailyQuotaKb(limits, await countMonitors(trx, accountId)) - count) * KB;
}

/**
 * Adds stored bytes to the account's total of the day. Call it at the end of the transaction: it locks a row that other checks of
 * the account then wait for.
 */
export async function countStoredBytes(
  trx: Transaction<Tables>,
  { accountId, bytes, now }: { accountId: string; bytes: number; now: number },
): Promise<void> {
  const use = {
    key: storageQuotaKey(accountId),
    limit: Infinity,
    windowMs: DAY_MS,
    now,
    weight: Math.ceil(bytes / KB),
  };
  await consumeRateLimit({ db: trx }, use);
}

/**
 * Returns the certificates in this order: leaves, the rest of the chains, all others. Certificates that fit into `spare` bytes
 * are complete; the others are shortened and have no DER. `areAll` is true if all are complete.
 */
export function shortenToFit(
  seen: readonly SeenCertificate[],
  { roles }: Pick<Evidence, 'roles'>,
  spare: number,
): { certificates: SeenCertificate[]; bytes: number; areAll: boolean } {
  const order = ['leaf', 'chain', 'beside'];
  const rank = ({ fingerprint }: SeenCertificate): number =>
    order.indexOf(roles.get(fingerprint) ?? 'beside');
  let bytes = 0;
  let areAll = true;
  const certificates = seen
    .toSorted((one, other) => rank(one) - rank(other))
    .map((certificate) => {
      const whole = sizeOf(certificate);
      const fits = bytes + whole <= spare;
      const stored = fits ? certificate : shortenedCertificate(certificate);
      bytes += fits ? whole : sizeOf(stored);
      areAll &&= fits;
      return stored;
    });
  return { certificates, bytes, areAll };
}

const sizeOf = ({ der, facts }: SeenCertificate): number =>
  (der?.byteLength ?? 0) + (facts === null ? 0 : Buffer.byteLength(JSON.stringify(facts))) + ROW_BYTES;

const MAX_TEXT = 200;
const MAX_NAMES = 20;

/** Returns the certificate without DER, with texts of at most 200 characters and at most 20 names. */
export function shortenedCertificate({ fingerprint, facts }: SeenCertificate): SeenCertificate {
  return { fingerprint, der: null, facts: facts && briefFacts(facts) };
}

function briefFacts(facts: CertificateFacts): CertificateFacts {
  const cut = (text: string): string => text.slice(0, MAX_TEXT);
  const { authorityUrl } = facts;
  return {
    ...facts,
    serialNumber: cut(facts.serialNumber),
    issuer: cut(facts.issuer),
    subject: cut(facts.subject),
    authorityName: cut(facts.authorityName),
    authorityFullDn: cut(facts.authorityFullDn),
    authorityUrl: authorityUrl !== null && authorityUrl.length > MAX_TEXT ? null : authorityUrl,
    sans: facts.sans.slice(0, MAX_NAMES).map(cut),
  };
}
