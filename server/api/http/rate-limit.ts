import { hash, randomBytes } from 'node:crypto';
import type { LimitName, Limits } from '../../core/limits.ts';
import type { Store } from '../../store/db/open-store.ts';
import { consumeRateLimit, refundRateLimit } from '../../store/operations/rate-limits.ts';
import type { AppContext } from './app-env.ts';
import type { ClientAddress } from './client-address.ts';
import { type Refusal, refuseTooMany } from './problem.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import { count as countOf } from '../../../contract/words.ts';

export interface RateLimit {
  count: number;
  windowMs: number;
  /**
   * Name of the operator's setting that determines `count`, and a phrase for users that says what it counts. Absent if no setting
   * determines `count`, or if the caller writes the refusal itself.
   */
  set?: { by: LimitName; what: string };
}

/**
 * Maximum number of domains that one call counts in `recheckAllByAccount`. An account with more domains than that limit could
 * otherwise never make such a call.
 */
export const MAX_RECHECK_WEIGHT = 5_000;

/** Returns the limits that are counted in memory, per process. `countAll` counts limits that hold across processes. */
const callLimits = ({ pagesPerMinute, checksBeforeProof, searchesPerMinute }: Limits) => ({
  pagesByAddress: {
    count: pagesPerMinute,
    windowMs: MINUTE_MS,
    set: { by: 'pagesPerMinute', what: 'pages a minute' },
  } satisfies RateLimit,
  byAddress: { count: 1_200, windowMs: MINUTE_MS },
  bySession: { count: 600, windowMs: MINUTE_MS },
  byToken: { count: 600, windowMs: MINUTE_MS },
  /** Limit on searches. A search may read all texts of the account and, on PostgreSQL, occupies a connection of a small pool. */
  searchesByAccount: {
    count: searchesPerMinute,
    windowMs: MINUTE_MS,
    set: { by: 'searchesPerMinute', what: 'searches a minute' },
  } satisfies RateLimit,
  addByAccount: { count: 60, windowMs: MINUTE_MS },
  /**
   * Limit on lookups of hosts before they are added. Each sends DNS queries. The page sends a lookup when a person stops typing.
   */
  lookupByAccount: { count: 60, windowMs: MINUTE_MS },
  checkByAccount: { count: 60, windowMs: MINUTE_MS },
  checkByDomain: { count: 6, windowMs: MINUTE_MS },
  /** Limit on checks of a domain by hand, in addition to `checkByDomain`, for accounts whose address is not verified. */
  checkBeforeProof: { count: checksBeforeProof, windowMs: MINUTE_MS },
  /** Limit on changes that trigger checks, for accounts whose address is not verified. */
  recheckBeforeProof: { count: 10 * checksBeforeProof, windowMs: 10 * MINUTE_MS },
  /** Limit on bulk calls. To change 5,000 domains, a page makes 25 calls, each as soon as the previous one is answered. */
  bulkByAccount: { count: 60, windowMs: MINUTE_MS },
  importByAccount: { count: 120, windowMs: MINUTE_MS },
  /**
   * Limit on the domains, not the calls, in bulk calls that check or resume domains. Permits checking the largest selection of
   * the web app (10,000) twice.
   */
  bulkChecksByAccount: { count: 20_000, windowMs: 10 * MINUTE_MS },
  bulkCheckByDomain: { count: 1, windowMs: MINUTE_MS },
  /** Limit on imported lines, not on calls, because each line may trigger a check of a host. */
  importedByAccount: { count: 10_000, windowMs: 60 * MINUTE_MS },
  csvByAccount: { count: 30, windowMs: 10 * MINUTE_MS },
  exportByAccount: { count: 10, windowMs: 60 * MINUTE_MS },
  /** Limit on reports. Each reads certificates and renders a long text. */
  reportByAccount: { count: 120, windowMs: MINUTE_MS },
  /** Limit on changes of private authorities. Each may trigger a check of every domain of the account. */
  authoritiesByAccount: { count: 20, windowMs: 60 * MINUTE_MS },
  /** Limit on test messages, because each may go to another person's server. */
  sendByChannel: { count: 10, windowMs: 60 * MINUTE_MS },
  sendByAccount: { count: 30, windowMs: 60 * MINUTE_MS },
  /**
   * Limit on messages that are sent again. It is separate from the limit on test messages, because people send a test right
   * before they send a failed alert again.
   */
  replayByChannel: { count: 10, windowMs: 60 * MINUTE_MS },
  replayByAccount: { count: 30, windowMs: 60 * MINUTE_MS },
  /** Limit on calls with an idempotency key. Each new key is stored for a day, together with its answer. */
  keysByAccount: { count: 4_000, windowMs: 60 * MINUTE_MS },
  tokensByAccount: { count: 30, windowMs: 60 * MINUTE_MS },
  channelsByAccount: { count: 60, windowMs: 60 * MINUTE_MS },
  /**
   * Limit on previews of alerts and status pages, and on checks whether a page's address is free. A preview of alerts
   * reads every domain of the account, and a page requests one whenever its user edits alert steps.
   */
  previewByAccount: { count: 120, windowMs: MINUTE_MS },
  /** Limit on changes of alert settings and the status page, and on new maintenance windows and calendar links. */
  settingsByAccount: { count: 60, windowMs: 10 * MINUTE_MS },
  /**
   * Limit on domains, not on calls: changing alert settings or removing a maintenance window may trigger a check of every domain.
   * Permits 20 such calls for 5,000 domains.
   */
  recheckAllByAccount: { count: 20 * MAX_RECHECK_WEIGHT, windowMs: 60 * MINUTE_MS },
  /**
   * Limit on requests for a calendar. Each reads all active domains of the account. Calendar programs poll a few times a
   * day.
   */
  calendarByToken: { count: 60, windowMs: 10 * MINUTE_MS },
  /** Limit on requests for status pages. Each reads the database. */
  statusByAddress: { count: 300, windowMs: MINUTE_MS },
  /**
   * Limit on reads of an account's metrics. Each reads up to 10,000 domains, unless an answer of the last 10 seconds is cached.
   */
  metricsByAccount: { count: 60, windowMs: MINUTE_MS },
  /**
   * Limit on links to the payment portal. Each queries the payment provider, whose own limit counts the calls of all
   * accounts together.
   */
  billingByAccount: { count: 10, windowMs: MINUTE_MS },
});
export type CallLimitName = keyof ReturnType<typeof callLimits>;

