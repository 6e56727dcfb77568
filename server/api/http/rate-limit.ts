import { hash, randomBytes } from 'node:crypto';
import type { LimitName, Limits } from '../../core/index.ts';
import type { Store } from '../../store/db/open-store.ts';
import { consumeRateLimit, refundRateLimit } from '../../store/operations/rate-limits.ts';
import type { AppContext } from './app-env.ts';
import type { ClientAddress } from './client-address.ts';
import { refuseForNow, type Refusal } from './problem.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

export interface Limit {
  count: number;
  windowMs: number;
  /** Set where the operator can set `count`: the limit's name, and what it counts, in words for whoever reaches it. */
  set?: { by: LimitName; what: string };
}

/** Domains that one call counts for at most: whoever has more may call as well. */
export const MOST_WEIGHED = 5_000;

/** Only to keep one caller from crowding out the others: counted in memory, per process. */
const callLimits = ({ pagesPerMinute, checksBeforeProof, searchesPerMinute }: Limits) => ({
  pagesByAddress: {
    count: pagesPerMinute,
    windowMs: MINUTE_MS,
    set: { by: 'pagesPerMinute', what: 'pages a minute' },
  } satisfies Limit,
  byAddress: { count: 1_200, windowMs: MINUTE_MS },
  bySession: { count: 600, windowMs: MINUTE_MS },
  byToken: { count: 600, windowMs: MINUTE_MS },
  /** Each search reads all texts of the account, and on PostgreSQL holds a connection meanwhile. */
  searchesByAccount: {
    count: searchesPerMinute,
    windowMs: MINUTE_MS,
    set: { by: 'searchesPerMinute', what: 'searches a minute' },
  } satisfies Limit,
  addByAccount: { count: 60, windowMs: MINUTE_MS },
  checkByAccount: { count: 60, windowMs: MINUTE_MS },
  checkByDomain: { count: 6, windowMs: MINUTE_MS },
  /** Beside it, for accounts whose address is not verified. */
  checkBeforeProof: { count: checksBeforeProof, windowMs: MINUTE_MS },
  /** Changes after which domains are checked anew, for the same accounts. */
  recheckBeforeProof: { count: 10 * checksBeforeProof, windowMs: 10 * MINUTE_MS },
  /** Calls for many domains: 5,000 of them are 25 or 50 calls, which a page makes as fast as they are answered. */
  bulkByAccount: { count: 60, windowMs: MINUTE_MS },
  importByAccount: { count: 120, windowMs: MINUTE_MS },
  /** Domains, not calls: what one selection holds may be checked twice before a script has to wait. */
  bulkChecksByAccount: { count: 20_000, windowMs: 10 * MINUTE_MS },
  bulkCheckByDomain: { count: 1, windowMs: MINUTE_MS },
  /** Lines, not calls: each may lead to a look at a host. */
  importedByAccount: { count: 10_000, windowMs: 60 * MINUTE_MS },
  csvByAccount: { count: 30, windowMs: 10 * MINUTE_MS },
  exportByAccount: { count: 10, windowMs: 60 * MINUTE_MS },
  /** Reads certificates, and writes a long text. */
  reportByAccount: { count: 120, windowMs: MINUTE_MS },
  /** Each change is followed by a check of every domain of the account. */
  authoritiesByAccount: { count: 20, windowMs: 60 * MINUTE_MS },
  /** Test messages: each may go to somebody else's server. */
  sendByChannel: { count: 10, windowMs: 60 * MINUTE_MS },
  sendByAccount: { count: 30, windowMs: 60 * MINUTE_MS },
  /** Messages that are sent once more; apart from tests, which are made right before an alert that failed is sent again. */
  replayByChannel: { count: 10, windowMs: 60 * MINUTE_MS },
  replayByAccount: { count: 30, windowMs: 60 * MINUTE_MS },
  /** Each is remembered for a day, with what was answered. */
  keysByAccount: { count: 4_000, windowMs: 60 * MINUTE_MS },
  tokensByAccount: { count: 30, windowMs: 60 * MINUTE_MS },
  channelsByAccount: { count: 60, windowMs: 60 * MINUTE_MS },
  /** Reads every domain of the account; a page asks while its owner changes steps. */
  previewByAccount: { count: 120, windowMs: MINUTE_MS },
  alertSettingsByAccount: { count: 60, windowMs: 10 * MINUTE_MS },
  /** Domains, not calls: what changes what is told is followed by a check of every domain; of 5,000 twenty times. */
  toldAnewByAccount: { count: 20 * MOST_WEIGHED, windowMs: 60 * MINUTE_MS },
  /** Reads every domain of the account; calendars ask a few times a day. */
  calendarByToken: { count: 60, windowMs: 10 * MINUTE_MS },
  /** Status pages, which read the database. */
  statusByAddress: { count: 300, windowMs: MINUTE_MS },
  /** Reads every domain of the account, or an answer of some seconds ago. */
  metricsByAccount: { count: 60, windowMs: MINUTE_MS },
  /** Each one asks the payment provider, which counts what all of us ask together. */
  billingByAccount: { count: 10, windowMs: MINUTE_MS },
});
type CallLimitName = keyof ReturnType<typeof callLimits>;

