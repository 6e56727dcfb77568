import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type Account, deleteAccount } from '../../server/store/accounts.ts';
import { claimDueDeliveries } from '../../server/store/deliveries.ts';
import type { Store } from '../../server/store/open-store.ts';
import { openSession } from '../../server/store/sessions.ts';
import { describeEachDatabase } from '../kit/database.ts';
import { alertFor, certificate, check, DAY, NOW, person, type SampleCertificate, watch } from './samples.ts';

/** Tables with nothing of an account in them. */
const NOBODYS = ['kysely_migration', 'kysely_migration_lock', 'jwks', 'rate_limits'];

describeEachDatabase('the deletion of an account', (open) => {
  it('leaves no row of it in any table, and every row of the others', async () => {
    const store = await open();
    const shared = certificate({ subject: 'R10' });
    await live(store, 'bob', shared);
    const before = await everyRow(store);

    const alice = await live(store, 'alice', shared);
    const between = await everyRow(store);
    const grown = Object.keys(between).filter(
      (table) => (between[table]?.length ?? 0) > (before[table]?.length ?? 0),
    );
    // A table that this test does not fill would pass unseen.
    expect(grown.toSorted()).toEqual(
      Object.keys(between)
        .filter((table) => !NOBODYS.includes(table))
        .toSorted(),
    );

    await deleteAccount(store, alice.id);
    expect(await everyRow(store)).toEqual(before);
  });
});

/** Leaves a row in every table that knows accounts. */
async function live(store: Store, name: string, shared: SampleCertificate): Promise<Account> {
  const account = await person(store, name);
  await openSession(store, {
    sessionId: `session of ${name}`,
    accountId: account.id,
    accessHash: 'a',
    refreshHash: 'r',
    accessExpiresAt: NOW,
    refreshIdleExpiresAt: NOW + DAY,
    refreshExpiresAt: NOW + DAY,
    now: NOW,
  });
  const leaf = certificate({ subject: `${name}.example` });
  await watch(store, account.id, `${name}.example`);
  await check(store, NOW, [leaf, shared], { alerts: [alertFor(leaf)] });
  await claimDueDeliveries(store, { now: NOW, limit: 9, leaseMs: DAY, claimedBy: 'a worker' });

  const user = `${name} at the provider`;
  const at = new Date(NOW).toISOString();
  const flag = store.dialect === 'postgres' ? sql`true` : sql`1`;
  for (const insert of [
    sql`insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
        values (${user}, ${name}, ${account.email}, ${flag}, ${at}, ${at})`,
    sql`insert into session (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
        values (${name}, ${at}, ${name}, ${at}, ${at}, ${user})`,
    sql`insert into account (id, "accountId", "providerId", "userId", "createdAt", "updatedAt")
        values (${name}, ${user}, 'credential', ${user}, ${at}, ${at})`,
    sql`insert into verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
        values (${name}, ${`reset-password:${name}`}, ${user}, ${at}, ${at}, ${at})`,
  ])
    await insert.execute(store.db);
  return account;
}

async function everyRow(store: Store): Promise<Record<string, string[]>> {
  const tables = await store.db.introspection.getTables({ withInternalKyselyTables: true });
  const rows = tables.map(async ({ name }) => {
    const { rows: found } = await sql`select * from ${sql.table(name)}`.execute(store.db);
    return [name, found.map((row) => JSON.stringify(row)).toSorted()] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}
