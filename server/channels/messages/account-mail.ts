import type { AccountMail, UnsubscribePair } from '../../core/account-mail.ts';
import type { DrawnMail } from './mail-layout.ts';

export interface AccountMessageInput {
  content: AccountMail;
  /** Time of the event that the mail is about, ms UTC. */
  createdAt: number;
  productName: string;
  publicUrl: URL;
  /** IANA name of a time zone. Times are shown in it and in UTC; null shows UTC only. */
  timeZone: string | null;
  /** Unsubscribe tokens for the recipient of a digest; omitted for other mails. */
  unsubscribeTokens?: UnsubscribePair<string>;
}

export type InTimeZone = AccountMessageInput & { timeZone: string };

/** Parts of a mail that depend on its kind. */
export interface AccountWords extends Omit<
  DrawnMail,
  'title' | 'productName' | 'heading' | 'facts' | 'footer'
> {
  subject: string;
  heading: string;
  facts?: DrawnMail['facts'];
  footer?: string;
  replyTo?: string;
  headers?: Record<string, string>;
}
