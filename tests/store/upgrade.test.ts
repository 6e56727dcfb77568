import { type Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exportAccountData, exportProfile } from '../../server/store/accounts/export.ts';
import { migrate } from '../../server/store/schema/migrate.ts';
import { levelOf, MIGRATIONS } from '../../server/store/schema/migrations/index.ts';
import { type Database, DATABASES, freshDatabase, hasDatabase } from '../kit/database.ts';
import { rawDatabase } from '../kit/raw-database.ts';
import { checkOf, claimOne, DAY, endingSoon, NOW, recordCheck } from './samples.ts';
import { listMonitors } from '../../server/store/monitors/monitor-list.ts';
import { summary } from '../../server/store/monitors/monitor-summary.ts';

const EARLIER = Object.keys(MIGRATIONS).slice(0, -1).map(levelOf);
const WAYS = DATABASES.filter(hasDatabase).flatMap((name) => EARLIER.map((level) => [name, level] as const));

describe.each(WAYS)('a store that an earlier version left (%s, level %i)', (name, level) => {
  it('opens, lists, sums up, checks, alerts and exports', async () => {
    const database = await freshDatabase(name, { migrated: false });
    onTestFinished(() => database.remove());
    await leave(database, level);

    const store = await database.open();
    const query = { accountId: 'alice', q: '', page: 1, pageSize: 50, sort: 'name' as const, now: NOW };
    const hosts = async () => (await listMonitors(store, query)).monitors.map(({ host }) => host);
    expect(await hosts()).toEqual(['shop.example']);
    expect((await summary(store, { accountId: 'alice', now: NOW })).counts).toMatchObject({ pending: 1 });

    const claimed = await claimOne(store, NOW);
    expect(claimed).toMatchObject({ id: 'watched', host: 'shop.example', port: 443 });
    await recordCheck(store, checkOf(claimed, NOW, [endingSoon()]));
    expect(await hosts()).toEqual(['shop.example']);
    const alerts = await store.db.selectFrom('alerts').select(['kind', 'step']).execute();
    expect(alerts).toContainEqual(expect.objectContaining({ kind: 'expiry' }));

    expect(await exportProfile(store, 'alice')).toMatchObject({ email: 'alice@example.com' });
    const parts = exportAccountData(
      store,
      { id: 'alice', email: 'alice@example.com' },
      { now: NOW, targetOf: () => '' },
    );
    const written: unknown[] = [];
    for (const part of Object.values(parts)) for await (const each of part) written.push(each);
    expect(JSON.stringify(written)).toContain('shop.example');
  });
});

/** What an account, a domain and a session looked like then; each column that came later has its default. */
async function leave(database: Database, level: number): Promise<void> {
  const db = rawDatabase(database) as unknown as Kysely<unknown>;
  await migrate(rawOf(db), { dialect: database.name, name: 'The database', upTo: level });
  await sql`insert into accounts (id, email, email_verified, full_name, paddle_id, company_name, plan, created_at)
    values ('alice', 'alice@example.com', 1, 'Alice', '', '', 'free', ${NOW - 90 * DAY})`.execute(db);
  await sql`insert into monitors (id, account_id, host, port, check_every_minutes, created_at, next_check_at, revoked)
    values ('watched', 'alice', 'shop.example', 443, 1440, ${NOW - DAY}, ${NOW - 1}, 0)`.execute(db);
  await sql`insert into sessions (id, account_id, access_hash, access_expires_at, refresh_hash, refresh_idle_expires_at,
      refresh_expires_at, created_at)
    values ('session', 'alice', 'a', ${NOW + DAY}, 'b', ${NOW + DAY}, ${NOW + DAY}, ${NOW})`.execute(db);
  await db.destroy();
}

const rawOf = (db: Kysely<unknown>) => db as unknown as Parameters<typeof migrate>[0];
