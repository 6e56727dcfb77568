import type { Selectable } from 'kysely';
import type { Entitlement } from '../../core/index.ts';
import { announcePlan, settledEntitlement, settlePlan } from '../billing/entitlements.ts';
import type { Store } from '../db/open-store.ts';
import type { AccountsTable } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

export interface Account {
  id: string;
  /** Lower case. */
  email: string;
  /** An identity provider vouches for the address. */
  emailVerified: boolean;
  fullName: string;
  photoUrl: string | null;
  /** The payment provider's customer; empty where there is none. */
  paddleId: string;
  companyName: string;
  /** What was last settled; `entitlementAt` says what holds now. */
  entitlement: Entitlement;
  disabled: boolean;
  /** IANA name; null: UTC. */
  timeZone: string | null;
  createdAt: number;
}

export async function accountById(store: Store, id: string): Promise<Account | null> {
  const row = await store.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toAccount(row) : null;
}

/** What identity providers know the account by, the oldest first. */
export async function identitiesOf(
  store: Store,
  accountId: string,
): Promise<{ issuer: string; subject: string }[]> {
  return store.db
    .selectFrom('identities')
    .select(['issuer', 'subject'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .execute();
}

/** Null when the account is gone. */
export async function updateAccount(
  store: Store,
  id: string,
  change: { fullName: string; companyName: string } | { timeZone: string | null },
): Promise<Account | null> {
  return inTransaction(store, async (trx) => {
    const row = await trx
      .updateTable('accounts')
      .set(
        'timeZone' in change
          ? { time_zone: change.timeZone }
          : { full_name: change.fullName, company_name: change.companyName },
      )
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    return row ? toAccount(row) : null;
  });
}

/** Gives Premium, until `endsAt` (ms UTC) or for good where that is null; `grant` null takes what was given back. */
export async function grantPremium(
  store: Store,
  accountId: string,
  { grant, now }: { grant: { endsAt: number | null } | null; now: number },
): Promise<void> {
  await inTransaction(store, async (trx) => {
    await trx
      .updateTable('accounts')
      .set({ granted_at: grant && now, grant_ends_at: grant?.endsAt ?? null })
      .where('id', '=', accountId)
      .execute();
    await settlePlan(store, trx, { accountId, now });
  });
  announcePlan(store, accountId);
}

export function toAccount(row: Selectable<AccountsTable>): Account {
  return {
    id: row.id,
    email: row.email,
    emailVerified: row.email_verified === 1,
    fullName: row.full_name,
    photoUrl: row.photo_url,
    paddleId: row.paddle_id,
    companyName: row.company_name,
    entitlement: settledEntitlement(row),
    disabled: row.disabled_at !== null,
    timeZone: row.time_zone,
    createdAt: row.created_at,
  };
}
