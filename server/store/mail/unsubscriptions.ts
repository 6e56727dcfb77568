import type { Kysely, Transaction } from 'kysely';
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { UnsubscribePair } from '../../core/account-mail.ts';
import { ACCOUNT_MAIL } from '../../core/alerting/settings.ts';
import type { Targeted } from '../../core/target.ts';
import { addressOf } from '../alerts/stored-alerts.ts';
import { locked } from '../db/dialect.ts';
import { supersedeWaitingOn } from '../alerts/alerts.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/** The account, channel and domain that identify a mail in its unsubscribe links. */
export interface MailSubject {
  accountId: string;
  /** `ACCOUNT_MAIL`, or the id of an email channel. */
  channelKey: string;
  /** The domain that the mail is about; null for a digest. */
  monitorId: string | null;
}

/** Creates the unsubscribe tokens of a mail. They never expire, because a mail may be read years later. */
export function unsubscribeTokens(
  keys: UnsubscribePair<Buffer>,
  subject: MailSubject,
): UnsubscribePair<string> {
  return {
    page: unsubscribeToken(keys.page, subject),
    oneClick: unsubscribeToken(keys.oneClick, subject),
  };
}

/** Creates a token: the subject in clear text, followed by its HMAC-SHA-256. */
export function unsubscribeToken(key: Buffer, { accountId, channelKey, monitorId }: MailSubject): string {
  const subject = [accountId, channelKey, monitorId ?? '-'].join('.');
  return `${subject}.${signature(key, subject)}`;
}

/** Returns the subject of a token, or null if it was not signed with this key. */
export function readUnsubscribeToken(key: Buffer, token: string): MailSubject | null {
  const end = token.lastIndexOf('.');
  const subject = token.slice(0, Math.max(0, end));
  // Compare as text, because base64 texts with different last characters can decode to the same bytes.
  const given = Buffer.from(token.slice(end + 1));
  const expected = Buffer.from(signature(key, subject));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const [accountId = '', channelKey = '', monitorId = ''] = subject.split('.');
  return { accountId, channelKey, monitorId: monitorId === '-' ? null : monitorId };
}

const signature = (key: Buffer, subject: string) =>
  createHmac('sha256', key).update(subject).digest('base64url');

/** Returns whether the account still accepts unsubscribe links that were mailed before schema level 19. */
export async function acceptsOldLinks({ db }: Store, accountId: string, now: number): Promise<boolean> {
  const account = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('old_links_until', '>', now)
    .executeTakeFirst();
  return account !== undefined;
}

/** The mail that the recipient of an email channel has unsubscribed from. */
export interface Unsubscribed {
  all: boolean;
  monitorIds: string[];
}

/** Returns the unsubscriptions of an account by channel key. Channels without any have no entry. */
export async function unsubscriptionsOf(
  db: Kysely<Tables>,
  accountId: string,
): Promise<Map<string, Unsubscribed>> {
  const rows = await db
    .selectFrom('unsubscriptions')
    .select(['channel_key', 'monitor_id'])
    .where('account_id', '=', accountId)
    .execute();
  const byKey = new Map<string, Unsubscribed>();
  for (const { channel_key: key, monitor_id: monitorId } of rows) {
    const known = byKey.get(key) ?? { all: false, monitorIds: [] };
    if (monitorId === null) known.all = true;
    else known.monitorIds.push(monitorId);
    byKey.set(key, known);
  }
  return byKey;
}

/** Scope of an unsubscription: nothing (`none`), this domain, the digest, or all mail. */
export type UnsubscribeChoice = 'none' | 'domain' | 'digest' | 'all';

/** An email channel as its recipient sees it on the unsubscribe page. */
export interface MailRecipient {
  address: string;
  /** The domain that the mail is about; null for a digest, and if the domain was removed. */
  domain: Targeted | null;
  unsubscribed: 'no' | Exclude<UnsubscribeChoice, 'none'>;
}

/** Returns the email channel that a mail was sent to, or null if it or its account was deleted. */
export async function findMailRecipient(store: Store, subject: MailSubject): Promise<MailRecipient | null> {
  return readRecipient(store.db, subject);
}

