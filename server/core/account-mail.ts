import type { Problem } from './alerting/alert.ts';
import type { ChannelKind } from './alerting/route.ts';
import type { PlanSource } from './plan.ts';

/** The content of a mail that is not an alert; rendered when it is sent. Plain JSON, instants in ms UTC. */
export type AccountMail =
  | { kind: 'verify_email'; url: string }
  | { kind: 'reset_password'; url: string; expiresAt: number }
  | { kind: 'password_changed' }
  /**
   * To a person who proved to own the address of an account that somebody else may have created.
   * `domains`: how many are paused.
   */
  | { kind: 'account_cleared'; domains: number; removed: Partial<Record<ClearedTable, number>> }
  | { kind: 'premium_ended'; paused: DomainName[]; source: PlanSource }
  | { kind: 'feedback'; from: { name: string; email: string; premium: boolean }; message: string }
  /** The welcome email, sent once with the first domain. `more`: how many were added with it. */
  | ({ kind: 'reached_you'; more: number } & DomainName)
  /** To an address that an account wants to send alerts to. */
  | { kind: 'confirm_recipient'; url: string; accountName: string }
  | {
      kind: 'channel_disabled';
      name: string;
      channel: ChannelKind;
      reason: 'gone' | 'failing' | 'refused';
      detail: string;
    }
  | ({ kind: 'digest' } & Digest)
  /** To the operator. */
  | { kind: 'operator_alarm'; code: string; detail: string; since: number };

/** Tables whose removed rows the mail to a new owner mentions. */
export type ClearedTable =
  | 'channels'
  | 'maintenance_windows'
  | 'calendar_feeds'
  | 'api_tokens'
  | 'status_pages'
  | 'badges'
  | 'authorities';

/** The host and port of a domain. */
export interface DomainName {
  host: string;
  port: number;
}

/** The first items of a list, and the number of further ones. */
export interface TruncatedList<T> {
  first: (DomainName & T)[];
  more: number;
}

/** Why a domain needs attention. */
export type Concern = 'expiry' | 'revoked' | 'untrusted' | 'down' | 'unreachable';

/** The content of a weekly digest. */
export interface Digest {
  /** A week before `until`, ms UTC. */
  from: number;
  until: number;
  /** Number of monitored domains. */
  watched: number;
  /** Expired, ending within a week with an overdue renewal, or with a problem that no date shows. */
  attention: TruncatedList<{ concern: Concern; notAfter: number | null }>;
  /** Domains whose certificate ends within 30 days and is due for renewal, without those in `attention`. */
  expiring: TruncatedList<{ notAfter: number }>;
  /** Domains with a new certificate since `from`. */
  renewed: TruncatedList<{ notAfter: number }>;
  /** Incidents of the week without expiry (see above), newest first; `endedAt` null: still open. */
  incidents: TruncatedList<{ problem: Problem; startedAt: number; endedAt: number | null }>;
  /** The lowest uptimes of domains that were down, in percent of the time in which they were monitored. */
  uptime: (DomainName & { percent: number })[];
}

/**
 * Returns a link to a page with the token that authorises its reader. The token stands behind `#`: browsers send
 * that part to no server, so no log, proxy or Referer header holds it.
 */
export function mailedLink(path: `/${string}`, token: string, publicUrl: URL): string {
  return new URL(`${path}#${token}`, publicUrl).href;
}

/** A value for each of the two places where a mail has an unsubscribe token. A token works only in its own place. */
export interface UnsubscribePair<Value> {
  /** The link to the unsubscribe page, whose calls take the token in their body. */
  page: Value;
  /**
   * The List-Unsubscribe header. RFC 8058 puts this token into a URL, which proxies and logs may keep, so all that
   * it permits is to unsubscribe by POST.
   */
  oneClick: Value;
}
