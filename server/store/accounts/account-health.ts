import { sql } from 'kysely';
import { ACCOUNT_MAIL } from '../../core/alerting/settings.ts';
import { type FailingRecipient, MAIL_FAILURE, mailOutageSince, OVERDUE_MS } from '../../core/health.ts';
import type { Account } from './accounts.ts';
import { addressOf } from '../alerts/stored-alerts.ts';
import type { Store } from '../db/open-store.ts';
import { isForEnabledAccount, isWaiting } from '../mail/outbox.ts';
import { isSuppressed } from '../mail/suppressions.ts';
import { isActive } from '../monitors/check-due.ts';

/** Returns whether a check of the account is overdue by more than `OVERDUE_MS`. */
export async function checksAreLate(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<boolean> {
  const late = await store.db
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', accountId)
    .where(isActive)
    .where('next_check_at', '<', now - OVERDUE_MS)
    .limit(1)
    .executeTakeFirst();
  return late !== undefined;
}

/** Returns whether an alert has been due for more than `OVERDUE_MS`. An alert that waits for its retry is not late. */
export async function alertsAreLate(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<boolean> {
  const late = await store.db
    .selectFrom('deliveries')
    .select('id')
    .where('account_id', '=', accountId)
    .where(isWaiting)
    .where('next_attempt_at', '<', now - OVERDUE_MS)
    .where(isForEnabledAccount('deliveries'))
    .limit(1)
    .executeTakeFirst();
  return late !== undefined;
}

/** SQL condition: `detail` is an SMTP reply to one mail, which starts with a code (RFC 5321 §4.2). Other errors have no code. */
const isSmtpReply = sql<boolean>`(detail like '4__ %' or detail like '4__-%' or detail like '5__ %' or detail like '5__-%')`;

/** Returns since when (ms UTC) the mail server has been down (see `mailOutageSince`); null if it works. */
export async function mailDownSince(store: Store, now: number): Promise<number | null> {
  const failing = await failingRecipients(store, now - MAIL_FAILURE.lastsMs);
  if (failing.length === 0) return null;
  return mailOutageSince(failing, { deliveredAt: await lastDeliveredAt(store, now), now });
}

/** Returns recipients whose mail started to fail at or before `failingSince` (ms UTC), one entry per kind of error. */
async function failingRecipients(store: Store, failingSince: number): Promise<FailingRecipient[]> {
  const isReply = sql<number>`case when ${isSmtpReply} then 1 else 0 end`;
  const alerts = await store.db
    .selectFrom('deliveries')
    .innerJoin('accounts', 'accounts.id', 'deliveries.account_id')
    .leftJoin('channels', 'channels.id', 'deliveries.channel_id')
    .select(['accounts.email', 'channels.config', isReply.as('isReply')])
    .select((eb) => eb.fn.min('first_attempt_at').as('since'))
    .where(isWaiting)
    .where('deliveries.channel', '=', 'email')
    .where('attempts', '>=', MAIL_FAILURE.attempts)
    .where('first_attempt_at', '<=', failingSince)
    // Skip rows without detail: their worker was killed, which says nothing about the mail server.
    .where('detail', 'is not', null)
    .where(isForEnabledAccount('deliveries'))
    .groupBy(['accounts.email', 'channels.config', isReply])
    .execute();
  const others = await store.db
    .selectFrom('mails')
    .select(['recipient', isReply.as('isReply')])
    .select((eb) => eb.fn.min('first_attempt_at').as('since'))
    .where(isWaiting)
    .where('attempts', '>=', MAIL_FAILURE.attempts)
    .where('first_attempt_at', '<=', failingSince)
    .where('detail', 'is not', null)
    .where(isForEnabledAccount('mails'))
    .groupBy(['recipient', isReply])
    .execute();
  return [
    ...alerts.flatMap(({ email, config, ...row }) => {
      const address = config === null ? email : addressOf({ kind: 'email', config });
      return address === null ? [] : [{ ...row, address }];
    }),
    ...others.map(({ recipient, ...row }) => ({ ...row, address: recipient.toLowerCase() })),
  ].map(({ address, since, isReply: flag }) => ({
    address,
    since: Number(since),
    isReply: flag === 1,
  }));
}

/** Returns when the mail server last accepted a mail, ms UTC; 0 if it never did. */
async function lastDeliveredAt(store: Store, now: number): Promise<number> {
  const delivered = await Promise.all(
    (['deliveries', 'mails'] as const).map((outbox) =>
      store.db
        .selectFrom(outbox as 'deliveries')
        .select((eb) => eb.fn.max('settled_at').as('at'))
        .where('state', '=', 'delivered')
        // Skip times in the future. They come from a clock that ran ahead, and would hide an outage that began later.
        .where('settled_at', '<=', now)
        .$if(outbox === 'deliveries', (query) => query.where('channel', '=', 'email'))
        .executeTakeFirst(),
    ),
  );
  return Math.max(...delivered.map((row) => row?.at ?? 0));
}

/**
 * Returns whether mail to the account's own address fails: the address is suppressed, or the last mail to it (alert or other) that was
 * settled until `now` (ms UTC) failed.
 */
export async function mailIsFailing(
  store: Store,
  { id, email }: Pick<Account, 'id' | 'email'>,
  now: number,
): Promise<boolean> {
  if (await isSuppressed(store.db, email)) return true;
  const outcomes = ['delivered', 'failed'] as const;
  const [alert, other] = await Promise.all([
    store.db
      .selectFrom('deliveries')
      .select(['state', 'settled_at'])
      .where('account_id', '=', id)
      .where('channel_key', '=', ACCOUNT_MAIL)
      .where('state', 'in', outcomes)
      .where('settled_at', '<=', now)
      .orderBy('settled_at', 'desc')
      .limit(1)
      .executeTakeFirst(),
    store.db
      .selectFrom('mails')
      .select(['state', 'settled_at'])
      .where('account_id', '=', id)
      // Skip other recipients, and feedback, which goes to the operator even if that is the same address.
      .where('recipient', '=', email)
      .where('kind', '!=', 'feedback')
      .where('state', 'in', outcomes)
      .where('settled_at', '<=', now)
      .orderBy('settled_at', 'desc')
      .limit(1)
      .executeTakeFirst(),
  ]);
  const [newest] = [alert, other]
    .filter((row) => row !== undefined)
    .toSorted((a, b) => (b.settled_at ?? 0) - (a.settled_at ?? 0));
  return newest?.state === 'failed';
}
