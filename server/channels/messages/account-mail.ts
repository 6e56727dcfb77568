import type { ChannelKind, PlanSource, Problem } from '../../core/index.ts';
import type { DrawnMail } from './mail-layout.ts';

/** What the mails that are no alerts are made of. Instants are ms UTC. */
export type AccountMail =
  | { kind: 'verify_email'; url: string }
  | { kind: 'reset_password'; url: string; expiresAt: number }
  | { kind: 'password_changed' }
  | { kind: 'premium_ended'; paused: Endpoint[]; source: PlanSource }
  | {
      kind: 'feedback';
      from: { name: string; email: string; premium: boolean };
      message: string;
    }
  | ({ kind: 'reached_you'; more: number } & Endpoint)
  | { kind: 'confirm_recipient'; url: string; accountName: string }
  | {
      kind: 'channel_disabled';
      name: string;
      channel: ChannelKind;
      reason: 'gone' | 'failing';
      detail: string;
    }
  | ({ kind: 'digest' } & Digest)
  | { kind: 'operator_alarm'; code: string; detail: string; since: number };

export interface Endpoint {
  host: string;
  port: number;
}

/** The beginning of a list, and how many more there are. */
export interface Listed<T> {
  first: (Endpoint & T)[];
  more: number;
}

/** The week before `until`. */
export interface Digest {
  from: number;
  until: number;
  watched: number;
  attention: Listed<{
    concern: 'expiry' | 'revoked' | 'untrusted' | 'down' | 'unreachable';
    notAfter: number | null;
  }>;
  expiring: Listed<{ notAfter: number }>;
  renewed: Listed<{ notAfter: number }>;
  incidents: Listed<{ problem: Problem; startedAt: number; endedAt: number | null }>;
  uptime: (Endpoint & { percent: number })[];
}

export interface AccountMessageInput {
  content: AccountMail;
  /** When that happened which the mail is about. */
  createdAt: number;
  productName: string;
  publicUrl: URL;
  /** IANA name: times are shown in it and in UTC. null: in UTC alone. */
  timeZone: string | null;
  /** Of a digest: what its reader leaves it off with. */
  unsubscribeToken?: string;
}

export type Zoned = AccountMessageInput & { timeZone: string };

/** The part of a mail that its kind decides on. */
export interface Said extends Omit<DrawnMail, 'title' | 'productName' | 'heading' | 'facts' | 'footer'> {
  subject: string;
  heading: string;
  facts?: DrawnMail['facts'];
  footer?: string;
  replyTo?: string;
  headers?: Record<string, string>;
}
