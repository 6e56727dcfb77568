import type { Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import { getDomain } from 'tldts';
import type { Limits } from '../../core/limits.ts';
import { isSensitive } from '../../core/protocol.ts';
import { type CheckedEndpoint, effectiveTarget } from '../../core/target.ts';
import type { Store } from '../db/open-store.ts';
import { consumeRateLimit, type RateLimitAnswer, refundRateLimit } from '../operations/rate-limits.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';

const TEN_MINUTES_MS = 10 * MINUTE_MS;
/**
 * Number of times per day that an unverified account may replace all its domains. It is limited because each new domain causes a
 * first check of another host.
 */
export const REPLACEMENTS_PER_DAY = 3;

/** Limits that keep strangers from misusing checks, for instance as a port scanner. */
export interface MisuseRules {
  limits: Pick<Limits, 'domainsBeforeProof' | 'checksBeforeProof' | 'portsPerHost'>;
  /**
   * Whether sensitive ports need a verified address. False if the operator controls sign-ups: then everybody may monitor every
   * port.
   */
  guardsPorts: boolean;
}

/** Reason for refusing an endpoint. */
export type Misuse =
  /**
   * The account has no verified address, and already has its maximum number of domains (`domains`), wants to monitor a sensitive
   * port (`port`), or has added one endpoint (`again`) or any endpoints (`added`) too often.
   */
  | { ok: false; code: 'email_not_verified'; needs: 'domains' | 'port' | 'again' | 'added' }
  | { ok: false; code: 'too_many_ports'; retryAfterMs: number };

/**
 * Applies the rules to an endpoint that is about to be added, and counts it. Returns null if it may be added. Call it while the
 * account's row is locked.
 */
export async function applyMisuseRules(
  trx: Transaction<Tables>,
  { limits, guardsPorts }: MisuseRules,
  adding: {
    accountId: string;
    emailVerified: boolean;
    /** Number of domains that the account has. */
    count: number;
    endpoint: CheckedEndpoint;
    now: number;
  },
): Promise<Misuse | null> {
  const { accountId, emailVerified, count, endpoint, now } = adding;
  // Limits apply to the host and port that we connect to.
  const { host, port } = effectiveTarget(endpoint).connectTo;
  if (!emailVerified) {
    if (count >= limits.domainsBeforeProof) return notVerified('domains');
    if (guardsPorts && isSensitive({ port, protocol: endpoint.protocol })) return notVerified('port');
    // The limit is per minute. Count over ten minutes, up to ten times as many, so that a host removed by mistake can be added again at once.
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
  const tried = await countProbedPort(trx, { who: accountId, host, port, max: limits.portsPerHost, now });
  return tried.allowed ? null : { ok: false, code: 'too_many_ports', retryAfterMs: tried.retryAfterMs };
}

const notVerified = (needs: 'domains' | 'port' | 'again' | 'added'): Misuse => ({
  ok: false,
  code: 'email_not_verified',
  needs,
});

/**
 * Counts a port that `who` (an account or a network) wants probed. Refuses more than `max` different ports per registrable domain
 * and day. A port that was already counted is free. Removing a domain refunds nothing.
 */
export async function countProbedPort(
  trx: Transaction<Tables>,
  { who, host, port, max, now }: { who: string; host: string; port: number; max: number; now: number },
): Promise<RateLimitAnswer> {
  // Count per registrable domain, because owners of a domain and users of wildcard DNS can point any number of names at one host.
  const ofHost = `ports:${hashed(`${who} ${getDomain(host) ?? host}`)}`;
  const ofPort = `${ofHost}:${port}`;
  const store: Pick<Store, 'db'> = { db: trx };
  // The counter stays locked until the transaction ends, so that parallel calls cannot exceed the limit.
  const counted = await consumeRateLimit(store, { key: ofHost, limit: max, windowMs: DAY_MS, now });
  const isNew = (await consumeRateLimit(store, { key: ofPort, limit: 1, windowMs: DAY_MS, now })).allowed;
  if (isNew && counted.allowed) return counted;
  await refundRateLimit(store, { key: ofHost });
  if (isNew) await refundRateLimit(store, { key: ofPort });
  return isNew ? counted : { allowed: true };
}

/** Returns the hosts whose port 80 the account may have probed, and counts the port. `max`: as in `countProbedPort`. */
export async function countHttpPorts(
  { db }: Pick<Store, 'db'>,
  { accountId, hosts, max, now }: { accountId: string; hosts: readonly string[]; max: number; now: number },
): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    const permitted: string[] = [];
    // In a fixed order, so that two transactions cannot deadlock.
    for (const host of hosts.toSorted()) {
      const { allowed } = await countProbedPort(trx, { who: accountId, host, port: 80, max, now });
      if (allowed) permitted.push(host);
    }
    return permitted;
  });
}

/** Hashes a text that contains a host name or account id: the row with this key may outlive the domain and account by a day. */
const hashed = (text: string) => createHash('sha256').update(text).digest('base64url');
