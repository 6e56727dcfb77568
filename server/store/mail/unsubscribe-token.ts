import { createHmac, timingSafeEqual } from 'node:crypto';
import type { UnsubscribePair } from '../../core/index.ts';

/** Identifies the account, channel and domain of a mail. */
export interface MailSubject {
  accountId: string;
  /** `ACCOUNT_MAIL`, or the id of an email channel. */
  channelKey: string;
  /** The domain that the mail is about; null for a digest. */
  monitorId: string | null;
}

/** Makes the tokens of a mail. They never expire, because a mail may be read years later. */
export function unsubscribeTokens(
  keys: UnsubscribePair<Buffer>,
  subject: MailSubject,
): UnsubscribePair<string> {
  return {
    page: unsubscribeToken(keys.page, subject),
    oneClick: unsubscribeToken(keys.oneClick, subject),
  };
}

/** Makes a token: the subject in clear text, and HMAC-SHA-256 over it. */
export function unsubscribeToken(key: Buffer, { accountId, channelKey, monitorId }: MailSubject): string {
  const subject = [accountId, channelKey, monitorId ?? '-'].join('.');
  return `${subject}.${signature(key, subject)}`;
}

/** Returns the subject of a token, or null if it was not signed with this key. */
export function readUnsubscribeToken(key: Buffer, token: string): MailSubject | null {
  const end = token.lastIndexOf('.');
  const subject = token.slice(0, Math.max(0, end));
  // Compared as text, because different last characters of base64 can decode to the same bytes.
  const given = Buffer.from(token.slice(end + 1));
  const expected = Buffer.from(signature(key, subject));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const [accountId = '', channelKey = '', monitorId = ''] = subject.split('.');
  return { accountId, channelKey, monitorId: monitorId === '-' ? null : monitorId };
}

const signature = (key: Buffer, subject: string) =>
  createHmac('sha256', key).update(subject).digest('base64url');