/** Returns a 429 refusal that says how long to wait, in seconds, minutes or hours. */
export function refuseUntil({ count: max, set }: Omit<RateLimit, 'windowMs'>, retryAfterMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const minutes = Math.ceil(seconds / 60);
  const [number, unit] =
    seconds < 100
      ? [seconds, 'second']
      : minutes < 100
        ? [minutes, 'minute']
        : [Math.ceil(minutes / 60), 'hour'];
  const why = set === undefined ? 'Too many attempts' : `The limit of ${max} ${set.what} is reached`;
  return refuseTooMany(`${why}. Try again in ${countOf(number, unit)}.`, retryAfterMs, set?.by ?? null);
}

export interface CountedAttempt {
  /** Undoes the count of a successful attempt in all its limits, because it was no guess. */
  succeeded(): Promise<void>;
}

/**
 * Counts an attempt for each key in order. Stops at the first key whose limit is reached, and returns a refusal. The
 * counts are in the database, so they hold across processes.
 */
export async function countAll(
  store: Store,
  now: number,
  limits: (readonly [key: string, limit: RateLimit])[],
): Promise<CountedAttempt | Refusal> {
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

/**
 * Returns the limits on `what` for a client: first that of its network, then that of its prefix. In this order, an attempt that
 * the first limit refuses does not count for the whole prefix.
 */
export function byClient(
  what: string,
  client: ClientAddress,
  { prefix, address }: { prefix: RateLimit; address: RateLimit },
): [key: string, limit: RateLimit][] {
  return [
    [`${what}:address:${client.network}`, address],
    [`${what}:prefix:${client.prefix}`, prefix],
  ];
}

/** Creates rate limits that count calls in fixed windows, in memory. */
export function createCallLimits(clock: { monotonic(): number }, limits: Limits) {
  const limitsOf: Record<CallLimitName, RateLimit> = callLimits(limits);
  const windowsOf = new Map<string, ReturnType<typeof createWindows>>();

  function consume(name: CallLimitName, who: string, weight: number) {
    const now = clock.monotonic();
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
    /**
     * Counts a call and returns null, or returns a refusal without counting. `weight` is the number of domains or lines, for
     * limits that count these.
     */
    allow(name: CallLimitName, who: string, weight = 1): Refusal | null {
      return consume(name, who, weight).refusal;
    },
    /** Refunds one call that `allow` counted. */
    refund(name: CallLimitName, who: string): void {
      const window = windowsOf.get(name)?.of(who, clock.monotonic());
      if (window !== undefined && window.count > 0) window.count -= 1;
    },
    /**
     * Counts a call like `allow`, and reports the remaining calls in headers (draft-ietf-httpapi-ratelimit-headers-10).
     */
    allowWithHeaders(c: AppContext, name: keyof typeof HEADER_NAMES, who: string): Refusal | null {
      const { refusal, left, resetMs } = consume(name, who, 1);
      const { count, windowMs } = limitsOf[name];
      const policy = `"${HEADER_NAMES[name]}"`;
      c.header('RateLimit-Policy', `${policy};q=${count};w=${windowMs / 1000}`, { append: true });
      c.header('RateLimit', `${policy};r=${left};t=${Math.ceil(resetMs / 1000)}`, { append: true });
      return refusal;
    },
  };
}

/** Limits that the RateLimit headers report, with the policy name of each. */
const HEADER_NAMES = { byAddress: 'address', bySession: 'session', byToken: 'token' } as const;

interface Window {
  endsAt: number;
  count: number;
}

/**
 * Maximum number of windows per limit that belong to one caller each, about 20 MB of memory. Together with the shared windows of
 * two periods, a limit needs at most about 50 MB.
 */
const MAX_OWN_WINDOWS = 100_000;
/** Number of hexadecimal digits of the hash that selects one of 65,536 shared windows. */
const HEX_DIGITS = 4;

/**
 * Creates the windows of one limit in bounded memory. Never drops a window before it ends. Once the maximum is reached, new
 * callers share windows, selected by a hash with a random salt, so that nobody can choose whose window to exhaust.
 */
function createWindows(windowMs: number) {
  const salt = randomBytes(16).toString('hex');
  /**
   * Windows that began in the current and in the previous period. A period lasts at least `windowMs`, so all windows of the
   * previous period have ended when the next period begins.
   */
  let current = new Map<string, Window>();
  let previous = new Map<string, Window>();
  let periodStartedAt = -Infinity;

  return {
    /** Returns the window of `who` that has not ended, which may be a shared one. Starts a window if there is none. */
    of(who: string, now: number): Window {
      if (now >= periodStartedAt + windowMs) {
        previous = now < periodStartedAt + 2 * windowMs ? current : new Map();
        current = new Map();
        periodStartedAt = now;
      }
      const running = (key: string) => {
        const window = current.get(key) ?? previous.get(key);
        return window !== undefined && window.endsAt > now ? window : null;
      };
      const known = running(who);
      if (known !== null) return known;
      const hasRoom = current.size + previous.size < MAX_OWN_WINDOWS;
      const key = hasRoom ? who : `shared ${hash('sha256', salt + who).slice(0, HEX_DIGITS)}`;
      const shared = hasRoom ? null : running(key);
      if (shared !== null) return shared;
      const window = { endsAt: now + windowMs, count: 0 };
      current.set(key, window);
      return window;
    },
  };
}
