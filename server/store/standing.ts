import type { Account } from './accounts.ts';
import { isActive } from './monitor-claims.ts';
import type { Store } from './open-store.ts';

/** Far longer than a busy worker or a restart takes: somebody has to look. */
const LATE_MS = 10 * 60_000;

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
