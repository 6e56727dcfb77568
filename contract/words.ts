/**
 * Vocabulary and limits that the server, the web app and the API share. Every folder may import this file, so it imports
 * nothing. Words that only the reports of checks need are in `check-words.ts`, so that pages load less.
 */

/**
 * States of a domain. `paused`: not checked now, even if earlier checks found a problem; `pending`: never checked; `unread`: checked,
 * but no certificate was ever read. All other states describe the last certificate: by its days left, as on the badge, or `revoked`.
 */
export const DOMAIN_STATES = [
  'pending',
  'unread',
  'expired',
  'critical',
  'soon',
  'ok',
  'revoked',
  'paused',
] as const;
export type DomainState = (typeof DOMAIN_STATES)[number];

/** What a list of domains can be grouped by. */
export const DOMAIN_GROUPINGS = ['tag', 'issuer', 'state'] as const;
export type DomainGrouping = (typeof DOMAIN_GROUPINGS)[number];

/**
 * Orders of the list. `worst` sorts by the `ATTENTION_REASONS`, with domains that need no attention last; equal reasons by
 * soonest expiry.
 */
export const DOMAIN_SORTS = ['newest', 'soonest', 'worst', 'name'] as const;
export type DomainSort = (typeof DOMAIN_SORTS)[number];

/**
 * Values of the list's `status` filter: a state, or a set of unpaused domains. `attention`: all that need it; `expiring`:
 * expired, or two weeks or less left and no renewal on schedule; `problem`: any reason for attention other than a date;
 * `renewal_fails`: the forecast says that the next renewal will fail.
 */
export const LIST_STATUSES = [...DOMAIN_STATES, 'attention', 'expiring', 'problem', 'renewal_fails'] as const;
export type ListStatus = (typeof LIST_STATUSES)[number];

/**
 * Days left (rounded down) at and below which the badge turns red (`CRITICAL_DAYS`) or yellow (`SOON_DAYS`). The alert step
 * `critical` in `core/alert-steps.ts` does not depend on them.
 */
export const CRITICAL_DAYS = 7;
export const SOON_DAYS = 14;

/** States of a certificate by its expiry, most urgent first. `maxDays`: the most days left in this state, rounded down. */
export const EXPIRY_STATES = [
  { state: 'expired', maxDays: -1 },
  { state: 'critical', maxDays: CRITICAL_DAYS },
  { state: 'soon', maxDays: SOON_DAYS },
  { state: 'ok', maxDays: Infinity },
] as const;
export type ExpiryState = (typeof EXPIRY_STATES)[number]['state'];

/**
 * Why a domain needs attention, most urgent first: a state, a problem, or an outage. If several reasons apply, lists and
 * counts use the most urgent one.
 */
export const ATTENTION_REASONS = [
  'expired',
  'revoked',
  'untrusted',
  'down',
  'critical',
  'refused',
  'soon',
  'unreachable',
  'overdue',
  'flawed',
] as const;
export type AttentionReason = (typeof ATTENTION_REASONS)[number];

/** The facts that decide whether a domain needs attention. */
export interface DomainCondition {
  state: DomainState;
  isDown: boolean;
  /** The problem that the last check stored; null if there is none. `overdue`: an overdue renewal is the only thing to fix. */
  problem: Exclude<AttentionReason, DomainState | 'down'> | null;
  /** True if the certificate is short-lived and its renewal is not overdue. */
  isOnSchedule: boolean;
}

/** Returns why a domain needs attention; null if it does not. `server/store` has the same rule in SQL. */
export function attentionReason({
  state,
  isDown,
  problem,
  isOnSchedule,
}: DomainCondition): AttentionReason | null {
  if (state === 'paused') return null;
  const isWaiting = isOnSchedule && state !== 'expired' && state !== 'revoked';
  const applying = [!isWaiting && state, isDown && 'down', state === 'unread' ? 'unreachable' : problem];
  return ATTENTION_REASONS.find((reason) => applying.includes(reason)) ?? null;
}

/** Returns whether a list with this `status` filter includes the domain. `server/store` has the same rule in SQL. */
export function hasListStatus(
  domain: DomainCondition,
  status: Exclude<ListStatus, 'renewal_fails'>,
): boolean {
  const { state, isDown, problem, isOnSchedule } = domain;
  switch (status) {
    case 'attention':
      return attentionReason(domain) !== null;
    case 'expiring':
      return state === 'expired' || ((state === 'critical' || state === 'soon') && !isOnSchedule);
    case 'problem':
      if (state === 'paused') return false;
      if (isDown || problem === 'unreachable' || state === 'revoked') return true;
      // An overdue renewal is a `problem` only while more than two weeks are left: later it counts as `expiring`.
      return problem !== null && (problem === 'overdue' ? state === 'ok' : state !== 'expired');
    default:
      return state === status;
  }
}

