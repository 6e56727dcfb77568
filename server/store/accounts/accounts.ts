import type { Selectable } from 'kysely';
import type { Entitlement } from '../../core/plan.ts';
import { applyEntitlement, publishPlanChange, storedEntitlement } from '../billing/entitlements.ts';
import type { Store } from '../db/open-store.ts';
import type { AccountsTable } from '../schema/account-tables.ts';
import { inTransaction } from '../db/transaction.ts';

export interface Account {
  id: string;
  /** The mail address in lower case. */
  email: string;
  /** True if an identity provider has verified the address. */
  emailVerified: boolean;
  fullName: string;
  photoUrl: string | null;
  /** The customer id at the payment provider; empty if there is none. */
  paddleId: string;
  companyName: string;
  /** The entitlement as stored. `entitlementAt` returns the entitlement in effect at a time. */
  entitlement: Entitlement;
  disabled: boolean;
  /** IANA time zone name; null: UTC. */
  timeZone: string | null;
  createdAt: number;
}

export async function findAccount(store: Store, id: string): Promise<Account | null> {
  const row = await store.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toAccount(row) : null;
}

/** Lists the sign-in identities of the account, oldest first. */
export async function listIdentities(
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

/** Changes the name and company, or the time zone. Returns the account, or null if it does not exist. */
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

/** Grants Premium until `endsAt` (ms UTC; null: without end). A null `grant` revokes the grant. */
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
    await applyEntitlement(store, trx, { accountId, now });
  });
  publishPlanChange(store, accountId);
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
    entitlement: storedEntitlement(row),
    disabled: row.disabled_at !== null,
    timeZone: row.time_zone,
    createdAt: row.created_at,
  };
}
