import { type Kysely, sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { AuthorityFacts, PrivateAuthority } from '../../core/index.ts';
import { bytes, locked } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { type Alongside, inTransaction } from '../db/transaction.ts';
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

/** Newest first. */
export async function authoritiesOf(db: Kysely<Tables>, accountId: string): Promise<TrustedAuthority[]> {
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
 * Lets the account trust these, all or none: `too_many` where it would have more than `most`. Known ones stay as they are. Resolves to
 * all that it trusts then.
 * With a new one the account's monitors are looked at again soon.
 */
export async function addAuthorities(
  store: Store,
  request: {
    accountId: string;
    authorities: readonly PrivateAuthority[];
    most: number;
    now: number;
    /** Gets all that the account trusts then. */
    alongside?: Alongside<TrustedAuthority[]>;
  },
): Promise<TrustedAuthority[] | 'too_many'> {
  const { accountId, now } = request;
  const outcome = await inTransaction(store, async (trx) => {
    // Parallel wishes of one account queue on its row.
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
    if (known.length + added.length > request.most) return 'too_many';
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
      await lookAgain(trx, accountId, now);
    }
    const trusted = await authoritiesOf(trx, accountId);
    await request.alongside?.(trx, trusted);
    return { trusted, isDue: added.length > 0 };
  });
  if (outcome === 'too_many') return outcome;
  if (outcome.isDue) store.signals.publish({ topic: 'due' });
  return outcome.trusted;
}

/** False: the account has no such authority. Its monitors are looked at again soon. */
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
    await lookAgain(trx, accountId, now);
    return true;
  });
  if (removed) store.signals.publish({ topic: 'due' });
  return removed;
}

/** What each of these accounts trusts of its own, as DER; accounts without any are not in it. */
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
    byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), bytes(der)]);
  return byAccount;
}

/** Eight a second: nobody else's checks wait for an account with thousands. */
const APART_MS = 125;

/**
 * Every check of the account comes soon, the soonest first; one that runs was made with the other authorities and is followed
 * by another.
 */
async function lookAgain(trx: Kysely<Tables>, accountId: string, now: number): Promise<void> {
  await trx
    .with('places', (db) =>
      db
        .selectFrom('monitors')
        .select((eb) => [
          'id as place_of',
          eb.fn
            .agg<number>('row_number')
            .over((over) => over.orderBy('next_check_at').orderBy('id'))
            .as('place'),
        ])
        .where('account_id', '=', accountId)
        .where(sql<boolean>`active = 1`),
    )
    .updateTable('monitors')
    .from('places')
    .set((eb) => ({
      next_check_at: eb
        .case()
        .when('next_check_at', '>', sql<number>`${now} + ${eb.ref('places.place')} * ${sql.lit(APART_MS)}`)
        .then(sql<number>`${now} + ${eb.ref('places.place')} * ${sql.lit(APART_MS)}`)
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
    .whereRef('monitors.id', '=', 'places.place_of')
    .execute();
}