/** Kinds of channels. `channelConfigSchema` defines the settings of each kind. */
export const CHANNEL_KIND_NAMES = [
  'email',
  'webhook',
  'slack',
  'discord',
  'teams',
  'telegram',
  'pagerduty',
  'ntfy',
  'matrix',
] as const;
export type ChannelKindName = (typeof CHANNEL_KIND_NAMES)[number];

/** Display names of the kinds of channels. */
export const CHANNEL_LABELS: Readonly<Record<ChannelKindName, string>> = {
  email: 'Email',
  webhook: 'Webhook',
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  telegram: 'Telegram',
  pagerduty: 'PagerDuty',
  ntfy: 'ntfy',
  matrix: 'Matrix',
};

/**
 * The default alert steps before expiry. Each step comes `days` before notAfter, or when `share` of the lifetime is left,
 * whichever is later. `renewal_overdue` comes at the end of the CA's renewal window if it has one, but not after `warning`.
 */
export const DEFAULT_ALERT_STEPS = [
  { step: 'renewal_overdue', days: 30, share: 0.25 },
  { step: 'warning', days: 14, share: 0.2 },
  { step: 'critical', days: 7, share: 0.1 },
  { step: 'three_days', days: 3, share: 0.05 },
  { step: 'one_day', days: 1, share: 0.02 },
] as const;

/** Days before the end of a domain registration at which alerts about it are sent. */
export const REGISTRATION_STEP_DAYS = [60, 30, 14, 7, 1] as const;

/** Days before clients refuse a certificate at which alerts about that are sent. */
export const REFUSAL_STEP_DAYS = [60, 30, 7] as const;

/** Days before the expected renewal at which a second alert says that it will fail. The first one is sent at once. */
export const RENEWAL_REMINDER_DAYS = 3;

/** An alert step chosen in days comes no earlier than when this share of the lifetime is left: before that, nobody has to act. */
export const EARLIEST_STEP_SHARE = 0.5;

/** Formats a number for people: "3,250". */
export function grouped(n: number): string {
  return n < 1_000 ? String(n) : n.toLocaleString('en');
}

/** Formats a number with its unit: "1 day", "3,250 days". `plural` is only needed for irregular plurals. */
export function count(n: number, unit: string, plural = `${unit}s`): string {
  return `${grouped(n)} ${n === 1 ? unit : plural}`;
}

export const FREE_DOMAIN_LIMIT = 3;
/** Length of the Premium trial in days. Each email address gets one trial. No card is needed. */
export const TRIAL_DAYS = 14;
/** Default limit of domains per account until the account's email address is verified. */
export const UNCONFIRMED_DOMAIN_LIMIT = 10;
export const PAGE_SIZE = 50;
/** Maximum length of a person's name and of a company name, in characters. */
export const NAME_MAX_LENGTH = 200;
export const PASSWORD_MIN_LENGTH = 7;

/** Maximum length of a host as entered, in characters. Long enough for a URL, which is accepted too. */
export const HOST_MAX_LENGTH = 2_048;

/** Maximum length of a field of a target as entered, in characters: a host name with a port. */
export const TARGET_MAX_LENGTH = 300;
/** Maximum length of a domain's notes, in characters. */
export const NOTES_MAX_LENGTH = 2_000;
export const FEEDBACK_MAX_LENGTH = 5_000;
export const TAG_MAX_LENGTH = 40;
/** Maximum length of a search text in characters, which is the maximum length of a host name. */
export const SEARCH_MAX_LENGTH = 253;
export const MAX_TAGS = 20;

/** Maximum number of domains per bulk call, and of lines per import call. The web app splits larger jobs into several calls. */
export const BULK_SIZE = 200;
export const IMPORT_SIZE = 100;

/** Check intervals to choose from; those with `premium` need that plan. `check_frequency` in the API is in minutes. */
export const CHECK_FREQUENCIES = [
  { minutes: 10, label: '10 min', premium: true },
  { minutes: 15, label: '15 min', premium: true },
  { minutes: 60, label: 'Hourly', premium: true },
  { minutes: 1440, label: 'Daily', premium: false },
] as const;
export const DEFAULT_CHECK_EVERY_MINUTES = 1440;

/** Finds a private key in PEM text, which is refused wherever it is entered. */
export const PRIVATE_KEY_BLOCK = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;

/**
 * Prefix of the key that signs the subscription token; the account id follows. The key is public, so the signature protects
 * nothing.
 */
export const SUBSCRIPTION_SECRET_PREFIX = 'certlantern-subscription:';
