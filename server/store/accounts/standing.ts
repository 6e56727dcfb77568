import { sql } from 'kysely';
import { ACCOUNT_MAIL } from '../../core/index.ts';
import type { Account } from './accounts.ts';
import { placeOf, type StoredChannelConfig } from '../alerts/channel-config.ts';
import type { Store } from '../db/open-store.ts';
import { isForEnabledAccount, isWaiting } from '../mail/outbox.ts';
import { isSuppressed } from '../mail/suppressions.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import { isActive } from '../monitors/check-due.ts';

/** Far longer than a busy worker or a restart takes: somebody has to look. */
export const LATE_MS = 10 * MINUTE_MS;

/** Whether a check of the account has been due for too long. */
export async function checksAreLate(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<boolean> {
  const late = await store.db
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', accountId)
    .where(isActive)
    .where('next_check_at', '<', now - LATE_MS)
    .limit(1)
    .executeTakeFirst();
  return late !== undefined;
}

/** Whether an alert of the account could have left for too long; one that is tried again in time is not late. */
export async function alertsAreLate(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<boolean> {
  const late = await store.db
    .selectFrom('deliveries')
    .select('id')
    .where('account_id', '=', accountId)
    .where(isWaiting)
    .where('next_attempt_at', '<', now - LATE_MS)
    .where(isForEnabledAccount('deliveries'))
    .limit(1)
    .executeTakeFirst();
  return late !== undefined;
}

/** How often something was tried in vain before it says something about the mail server, and not about one message. */
const TELLING_ATTEMPTS = 4;
/** A receiver that puts strangers off for some minutes (greylisting) is no outage. */
const MAIL_DOWN_MS = 15 * MINUTE_MS;
/** Longer than the longest delay between two tries: whatever waits was tried within it. */
const ALL_TRIED_MS = 70 * MINUTE_MS;

/** What the mail server said of one mail begins with the code of its answer (RFC 5321 §4.2); the sender sees to that. */
const isAboutOneMail = sql<boolean>`(detail like '4__ %' or detail like '4__-%' or detail like '5__ %' or detail like '5__-%')`;

/**
 * Since when (ms UTC) the mail server takes nothing, with no mail that arrived meanwhile; null where it works, or for less than a
 * quarter of an hour. One that cannot be reached or takes nothing from us is down; answers about mails count where the
 * receivers are of two domains or more, for a single mailbox may be full or put us off for days.
 */
export async function mailDownSince(store: Store, now: number): Promise<number | null> {
  const failing = await failingReceivers(store, now - MAIL_DOWN_MS);
  if (failing.length === 0) return null;
  const arrivedAt = await lastArrival(store);
  const inVain = failing.filter(
    ({ since, isAboutMail }) =>
      // The server may have gone away after others arrived; a mailbox that puts us off is no news of it.
      since > arrivedAt || (!isAboutMail && arrivedAt < now - ALL_TRIED_MS),
  );
  const domains = new Set(inVain.map(({ address }) => address.slice(address.lastIndexOf('@') + 1)));
  if (inVain.every(({ isAboutMail }) => isAboutMail) && domains.size < 2) return null;
  return Math.max(arrivedAt, Math.min(...inVain.map(({ since }) => since)));
}

/** Whom mail was tried for in vain since `until` or longer, once for each kind of failure. */
async function failingReceivers(
  store: Store,
  until: number,
): Promise<{ address: string; since: number; isAboutMail: boolean }[]> {
  const isAboutMail = sql<number>`case when ${isAboutOneMail} then 1 else 0 end`;
  const alerts = await store.db
    .selectFrom('deliveries')
    .innerJoin('accounts', 'accounts.id', 'deliveries.account_id')
    .leftJoin('channels', 'channels.id', 'deliveries.channel_id')
    .select(['accounts.email', 'channels.config', isAboutMail.as('isAboutMail')])
    .select((eb) => eb.fn.min('first_attempt_at').as('since'))
    .where(isWaiting)
    .where('deliveries.channel', '=', 'email')
    .where('attempts', '>=', TELLING_ATTEMPTS)
    .where('first_attempt_at', '<=', until)
    // A worker that was killed says nothing of the mail server.
    .where('detail', 'is not', null)
    .where(isForEnabledAccount('deliveries'))
    .groupBy(['accounts.email', 'channels.config', isAboutMail])
    .execute();
  const others = await store.db
    .selectFrom('mails')
    .select(['recipient', isAboutMail.as('isAboutMail')])
    .select((eb) => eb.fn.min('first_attempt_at').as('since'))
    .where(isWaiting)
    .where('attempts', '>=', TELLING_ATTEMPTS)
    .where('first_attempt_at', '<=', until)
    .where('detail', 'is not', null)
    .where(isForEnabledAccount('mails'))
    .groupBy(['recipient', isAboutMail])
    .execute();
  return [
    ...alerts.map(({ email, config, ...row }) => ({
      ...row,
      address: config === null ? email : placeOf(JSON.parse(config) as StoredChannelConfig),
    })),
    ...others.map(({ recipient, ...row }) => ({ ...row, address: recipient.toLowerCase() })),
  ].map(({ address, since, isAboutMail: about }) => ({
    address,
    since: Number(since),
    isAboutMail: about === 1,
  }));
}

/** When a mail was last taken, ms UTC; before all time where none was. */
async function lastArrival(store: Store): Promise<number> {
  const arrived = await Promise.all(
    (['deliveries', 'mails'] as const).map((outbox) =>
      store.db
        .selectFrom(outbox as 'deliveries')
        .select((eb) => eb.fn.max('settled_at').as('at'))
        .where('state', '=', 'delivered')
        .$if(outbox === 'deliveries', (query) => query.where('channel', '=', 'email'))
        .executeTakeFirst(),
    ),
  );
  return Math.max(...arrived.map((row) => row?.at ?? 0));
}

/**
 * Whether the account's own address takes no mail: it refused for good, or the last one to it, alert or not, ended unsent. One
 * that arrived since settles it.
 */
export async function mailIsFailing(
  store: Store,
  { id, email }: Pick<Account, 'id' | 'email'>,
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
      .orderBy('settled_at', 'desc')
      .limit(1)
      .executeTakeFirst(),
    store.db
      .selectFrom('mails')
      .select(['state', 'settled_at'])
      .where('account_id', '=', id)
      // What somebody writes to the operator counts as the operator's.
      .where('recipient', '=', email)
      .where('kind', '!=', 'feedback')
      .where('state', 'in', outcomes)
      .orderBy('settled_at', 'desc')
      .limit(1)
      .executeTakeFirst(),
  ]);
  const [newest] = [alert, other]
    .filter((row) => row !== undefined)
    .toSorted((a, b) => (b.settled_at ?? 0) - (a.settled_at ?? 0));
  return newest?.state === 'failed';
}
