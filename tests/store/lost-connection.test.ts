import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { isDatabaseOutage } from '../../server/store/db/dialect.ts';
import { freshStore, hasDatabase } from '../kit/databases/database.ts';

describe.skipIf(!hasDatabase('postgres'))('a broken connection (postgres)', () => {
  it('fails only the transaction that used it', async () => {
    const store = await freshStore('postgres');
    const cut = store.db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      const pid = rows[0]?.pid ?? 0;
      await sql`select pg_terminate_backend(${sql.lit(pid)})`.execute(store.db);
      const left = sql`select 1 from pg_stat_activity where pid = ${sql.lit(pid)}`;
      await expect.poll(async () => (await left.execute(store.db)).rows).toEqual([]);
      await sql`select 1`.execute(trx);
    });
    await expect(cut).rejects.toSatisfy(isDatabaseOutage);
    expect((await sql`select 1 as one`.execute(store.db)).rows).toEqual([{ one: 1 }]);
  });

  it('has keepalive settings with which the server closes it 45 s after the client vanished', async () => {
    const store = await freshStore('postgres');
    const { rows } = await sql`select name, setting from pg_settings
      where name like 'tcp_%' order by name`.execute(store.db);
    expect(rows).toEqual([
      { name: 'tcp_keepalives_count', setting: '3' },
      { name: 'tcp_keepalives_idle', setting: '15' },
      { name: 'tcp_keepalives_interval', setting: '10' },
      { name: 'tcp_user_timeout', setting: '45000' },
    ]);
  });

  it('does not compile queries, because that takes longer than running them', async () => {
    const store = await freshStore('postgres');
    expect((await sql`show jit`.execute(store.db)).rows).toEqual([{ jit: 'off' }]);
  });
});
