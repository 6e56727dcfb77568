import type { AccountMail, UnsubscribePair } from '../../core/index.ts';
import type { DrawnMail } from './mail-layout.ts';

export interface AccountMessageInput {
  content: AccountMail;
  /** When that happened which the mail is about. */
  createdAt: number;
  productName: string;
  publicUrl: URL;
  /** IANA name: times are shown in it and in UTC. null: in UTC alone. */
  timeZone: string | null;
  /** Of a digest, which its reader can end. */
  unsubscribeTokens?: UnsubscribePair<string>;
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
