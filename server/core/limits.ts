import { DEFAULT_WORK_PER_CHECK } from '../pki/work-budget.ts';
import { DAY_MS } from '../../contract/durations.ts';

/**
 * Limits on the load that a stranger can cause. The operator can set each of them (`.env.example`). The message about a
 * reached limit names its setting, and `certlantern_limit_reached_total` counts it under that name.
 */
export const LIMITS = {
  /** Bytes of a request's path, without the query, because sign-in providers send long codes in the query. */
  pathBytes: { setting: 'LIMIT_PATH_BYTES', standard: 2_048, min: 512, max: 16_384 },
  /**
   * Pages, files and badges per minute for one IPv4 address or IPv6 /64. A first visit loads about forty files, and image
   * proxies load many badges.
   */
  pagesPerMinute: { setting: 'LIMIT_PAGES_PER_MINUTE', standard: 1_200, min: 60, max: 1_000_000 },
  /**
   * Open connections of one IPv4 address or IPv6 /64; through a trusted proxy, its requests that have not arrived completely. A browser
   * opens up to six connections.
   */
  connectionsPerAddress: {
    setting: 'LIMIT_CONNECTIONS_PER_ADDRESS',
    standard: 500,
    min: 20,
    max: 1_000_000,
  },
  /** Domains of an account whose mail address is not verified. */
  domainsBeforeProof: { setting: 'LIMIT_DOMAINS_BEFORE_PROOF', standard: 10, min: 1, max: 100_000 },
  /**
   * Manual checks of one domain per minute, while the mail address of its account is not verified. Ten times as many
   * changes that cause a check may be made in ten minutes.
   */
  checksBeforeProof: { setting: 'LIMIT_CHECKS_BEFORE_PROOF', standard: 1, min: 1, max: 60 },
  /** Different ports of one registrable domain per day, for one account; without an account, for one network. */
  portsPerHost: { setting: 'LIMIT_PORTS_PER_HOST', standard: 20, min: 1, max: 65_535 },
  /** Invitations to added recipients per hour, over all accounts. */
  invitationsPerHour: { setting: 'LIMIT_INVITATIONS_PER_HOUR', standard: 200, min: 1, max: 1_000_000 },
  /** Sign-ups from one IPv4 address or IPv6 /64, which a school or an office often shares. */
  signUpsPerHour: { setting: 'LIMIT_SIGN_UPS_PER_HOUR', standard: 20, min: 1, max: 1_000_000 },
  signUpsPerDay: { setting: 'LIMIT_SIGN_UPS_PER_DAY', standard: 60, min: 1, max: 1_000_000 },
  /** Sign-ups from one network: a /24 of IPv4, a /48 of IPv6. */
  networkSignUpsPerHour: {
    setting: 'LIMIT_NETWORK_SIGN_UPS_PER_HOUR',
    standard: 60,
    min: 1,
    max: 1_000_000,
  },
  networkSignUpsPerDay: {
    setting: 'LIMIT_NETWORK_SIGN_UPS_PER_DAY',
    standard: 200,
    min: 1,
    max: 1_000_000,
  },
  /** Searches of the list of domains, by text or tag, per minute for one account. */
  searchesPerMinute: { setting: 'LIMIT_SEARCHES_PER_MINUTE', standard: 240, min: 10, max: 1_000_000 },
  /**
   * Seconds per search on PostgreSQL. The time of a search grows with the length of the text times the length of the query.
   */
  searchSeconds: { setting: 'LIMIT_SEARCH_SECONDS', standard: 10, min: 1, max: 600 },
  /**
   * Certificates per domain whose DER is kept. Above the limit, certificates that are no longer presented lose their DER,
   * first those not seen for longest.
   */
  certificatesPerDomain: {
    setting: 'LIMIT_CERTIFICATES_PER_DOMAIN',
    standard: 200,
    min: 20,
    max: 100_000,
  },
  /** Renewed certificates that one domain may wait for at the same time. Each check of the domain reads them. */
  expectationsPerDomain: { setting: 'LIMIT_EXPECTATIONS_PER_DOMAIN', standard: 5, min: 1, max: 100 },
  /** Work that the certificates of one check may cause, in units of about 0.1 µs of a processor core. */
  workPerCheck: {
    setting: 'LIMIT_WORK_PER_CHECK',
    standard: DEFAULT_WORK_PER_CHECK,
    min: 100_000,
    max: 100_000_000,
  },
  /** Kilobytes of certificates and evidence that one check may store. */
  storedKbPerCheck: { setting: 'LIMIT_STORED_KB_PER_CHECK', standard: 256, min: 16, max: 100_000 },
  /**
   * Kilobytes of certificates and evidence that an account may store per day. Each of its domains raises the limit by a
   * tenth.
   */
  storedKbPerDay: { setting: 'LIMIT_STORED_KB_PER_DAY', standard: 1_000, min: 100, max: 1_000_000 },
  /**
   * Megabytes of answers to calls with an Idempotency-Key that are stored per account and day. Each answer is kept for a day.
   */
  keptAnswersMb: { setting: 'LIMIT_KEPT_ANSWERS_MB', standard: 100, min: 1, max: 100_000 },
} as const satisfies Record<string, Limit>;

interface Limit {
  setting: `LIMIT_${string}`;
  standard: number;
  /** Lowest value that the operator may set; `max` is the highest. */
  min: number;
  max: number;
}

export type LimitName = keyof typeof LIMITS;
export type Limits = Readonly<Record<LimitName, number>>;

const NAMES = Object.keys(LIMITS) as LimitName[];

/** Returns all limits, each with the value that `valueOf` returns for it. */
export function limitsFrom(valueOf: (limit: Limit) => number): Limits {
  return Object.fromEntries(NAMES.map((name) => [name, valueOf(LIMITS[name])])) as Limits;
}

/** The limits that apply if the operator sets none. */
export const STANDARD_LIMITS: Limits = limitsFrom(({ standard }) => standard);

/** Limits that no setting changes. */
export const FIXED_LIMITS = {
  /** Messages of feedback per account and hour, because each one becomes a mail to the operator. */
  feedbackPerHour: 10,
  /** Messages of feedback kept per account. Older ones are deleted. */
  feedbackKept: 200,
  /** Sessions per account. Without it, a person with the password could open as many as the rate limits allow. */
  sessionsPerAccount: 200,
  /** Minimum time for which the list shows expired tokens, so that the owner sees why a program fails. */
  expiredTokensShownMs: 30 * DAY_MS,
} as const;

/** Returns how many kilobytes an account with this many domains may store per day. */
export function dailyQuotaKb({ storedKbPerDay }: Limits, domains: number): number {
  return Math.floor(storedKbPerDay * (1 + domains / 10));
}
