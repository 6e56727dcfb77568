import type { Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { PlanSource } from '../core/index.ts';
import type { Tables } from './tables.ts';

/** What a mail that is no alert says; the worker renders it when it is sent. */
export type MailContent =
  | { kind: 'verify_email'; url: string }
  | { kind: 'reset_password'; url: string; expiresAt: number }
  | { kind: 'password_changed' }
  | { kind: 'premium_ended'; paused: { host: string; port: number }[]; source: PlanSource }
  | { kind: 'feedback'; from: { name: string; email: string; premium: boolean }; message: string };

export interface NewMail {
  /** Whose row it is, and goes with; null only where there is none. */
  accountId: string | null;
  recipient: string;
  content: MailContent;
  now: number;
  /** ms UTC; a mail that could not be sent by then is dropped. */
  expiresAt?: number;
}

/** Puts a mail into the outbox, in the transaction of what it is about. Publish the signal `mails` after it. */
export async function enqueueMail(trx: Transaction<Tables>, mail: NewMail): Promise<void> {
  const { kind, ...data } = mail.content;
  const id = randomUUID();
  await trx
    .insertInto('mails')
    .values({
      id,
      account_id: mail.accountId,
      recipient: mail.recipient,
      kind,
      data: JSON.stringify(data),
      message_id: `<${id}@certlantern>`,
      state: 'waiting',
      attempts: 0,
      unanswered: 0,
      next_attempt_at: mail.now,
      expires_at: mail.expiresAt ?? null,
      created_at: mail.now,
    })
    .execute();
}
