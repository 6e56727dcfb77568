import type { AccountMail, UnsubscribePair } from '../../core/index.ts';
import type { DrawnMail } from './mail-layout.ts';

export interface AccountMessageInput {
  content: AccountMail;
  /** When the event that the mail is about happened, ms UTC. */
  createdAt: number;
  productName: string;
  publicUrl: URL;
  /** IANA name. Times are shown in it and in UTC; null: in UTC only. */
  timeZone: string | null;
  /** For a digest, from which its reader can unsubscribe. */
  unsubscribeTokens?: UnsubscribePair<string>;
}

export type InTimeZone = AccountMessageInput & { timeZone: string };

/** The part of a mail that depends on its kind. */
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
