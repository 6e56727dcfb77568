import type { Account } from './accounts.ts';
import { isActive } from './monitor-claims.ts';
import type { Store } from './open-store.ts';
import { isForEnabledAccount, isWaiting } from './outbox.ts';

/** Far longer than a busy worker or a restart takes: somebody has to look. */
export const LATE_MS = 10 * 60_000;

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

/**
 * Since when (ms UTC) mail has been tried in vain, with none that arrived meanwhile; null where it works, or for less than a
 * quarter of an hour: a receiver that puts strangers off for some minutes (greylisting) is no outage.
 */
export async function mailDownSince(store: Store, now: number): Promise<number | null> {
  const tried = await Promise.all(
    (['deliveries', 'mails'] as const).map((outbox) =>
      store.db
        .selectFrom(outbox as 'deliveries')
        .select((eb) => eb.fn.min('first_attempt_at').as('at'))
        .where(isWaiting)
        .where('attempts', '>=', TELLING_ATTEMPTS)
        .$if(outbox === 'deliveries', (query) => query.where('channel', '=', 'email'))
        .executeTakeFirst(),
    ),
  );
  const instants = tried.flatMap((row) => row?.at ?? []);
  const since = Math.min(...instants);
  if (instants.length === 0 || since > now - MAIL_DOWN_MS) return null;
  const arrived = await Promise.all(
    (['deliveries', 'mails'] as const).map((outbox) =>
      store.db
        .selectFrom(outbox as 'deliveries')
        .select('id')
        .where('state', '=', 'delivered')
        .where('settled_at', '>', now - MAIL_DOWN_MS)
        .$if(outbox === 'deliveries', (query) => query.where('channel', '=', 'email'))
        .limit(1)
        .executeTakeFirst(),
    ),
  );
  return arrived.some((row) => row !== undefined) ? null : since;
}

const MAIL_DOWN_MS = 15 * 60_000;

/** Whether the last mail to the account's own address, alert or not, ended unsent; one that arrived since settles it. */
export async function mailIsFailing(
  store: Store,
  { id, email }: Pick<Account, 'id' | 'email'>,
): Promise<boolean> {
  const outcomes = ['delivered', 'failed'] as const;
  const [alert, other] = await Promise.all([
    store.db
      .selectFrom('deliveries')
      .select(['state', 'settled_at'])
      .where('account_id', '=', id)
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