async function readRecipient(db: Kysely<Tables>, subject: MailSubject): Promise<MailRecipient | null> {
  const { accountId, channelKey, monitorId } = subject;
  const account = await db
    .selectFrom('accounts')
    .select(['email', 'digest_next_at'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  if (!account) return null;
  const isOwn = channelKey === ACCOUNT_MAIL;
  const channel = isOwn
    ? undefined
    : await db
        .selectFrom('channels')
        .select('config')
        .where('id', '=', channelKey)
        .where('account_id', '=', accountId)
        .where('kind', '=', 'email')
        .executeTakeFirst();
  if (!isOwn && !channel) return null;
  const domain =
    monitorId === null
      ? undefined
      : await db
          .selectFrom('monitors')
          .select(['host', 'port', 'target'])
          .where('id', '=', monitorId)
          .where('account_id', '=', accountId)
          .executeTakeFirst();
  const unsubscribed = (await unsubscriptionsOf(db, accountId)).get(channelKey);
  return {
    address: channel ? (addressOf({ kind: 'email', ...channel }) ?? 'unknown') : account.email,
    domain: domain ?? null,
    unsubscribed: unsubscribed?.all
      ? 'all'
      : monitorId === null && isOwn && account.digest_next_at === null
        ? 'digest'
        : monitorId !== null && unsubscribed?.monitorIds.includes(monitorId)
          ? 'domain'
          : 'no',
  };
}

/**
 * Applies a recipient's choice. `none` ends the unsubscriptions from all mail and from the mail's domain; it does not turn the
 * digest on. Ignores `domain` or `digest` if the mail is not about one. Returns null if the channel or account was deleted.
 */
export async function setUnsubscribed(
  store: Store,
  subject: MailSubject,
  { choice, now }: { choice: UnsubscribeChoice; now: number },
): Promise<MailRecipient | null> {
  const { accountId, channelKey, monitorId } = subject;
  const recipient = await inTransaction(store, async (trx) => {
    await locked(
      store.dialect,
      trx.selectFrom('accounts').select('id').where('id', '=', accountId),
    ).execute();
    const before = await readRecipient(trx, subject);
    if (before === null) return null;
    const scope = { accountId, channelKey };
    const dropped = { ...scope, detail: 'The recipient unsubscribed.', now };
    if (choice === 'all') {
      await add(trx, { ...scope, monitorId: null, now });
      await supersedeWaitingOn(trx, { ...dropped, monitorId: null });
    }
    if (choice === 'domain' && before.domain !== null) {
      await add(trx, { ...scope, monitorId, now });
      await supersedeWaitingOn(trx, { ...dropped, monitorId });
      await remove(trx, { ...scope, monitorId: null });
    }
    if (choice === 'digest' && monitorId === null && channelKey === ACCOUNT_MAIL) {
      await trx.updateTable('accounts').set({ digest_next_at: null }).where('id', '=', accountId).execute();
      await remove(trx, { ...scope, monitorId: null });
    }
    if (choice === 'none') {
      await remove(trx, { ...scope, monitorId: null });
      if (monitorId !== null) await remove(trx, { ...scope, monitorId });
    }
    return readRecipient(trx, subject);
  });
  if (recipient !== null) {
    store.signals.publish({ topic: 'alerts', accountId, monitorId: null });
    // Pages show a notice while the account gets no mail.
    store.signals.publish({ topic: 'account', accountId });
    store.signals.publish({ topic: 'due' });
  }
  return recipient;
}

async function add(trx: Transaction<Tables>, unsubscription: MailSubject & { now: number }): Promise<void> {
  const { accountId, channelKey, monitorId, now } = unsubscription;
  await remove(trx, unsubscription);
  await trx
    .insertInto('unsubscriptions')
    .values({
      id: randomUUID(),
      account_id: accountId,
      channel_key: channelKey,
      monitor_id: monitorId,
      created_at: now,
    })
    .execute();
}

async function remove(trx: Transaction<Tables>, { accountId, channelKey, monitorId }: MailSubject) {
  await trx
    .deleteFrom('unsubscriptions')
    .where('account_id', '=', accountId)
    .where('channel_key', '=', channelKey)
    .where('monitor_id', monitorId === null ? 'is' : '=', monitorId)
    .execute();
}