/** Refuses until the window of `limit` ends, and says when that is in the unit that people count such a time in. */
export function refuseUntil({ count: most, set }: Omit<Limit, 'windowMs'>, retryAfterMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const minutes = Math.ceil(seconds / 60);
  const [count, unit] =
    seconds < 100
      ? [seconds, 'second']
      : minutes < 100
        ? [minutes, 'minute']
        : [Math.ceil(minutes / 60), 'hour'];
  const why = set === undefined ? 'Too many attempts' : `The limit of ${most} ${set.what} is reached`;
  return refuseForNow(
    `${why}. Try again in ${count} ${unit}${count === 1 ? '' : 's'}.`,
    retryAfterMs,
    set?.by ?? null,
  );
}

export interface Attempt {
  /** Gives the attempt back: it succeeded, so it was no guess. */
  succeeded(): Promise<void>;
}

/** Counts in the database, so that every process and restart knows it: once for each key, until one is used up. */
export async function countAll(
  store: Store,
  now: number,
  limits: (readonly [key: string, limit: Limit])[],
): Promise<Attempt | Refusal> {
  for (const [key, limit] of limits) {
    const { count, windowMs } = limit;
    const consumed = await consumeRateLimit(store, { key, limit: count, windowMs, now });
    if (!consumed.allowed) return refuseUntil(limit, consumed.retryAfterMs);
  }
  return {
    async succeeded() {
      for (const [key] of limits) await refundRateLimit(store, { key });
    },
  };
}

/** Counts the caller's network before its neighbourhood, so that calls refused to one network use up nothing of its neighbours. */
export function byClient(
  what: string,
  client: ClientAddress,
  { prefix, address }: { prefix: Limit; address: Limit },
): [key: string, limit: Limit][] {
  return [
    [`${what}:address:${client.network}`, address],
    [`${what}:prefix:${client.prefix}`, prefix],
  ];
}

/** Counts in fixed windows in memory. `allow` returns null, or the refusal. */
export function createCallLimits(clock: { now(): number }, limits: Limits) {
  const limitsOf: Record<CallLimitName, Limit> = callLimits(limits);
  const windowsOf = new Map<string, ReturnType<typeof createWindows>>();

  function take(name: CallLimitName, who: string, weight: number) {
    const now = clock.now();
    const { count, windowMs } = limitsOf[name];
    const windows = windowsOf.get(name) ?? createWindows(windowMs);
    windowsOf.set(name, windows);
    const window = windows.of(who, now);
    const allowed = window.count + weight <= count;
    if (allowed) window.count += weight;
    const resetMs = window.endsAt - now;
    return {
      refusal: allowed ? null : refuseUntil(limitsOf[name], resetMs),
      left: count - window.count,
      resetMs,
    };
  }

  return {
    /** `weight`: for limits that count something else than calls. What is refused does not count. */
    allow(name: CallLimitName, who: string, weight = 1): Refusal | null {
      return take(name, who, weight).refusal;
    },
    /** Takes one back that `allow` counted. */
    refund(name: CallLimitName, who: string): void {
      const window = windowsOf.get(name)?.of(who, clock.now());
      if (window !== undefined && window.count > 0) window.count -= 1;
    },
    /** As `allow`, and the answer says what is left (draft-ietf-httpapi-ratelimit-headers-10). */
    allowInTheOpen(c: AppContext, name: keyof typeof TOLD_AS, who: string): Refusal | null {
      const { refusal, left, resetMs } = take(name, who, 1);
      const { count, windowMs } = limitsOf[name];
      const policy = `"${TOLD_AS[name]}"`;
      c.header('RateLimit-Policy', `${policy};q=${count};w=${windowMs / 1000}`, { append: true });
      c.header('RateLimit', `${policy};r=${left};t=${Math.ceil(resetMs / 1000)}`, { append: true });
      return refusal;
    },
  };
}

/** What the limits of every call are called in headers. */
const TOLD_AS = { byAddress: 'address', bySession: 'session', byToken: 'token' } as const;

interface Window {
  endsAt: number;
  count: number;
}

/** Windows of one limit that belong to one caller each: about 20 MB, and with those of the period before and shared ones 50 MB. */
const MOST_OWN_WINDOWS = 100_000;
/** Hexadecimal digits of a hash, which choose one of 65,536 shared windows. */
const HEX_DIGITS = 4;

/**
 * Keeps the windows of one limit in bounded memory, and never clears one before it ends. While all windows are taken, newcomers share
 * further ones, chosen by a hash with a salt of this process: nobody can aim at the window of somebody else.
 */
function createWindows(windowMs: number) {
  const salt = randomBytes(16).toString('hex');
  /** Windows that began in this period and in the one before. The older ones have ended when the next period begins. */
  let young = new Map<string, Window>();
  let old = new Map<string, Window>();
  let turnedAt = -Infinity;

  return {
    /** Returns the window of `who` that runs at `now`. */
    of(who: string, now: number): Window {
      if (now >= turnedAt + windowMs) {
        old = now < turnedAt + 2 * windowMs ? young : new Map();
        young = new Map();
        turnedAt = now;
      }
      const running = (key: string) => {
        const window = young.get(key) ?? old.get(key);
        return window !== undefined && window.endsAt > now ? window : null;
      };
      const known = running(who);
      if (known !== null) return known;
      const hasRoom = young.size + old.size < MOST_OWN_WINDOWS;
      const key = hasRoom ? who : `shared ${hash('sha256', salt + who).slice(0, HEX_DIGITS)}`;
      const shared = hasRoom ? null : running(key);
      if (shared !== null) return shared;
      const window = { endsAt: now + windowMs, count: 0 };
      young.set(key, window);
      return window;
    },
  };
}
