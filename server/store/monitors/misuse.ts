import type { Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import { getDomain } from 'tldts';
import { isSensitive, type Limits } from '../../core/index.ts';
import type { Store } from '../db/open-store.ts';
import { consumeRateLimit, type RateLimitAnswer, refundRateLimit } from '../operations/rate-limits.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';
import type { Protocol } from '../../../contract/words.ts';

const TEN_MINUTES_MS = 10 * MINUTE_MS;
/**
 * How often an unverified account may replace all its domains within a day. Each new domain causes a
 * first check of another host.
 */
const REPLACEMENTS_PER_DAY = 3;

/** Limits that keep strangers from misusing our checks, for instance as a port scanner. */
export interface MisuseRules {
  limits: Pick<Limits, 'domainsBeforeProof' | 'checksBeforeProof' | 'portsPerHost'>;
  /** False where the operator decides who signs up: every port may then be monitored. */
  guardsPorts: boolean;
}

/**
 * `email_not_verified`: without a verified address, the account has its maximum of domains (`domains`), asked for a
 * sensitive port (`port`), or added one endpoint (`again`) or domains in general (`added`) too often. `again`
 * applies the limit per minute over ten minutes, so that a host removed by mistake can be added again at once.
 */
export type Misuse =
  | { ok: false; code: 'email_not_verified'; needs: 'domains' | 'port' | 'again' | 'added' }
  | { ok: false; code: 'too_many_ports'; retryAfterMs: number };

/** Counts and judges an endpoint to be added; returns null if it may be. Call it while the account's row is locked. */
export async function findMisuse(
  trx: Transaction<Tables>,
  { limits, guardsPorts }: MisuseRules,
  adding: {
    accountId: string;
    emailVerified: boolean;
    /** Number of domains that the account has. */
    count: number;
    endpoint: { host: string; port: number; protocol: Protocol };
    now: number;
  },
): Promise<Misuse | null> {
  const { accountId, emailVerified, count, endpoint, now } = adding;
  const { host, port } = endpoint;
  if (!emailVerified) {
    if (count >= limits.domainsBeforeProof) return notVerified('domains');
    if (guardsPorts && isSensitive(endpoint)) return notVerified('port');
    const key = `add:${hashed(`${accountId} ${host} ${port}`)}`;
    const limit = 10 * limits.checksBeforeProof;
    const added = await consumeRateLimit({ db: trx }, { key, limit, windowMs: TEN_MINUTES_MS, now });
    if (!added.allowed) return notVerified('again');
    const allEndpoints = await consumeRateLimit(
      { db: trx },
      {
        key: `add:${hashed(accountId)}`,
        limit: REPLACEMENTS_PER_DAY * limits.domainsBeforeProof,
        windowMs: DAY_MS,
        now,
      },
    );
    if (!allEndpoints.allowed) return notVerified('added');
  }
  if (!guardsPorts) return null;
  const tried = await countProbedPort(trx, { who: accountId, host, port, most: limits.portsPerHost, now });
  return tried.allowed ? null : { ok: false, code: 'too_many_ports', retryAfterMs: tried.retryAfterMs };
}

const notVerified = (needs: 'domains' | 'port' | 'again' | 'added'): Misuse => ({
  ok: false,
  code: 'email_not_verified',
  needs,
});

/**
 * Counts a port that `who` (an account or a network) wants probed. Refuses more than `most` different ports per
 * registrable domain and day: owners of a domain, and users of wildcard DNS, can point any number of names at one
 * host. Removing a domain refunds nothing; a port counted before costs nothing. The counter stays locked until the
 * transaction ends, so that parallel calls cannot exceed the limit.
 */
export async function countProbedPort(
  trx: Transaction<Tables>,
  { who, host, port, most, now }: { who: string; host: string; port: number; most: number; now: number },
): Promise<RateLimitAnswer> {
  const ofHost = `ports:${hashed(`${who} ${getDomain(host) ?? host}`)}`;
  const ofPort = `${ofHost}:${port}`;
  const store: Pick<Store, 'db'> = { db: trx };
  const counted = await consumeRateLimit(store, { key: ofHost, limit: most, windowMs: DAY_MS, now });
  const isNew = (await consumeRateLimit(store, { key: ofPort, limit: 1, windowMs: DAY_MS, now })).allowed;
  if (isNew && counted.allowed) return counted;
  await refundRateLimit(store, { key: ofHost });
  if (isNew) await refundRateLimit(store, { key: ofPort });
  return isNew ? counted : { allowed: true };
}

/** Hashes a host name, because the row may outlive its domain and its account by a day. */
const hashed = (text: string) => createHash('sha256').update(text).digest('base64url');
