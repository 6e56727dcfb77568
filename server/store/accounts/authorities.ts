import { type Kysely, sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { AuthorityFacts, PrivateAuthority } from '../../core/pasted-certificates.ts';
import { locked, plainBytes } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction, type WriteInTransaction } from '../db/transaction.ts';
import { FACTS } from '../checks/certificates.ts';
import { storedJson } from '../db/stored-json.ts';
import { z } from 'zod';

/** A certificate authority that an account trusts for its own monitors. */
export interface TrustedAuthority {
  id: string;
  facts: AuthorityFacts;
  addedAt: number;
}

const readAuthority: (text: string) => AuthorityFacts = storedJson(
  'facts of an authority',
  FACTS.extend({ subjectFullDn: z.string() }),
);

/** Lists the certificate authorities that the account trusts, newest first. */
export async function listAuthorities(db: Kysely<Tables>, accountId: string): Promise<TrustedAuthority[]> {
  const rows = await db
    .selectFrom('authorities')
    .select(['id', 'facts', 'created_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(({ id, facts, created_at: addedAt }) => ({
    id,
    facts: readAuthority(facts),
    addedAt,
  }));
}

/**
 * Adds trusted authorities, all or none, and skips known ones. If any is new, brings the checks of the account's active monitors
 * forward. Returns all authorities of the account, or `too_many` if there would be more than `max`.
 */
export async function addAuthorities(
  store: Store,
  request: {
    accountId: string;
    authorities: readonly PrivateAuthority[];
    max: number;
    now: number;
    /** Writes of the caller in the same transaction, called with all authorities of the account. */
    alsoWrite?: WriteInTransaction<TrustedAuthority[]>;
  },
): Promise<TrustedAuthority[] | 'too_many'> {
  const { accountId, now } = request;
  const outcome = await inTransaction(store, async (trx) => {
    // Serialise parallel requests of one account, so that they cannot exceed the limit.
    await locked(
      store.dialect,
      trx.selectFrom('accounts').select('id').where('id', '=', accountId),
    ).execute();
    const known = await trx
      .selectFrom('authorities')
      .select('fingerprint')
      .where('account_id', '=', accountId)
      .execute();
    const added = request.authorities.filter(
      ({ facts }) => !known.some(({ fingerprint }) => fingerprint === facts.fingerprint),
    );
    if (known.length + added.length > request.max) return 'too_many';
    if (added.length > 0) {
      await trx
        .insertInto('authorities')
        .values(
          added.map(({ der, facts }) => ({
            id: randomUUID(),
            account_id: accountId,
            fingerprint: facts.fingerprint,
            der,
            facts: JSON.stringify(facts),
            created_at: now,
          })),
        )
        .execute();
      await rescheduleChecks(trx, accountId, now);
    }
    const trusted = await listAuthorities(trx, accountId);
    await request.alsoWrite?.(trx, trusted);
    return { trusted, isDue: added.length > 0 };
  });
  if (outcome === 'too_many') return outcome;
  if (outcome.isDue) store.signals.publish({ topic: 'due' });
  return outcome.trusted;
}

/**
 * Removes an authority and brings the checks of the account's active monitors forward. Returns false if the account has no such
 * authority.
 */
export async function removeAuthority(
  store: Store,
  { accountId, id, now }: { accountId: string; id: string; now: number },
): Promise<boolean> {
  const removed = await inTransaction(store, async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('authorities')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await rescheduleChecks(trx, accountId, now);
    return true;
  });
  if (removed) store.signals.publish({ topic: 'due' });
  return removed;
}

/** Returns the certificate authorities that these accounts added, as DER by account id. Accounts without any have no entry. */
export async function authoritiesByAccount(
  db: Kysely<Tables>,
  accountIds: readonly string[],
): Promise<Map<string, Uint8Array[]>> {
  const rows = await db
    .selectFrom('authorities')
    .select(['account_id', 'der'])
    .where('account_id', 'in', [...new Set(accountIds)])
    .orderBy('fingerprint')
    .execute();
  const byAccount = new Map<string, Uint8Array[]>();
  for (const { account_id: accountId, der } of rows)
    byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), plainBytes(der)]);
  return byAccount;
}

/** Spacing of an account's rescheduled checks, ms. Eight checks per second: thousands of them do not delay other accounts. */
const CHECK_SPACING_MS = 125;

/**
 * Brings the account's next checks forward, spread over time in their current order. A check that is running still uses the old
 * authorities, so its monitor is checked once more.
 */
async function rescheduleChecks(trx: Kysely<Tables>, accountId: string, now: number): Promise<void> {
  await trx
    .with('ranked', (db) =>
      db
        .selectFrom('monitors')
        .select((eb) => [
          'id as ranked_id',
          eb.fn
            .agg<number>('row_number')
            .over((over) => over.orderBy('next_check_at').orderBy('id'))
            .as('rank'),
        ])
        .where('account_id', '=', accountId)
        .where(sql<boolean>`active = 1`),
    )
    .updateTable('monitors')
    .from('ranked')
    .set((eb) => ({
      next_check_at: eb
        .case()
        .when(
          'next_check_at',
          '>',
          sql<number>`${now} + ${eb.ref('ranked.rank')} * ${sql.lit(CHECK_SPACING_MS)}`,
        )
        .then(sql<number>`${now} + ${eb.ref('ranked.rank')} * ${sql.lit(CHECK_SPACING_MS)}`)
        .else(eb.ref('next_check_at'))
        .end(),
      check_requested_at: eb
        .case()
        .when('lease_token', 'is not', null)
        .then(now)
        .else(eb.ref('check_requested_at'))
        .end(),
    }))
    .where('monitors.account_id', '=', accountId)
    .whereRef('monitors.id', '=', 'ranked.ranked_id')
    .execute();
}
