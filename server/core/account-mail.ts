import type { Problem } from './alerting/alert.ts';
import type { ChannelKind } from './alerting/route.ts';
import type { PlanSource } from './plan.ts';

/** What a mail that is no alert says; rendered when it is sent. Plain JSON, instants in ms UTC. */
export type AccountMail =
  | { kind: 'verify_email'; url: string }
  | { kind: 'reset_password'; url: string; expiresAt: number }
  | { kind: 'password_changed' }
  /** To whoever proved to own the address of an account that somebody else may have made. `domains`: how many are paused. */
  | { kind: 'account_cleared'; domains: number; removed: Partial<Record<ClearedTable, number>> }
  | { kind: 'premium_ended'; paused: Named[]; source: PlanSource }
  | { kind: 'feedback'; from: { name: string; email: string; premium: boolean }; message: string }
  /** Sent once, with the first domain: that mail arrives. `more`: how many were added with it. */
  | ({ kind: 'reached_you'; more: number } & Named)
  /** To an address that an account wants to have told. */
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

/** A domain, as far as its name goes. */
export interface Named {
  host: string;
  port: number;
}

/** The beginning of a list, and how many more there are. */
export interface Listed<T> {
  first: (Named & T)[];
  more: number;
}

/** Why somebody has to look after a domain. */
export type Concern = 'expiry' | 'revoked' | 'untrusted' | 'down' | 'unreachable';

/** What a weekly digest says. */
export interface Digest {
  /** The week before `until`. */
  from: number;
  until: number;
  /** How many domains are watched. */
  watched: number;
  /** What has expired, what ends within a week and should have been renewed, and what no date tells. */
  attention: Listed<{ concern: Concern; notAfter: number | null }>;
  /** What ends later in the next 30 days and is due to be renewed. */
  expiring: Listed<{ notAfter: number }>;
  /** What has a new certificate since `from`. */
  renewed: Listed<{ notAfter: number }>;
  /** What went wrong in the week, newest first; `endedAt` null: it lasts. Expiry is told above. */
  incidents: Listed<{ problem: Problem; startedAt: number; endedAt: number | null }>;
  /** The worst of those that were down, in percent of the time in which they were watched. */
  uptime: (Named & { percent: number })[];
}

/**
 * Builds a link to a page with the token that lets its reader act. The token stands behind `#`: browsers send that part to no server, so
 * no log, proxy or Referer header holds it.
 */
export function mailedLink(path: `/${string}`, token: string, publicUrl: URL): string {
  return new URL(`${path}#${token}`, publicUrl).href;
}

/** One value for each of the two places where a mail carries an unsubscribe token; a token works only in its own place. */
export interface UnsubscribePair<Value> {
  /** The link to the unsubscribe page, whose calls take the token in their body. */
  page: Value;
  /** The List-Unsubscribe header. RFC 8058 puts this token in a URL, which proxies and logs may keep, so all it does is unsubscribe by POST. */
  oneClick: Value;
}
