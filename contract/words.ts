/**
 * The vocabulary and the figures that server, page and API share. Every folder may import this file, so it imports nothing.
 */

/**
 * The protocol around the TLS handshake. `https`: TLS at once, then one request; `tls`: TLS at once, nothing more; the others start
 * in plain text and switch to TLS (STARTTLS).
 */
export const PROTOCOLS = [
  'https',
  'tls',
  'smtp',
  'imap',
  'pop3',
  'ftp',
  'nntp',
  'sieve',
  'xmpp',
  'ldap',
  'postgres',
  'mysql',
] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/**
 * `paused`: not checked at present, whatever was seen before; `pending`: never checked; `unread`: checked, but no certificate was ever
 * read; the others by the thresholds of the badge.
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

/**
 * The badge is red at or below `CRITICAL_DAYS` and yellow at or below `SOON_DAYS` whole days left (rounded down). The alert step
 * `critical` in `core/alert-steps.ts` is a separate figure.
 */
export const CRITICAL_DAYS = 7;
export const SOON_DAYS = 14;

/**
 * Returns whether a domain needs a person although no date says so: it is down, unreachable or not trusted. Expired and revoked
 * certificates are not trusted either, but their badge already says it. The store has the same rule in SQL.
 */
export function needsPerson(domain: {
  isPaused: boolean;
  isUnreachable: boolean;
  isDown: boolean;
  isTrusted: boolean | null;
  state: DomainState;
}): boolean {
  if (domain.isPaused) return false;
  if (domain.isUnreachable || domain.isDown) return true;
  return domain.isTrusted === false && domain.state !== 'expired' && domain.state !== 'revoked';
}

/** The kinds of channels. `channelConfigSchema` has the settings of each. */
export const CHANNEL_KIND_NAMES = [
  'email',
  'webhook',
  'slack',
  'discord',
  'teams',
  'telegram',
  'pagerduty',
  'ntfy',
] as const;
export type ChannelKindName = (typeof CHANNEL_KIND_NAMES)[number];

/** What an incident and its alerts are about. */
export const ALERT_PROBLEMS = [
  'expiry',
  'revoked',
  'wrong_name',
  'chain_broken',
  'changed',
  'replacement_wanted',
  'down',
] as const;
export type AlertProblem = (typeof ALERT_PROBLEMS)[number];

/** Alerts that people can turn off. Expiry, revocation, a wrong name and a broken chain are what the product is for. */
export const MUTABLE_EVENTS = ['uptime', 'changed', 'replacement_wanted', 'good_news'] as const;
export type MutableEvent = (typeof MUTABLE_EVENTS)[number];

export const FREE_DOMAIN_LIMIT = 3;
/** Length of the Premium trial for people who sign up through a button that offers it. Needs no card. */
export const TRIAL_DAYS = 14;
/** Default for how many domains an account may have before its email address is verified. */
export const DOMAINS_BEFORE_PROOF = 10;
export const PAGE_SIZE = 50;
/** Maximum length of a person's name and of a company name, in characters. */
export const NAME_MAX_LENGTH = 200;
export const PASSWORD_MIN_LENGTH = 7;

/** Maximum length of a host as typed, in characters. Allows for URLs, which are accepted too. */
export const HOST_MAX_LENGTH = 2_048;

/** Maximum length of a domain's notes, in characters. */
export const NOTES_MAX_LENGTH = 2_000;
export const TAG_MAX_LENGTH = 40;
/** Maximum length of a search text in characters: that of the longest host name. */
export const SEARCH_MAX_LENGTH = 253;
export const MAX_TAGS = 20;

/** Maximum domains per bulk call and lines per import call. The page splits larger jobs into several calls. */
export const BULK_SIZE = 200;
export const IMPORT_SIZE = 100;

/** Check intervals that can be chosen; `premium` ones need that plan. `check_frequency` on the wire is in minutes. */
export const CHECK_FREQUENCIES = [
  { minutes: 10, label: '10 min', premium: true },
  { minutes: 15, label: '15 min', premium: true },
  { minutes: 60, label: 'Hourly', premium: true },
  { minutes: 1440, label: 'Daily', premium: false },
] as const;
export const DEFAULT_CHECK_EVERY_MINUTES = 1440;

/** Prefix of the secret that signs the subscription token; the account id follows. It protects nothing. */
export const SUBSCRIPTION_SECRET_PREFIX = 'certlantern-subscription:';
