import { expect, it } from 'vitest';
import { createIdentityEvents } from '../../server/api/auth/identity-events.ts';
import { openAccount } from '../../server/store/accounts/sign-in.ts';
import { tablesWith } from '../../server/store/schema/catalogue.ts';
import type { NewOwnerPolicy } from '../../server/store/schema/catalogue-rules.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { accountTables, type Row, rowsOf } from '../kit/databases/account-tables.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { resetPassword } from './identity-acts.ts';
import { provision } from './takeover-provisions.ts';
import { startApi, type TestApi } from './test-api.ts';

const FATES: Record<string, NewOwnerPolicy> = Object.fromEntries(tablesWith('newOwner'));

/** Every way in which the owner of an account's address can prove it. */
const PROOFS: Record<string, (api: TestApi, email: string) => Promise<unknown>> = {
  'sets a password by mail': (api, email) => resetPassword(api, email, 'only the owner knows this'),
  'signs in with a provider that verified the address': async ({ store, clock }) => {
    const { id } = await store.db.selectFrom('user').select('id').executeTakeFirstOrThrow();
    const events = createIdentityEvents({ store, clock, publicUrl: new URL('http://localhost:8080') });
    return events.addressProven(id, { profile: { name: 'Owner', image: null } });
  },
  'signs in as another user of a provider': ({ store, clock }, email) =>
    openAccount(store, { ...vouched(email, clock.now()), issuer: 'https://other.example', subject: 'owner' }),
  'signs in as the same user, whose address is now verified': async ({ store, clock }, email) => {
    const known = await store.db
      .selectFrom('identities')
      .select(['issuer', 'subject'])
      .executeTakeFirstOrThrow();
    return openAccount(store, { ...vouched(email, clock.now()), ...known });
  },
};
const vouched = (email: string, now: number) => ({
  email,
  emailVerified: true,
  name: null,
  company: null,
  now,
});

/** Columns that change in rows that stay, in addition to the rules of `CATALOGUE`. */
const ALSO_CHANGES: Record<string, string[]> = {
  identities: ['issuer', 'subject', 'email_verified', 'created_at'],
  monitor_listing: ['phase', 'trouble', 'fault', 'tags', 'search_text'],
  mails: ['state', 'settled_at', 'detail', 'data'],
};

describeEachDatabase('A takeover of an account by the owner of its address', (open) => {
  it('has a rule for every table and column of the account', async () => {
    const { store } = await startApi(open);
    const tables = await accountTables(store);
    expect([...tables.keys()].toSorted()).toEqual(Object.keys(FATES).toSorted());
    for (const [table, columns] of tables) {
      const fate = FATES[table];
      expect([table, columns.includes(table === 'accounts' ? 'id' : 'account_id')]).toEqual([table, true]);
      if (typeof fate === 'object' && 'columns' in fate)
        expect([table, Object.keys(fate.columns).toSorted()]).toEqual([table, columns.toSorted()]);
    }
  });

  it.each(Object.keys(PROOFS))('changes exactly what its rules say when the owner %s', async (way) => {
    const api = await startApi(open);
    const { squatter } = await provision(api);
    const before = await everyRow(api.store, squatter.id);
    // A table without rows would leave its rule untested.
    expect([...before].filter(([, rows]) => rows.length === 0)).toEqual([]);
    await PROOFS[way]?.(api, squatter.email);
    const after = await everyRow(api.store, squatter.id);
    for (const [table, rows] of before)
      expectFate(table, { before: rows, after: after.get(table) ?? [], now: api.clock.now() });
    expect(after.get('accounts')).toMatchObject([{ email: squatter.email, email_verified: 1 }]);

    const mails = (after.get('mails') ?? []).filter(({ state }) => state === 'waiting');
    const kinds = mails.map(({ kind }) => String(kind));
    const isReset = way === 'sets a password by mail';
    expect(new Set(kinds)).toEqual(
      new Set(['account_cleared', 'feedback', ...(isReset ? ['password_changed'] : [])]),
    );
    const cleared = mails.find(({ kind }) => kind === 'account_cleared');
    expect(cleared?.['recipient']).toBe(squatter.email);
    expect(JSON.parse(String(cleared?.['data']))).toEqual({
      domains: 3,
      removed: {
        channels: 2,
        maintenance_windows: 1,
        api_tokens: 1,
        calendar_feeds: 1,
        status_pages: 1,
        badges: 1,
        authorities: 1,
      },
    });
  });
});

async function everyRow(store: Store, accountId: string): Promise<Map<string, Row[]>> {
  const rows = new Map<string, Row[]>();
  for (const table of (await accountTables(store)).keys())
    rows.set(table, await rowsOf(store, table, accountId));
  return rows;
}

function expectFate(
  table: string,
  { before, after, now }: { before: Row[]; after: Row[]; now: number },
): void {
  const fate = FATES[table];
  if (fate === undefined) throw new Error(`${table} has no rule`);
  if (fate === 'removed' || fate === 'reported') return expect([table, after]).toEqual([table, []]);
  const free = new Set(ALSO_CHANGES[table]);
  const standard: Row = {};
  if ('columns' in fate)
    for (const [column, of] of Object.entries<unknown>(fate.columns)) {
      if (typeof of !== 'string') free.add(column);
      if (typeof of === 'function') standard[column] = (of as (now: number) => unknown)(now);
    }
  const kept = (row: Row) => Object.fromEntries(Object.entries(row).filter(([column]) => !free.has(column)));
  // The takeover adds mails to the owner.
  expect([table, after.map(kept)]).toEqual([table, expect.arrayContaining(before.map(kept))]);
  for (const [column, value] of Object.entries(standard)) {
    const was = before.map((row) => row[column]);
    const is = after.map((row) => (column === 'paused_at' && row[column] !== null ? now : row[column]));
    // A column whose value the takeover does not change would leave its rule untested.
    expect([table, column, was]).not.toEqual([table, column, before.map(() => value)]);
    expect([table, column, is]).toEqual([table, column, after.map(() => value)]);
  }
}
