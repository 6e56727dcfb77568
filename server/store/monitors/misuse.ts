import type { Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import { getDomain } from 'tldts';
import { isSensitive, type Limits, type Protocol } from '../../core/index.ts';
import type { Store } from '../db/open-store.ts';
import { consumeRateLimit, type RateLimitAnswer, refundRateLimit } from '../operations/rate-limits.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const TEN_MINUTES_MS = 600_000;
/** How often the domains of an account without proof may change places within a day, each time with a first check of another host. */
const ADDED_A_DAY = 3;

/** What keeps strangers from making our checks a tool of theirs. */
export interface MisuseRules {
  limits: Pick<Limits, 'domainsBeforeProof' | 'checksBeforeProof' | 'portsPerHost'>;
  /** False where the operator chooses who signs up: then every port may be watched. */
  guardsPorts: boolean;
}

/**
 * `email_not_verified`: the account has as many domains as it may have without proof, the port belongs to databases, caches or
 * administration, or the same endpoint was added again and again, and checked each time. Somebody who removes a host by mistake may
 * add it at once: so the checks that an account has by the minute are counted over ten minutes here.
 */
export type Misuse =
  | { ok: false; code: 'email_not_verified'; needs: 'domains' | 'port' | 'again' | 'added' }
  | { ok: false; code: 'too_many_ports'; retryAfterMs: number };

/** Judges an endpoint that is to be added, and counts it. Call it while the account's row is locked; null: it may be added. */
export async function findMisuse(
  trx: Transaction<Tables>,
  { limits, guardsPorts }: MisuseRules,
  adding: {
    accountId: string;
    emailVerified: boolean;
    /** Domains that the account has. */
    count: number;
    endpoint: { host: string; port: number; protocol: Protocol };
    now: number;
  },
): Promise<Misuse | null> {
  const { accountId, emailVerified, count, endpoint, now } = adding;
  const { host, port } = endpoint;
  if (!emailVerified) {
    if (count >= limits.domainsBeforeProof) return unproven('domains');
    if (guardsPorts && isSensitive(endpoint)) return unproven('port');
    const key = `add:${nameless(`${accountId} ${host} ${port}`)}`;
    const limit = 10 * limits.checksBeforeProof;
    const added = await consumeRateLimit({ db: trx }, { key, limit, windowMs: TEN_MINUTES_MS, now });
    if (!added.allowed) return unproven('again');
    const everything = await consumeRateLimit(
      { db: trx },
      {
        key: `add:${nameless(accountId)}`,
        limit: ADDED_A_DAY * limits.domainsBeforeProof,
        windowMs: DAY_MS,
        now,
      },
    );
    if (!everything.allowed) return unproven('added');
  }
  if (!guardsPorts) return null;
  const tried = await countPort(trx, { who: accountId, host, port, most: limits.portsPerHost, now });
  return tried.allowed ? null : { ok: false, code: 'too_many_ports', retryAfterMs: tried.retryAfterMs };
}

const unproven = (needs: 'domains' | 'port' | 'again' | 'added'): Misuse => ({
  ok: false,
  code: 'email_not_verified',
  needs,
});

/**
 * Counts a port that `who` (an account or a network) wants looked at, and refuses one beyond `most` different ports of a registrable
 * domain within a day: whoever owns a domain, or uses one that answers for any name, can point any number of names at one host.
 * Removing a domain gives none back; a port that was counted before costs nothing. The counter stays locked for the rest of the
 * transaction, so that parallel calls cannot pass together.
 */
export async function countPort(
  trx: Transaction<Tables>,
  { who, host, port, most, now }: { who: string; host: string; port: number; most: number; now: number },
): Promise<RateLimitAnswer> {
  const ofHost = `ports:${nameless(`${who} ${getDomain(host) ?? host}`)}`;
  const ofPort = `${ofHost}:${port}`;
  const store: Pick<Store, 'db'> = { db: trx };
  const counted = await consumeRateLimit(store, { key: ofHost, limit: most, windowMs: DAY_MS, now });
  const isNew = (await consumeRateLimit(store, { key: ofPort, limit: 1, windowMs: DAY_MS, now })).allowed;
  if (isNew && counted.allowed) return counted;
  await refundRateLimit(store, { key: ofHost });
  if (isNew) await refundRateLimit(store, { key: ofPort });
  return isNew ? counted : { allowed: true };
}

/** Hashes a host's name, because the row may outlive its domain and its account by a day. */
const nameless = (text: string) => createHash('sha256').update(text).digest('base64url');
