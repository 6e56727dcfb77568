import type { Problem } from './alerting/alert.ts';
import type { ChannelKind } from './alerting/route.ts';
import type { PlanSource } from './plan.ts';
import type { ChannelLossReason } from './retry.ts';
import type { Targeted } from './target.ts';

/**
 * The content of a mail that is not an alert, as plain JSON with instants in ms UTC. The mail is rendered when it is sent.
 */
export type AccountMail =
  | { kind: 'verify_email'; url: string }
  | { kind: 'reset_password'; url: string; expiresAt: number }
  | { kind: 'password_changed' }
  /**
   * Notice to a person who verified the address of an account that somebody else may have created. `domains`: number of
   * domains that were paused.
   */
  | { kind: 'account_cleared'; domains: number; removed: Partial<Record<ClearedTable, number>> }
  | { kind: 'premium_ended'; paused: Targeted[]; source: PlanSource }
  | { kind: 'feedback'; from: { name: string; email: string; premium: boolean }; message: string }
  /**
   * The welcome email, sent once, when an account adds its first domain. `more`: number of other domains added at the same
   * time.
   */
  | ({ kind: 'reached_you'; more: number } & Targeted)
  /** Invitation to an address that an account wants to send alerts to. */
  | { kind: 'confirm_recipient'; url: string; accountName: string }
  | {
      kind: 'channel_disabled';
      name: string;
      channel: ChannelKind;
      reason: ChannelLossReason;
      detail: string;
    }
  | ({ kind: 'digest' } & Digest)
  /** Alarm for the operator. `since`: when the alarm was raised. */
  | { kind: 'operator_alarm'; code: string; detail: string; since: number };

/** Kinds of mail with a secret link. A person waits for such a mail. */
export const LINK_MAIL_KINDS: readonly AccountMail['kind'][] = [
  'verify_email',
  'reset_password',
  'confirm_recipient',
];
/** Kinds of mail that are sent to the operator, whichever account they belong to. */
export const OPERATOR_MAIL_KINDS: readonly string[] = [
  'feedback',
  'operator_alarm',
] satisfies AccountMail['kind'][];

/**
 * Returns whether we withhold a mail of this kind from addresses that refused mail. We never withhold mails with links and mails to the
 * operator.
 */
export function isSuppressible(kind: AccountMail['kind']): boolean {
  return !LINK_MAIL_KINDS.includes(kind) && !OPERATOR_MAIL_KINDS.includes(kind);
}

/** Tables whose removed rows the `account_cleared` mail mentions. */
export type ClearedTable =
  | 'channels'
  | 'maintenance_windows'
  | 'calendar_feeds'
  | 'api_tokens'
  | 'status_pages'
  | 'badges'
  | 'authorities';

/** The first items of a list, and the number of further ones. */
export interface TruncatedList<T> {
  first: (Targeted & T)[];
  more: number;
}

/** Reason why a domain needs attention. */
export type Concern = 'expiry' | 'revoked' | 'untrusted' | 'down' | 'unreachable';

/** The content of a weekly digest. */
export interface Digest {
  /** Start of the week that ends at `until`; both are ms UTC. */
  from: number;
  until: number;
  /** Number of monitored domains. */
  watched: number;
  /**
   * Domains that are down, unreachable or untrusted, or whose certificate is revoked, expired, or within a week of its
   * expiry with an overdue renewal.
   */
  attention: TruncatedList<{ concern: Concern; notAfter: number | null }>;
  /** Other domains whose certificate expires within 30 days and is due for renewal. */
  expiring: TruncatedList<{ notAfter: number }>;
  /** Domains whose next renewal will fail, soonest first. `line` as in `forecastLine`, `expectedAt` in ms UTC. */
  failing: TruncatedList<{ line: string; expectedAt: number }>;
  /** Domains with a new certificate since `from`. */
  renewed: TruncatedList<{ notAfter: number }>;
  /** Incidents of the week except expiries, newest first; `endedAt` is null while an incident is open. */
  incidents: TruncatedList<{ problem: Problem; startedAt: number; endedAt: number | null }>;
  /** The lowest uptimes of domains that were down, in percent of the time for which they were monitored. */
  uptime: (Targeted & { percent: number })[];
}

/**
 * Returns a link to a page with the token that authorises its reader. The token is in the fragment, which browsers never send
 * to a server, so that no log, proxy or Referer header contains it.
 */
export function mailedLink(path: `/${string}`, token: string, publicUrl: URL): string {
  return new URL(`${path}#${token}`, publicUrl).href;
}

/** A pair of values for the two places in which a mail has an unsubscribe token. A token is valid only in its own place. */
export interface UnsubscribePair<Value> {
  /** Value for the link to the unsubscribe page, which sends the token in the body of its calls. */
  page: Value;
  /**
   * Value for the List-Unsubscribe header. RFC 8058 puts this token into a URL, which proxies and logs may keep, so it
   * permits nothing but unsubscribing by POST.
   */
  oneClick: Value;
}
