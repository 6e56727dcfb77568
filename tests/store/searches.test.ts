import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { isStatementTimeout } from '../../server/store/db/dialect.ts';
import { searchText } from '../../server/store/monitors/monitor-row.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { insertMonitors } from '../kit/databases/insert-rows.ts';
import { NOW, person, recorded, watch } from './samples.ts';
import { updateDescription } from '../../server/store/monitors/monitor-change.ts';
import { eachMonitor, listMonitors, matchingMonitorIds } from '../../server/store/monitors/monitor-list.ts';
import { dashboardSummary } from '../../server/store/monitors/monitor-summary.ts';
import { promise } from '../security/promise.ts';

/** Notes for which a naive search would compare each position with nearly the whole query, and ordinary notes. */
const NOTES = [
  'a'.repeat(2_000),
  `b${'a'.repeat(1_999)}`,
  'ab'.repeat(1_000),
  'あ'.repeat(2_000),
  '😀'.repeat(900),
  `${'a'.repeat(50)}b${'a'.repeat(50)}`,
  'Renewed BY hand: 100 %_\\ "quoted"',
  '',
];
const QUERIES = [
  'a',
  'b',
  'ba',
  'あb',
  'あ',
  '😀',
  'a'.repeat(253),
  `${'a'.repeat(252)}b`,
  `b${'a'.repeat(252)}`,
  `${'a'.repeat(50)}b${'a'.repeat(50)}`,
  'ab'.repeat(126),
  'あ'.repeat(253),
  `b${'あ'.repeat(252)}`,
  'RENEWED by',
  '***=a',
  '***:a',
  '(?i)a',
  '^a*$',
  '%_\\ "',
];

async function describedAccount(store: Store) {
  const { id: accountId } = await person(store, 'alice');
  const texts = new Map<string, string>();
  for (const [index, notes] of NOTES.entries()) {
    const host = `host-${index}.example`;
    const { id: monitorId } = await watch(store, accountId, host, { now: NOW + index });
    const tags = index === 0 ? ['x'.repeat(40)] : [];
    await updateDescription(store, { accountId, monitorId, describe: () => ({ notes, tags }) });
    texts.set(monitorId, searchText({ host, port: 443, notes, tags }));
  }
  return { accountId, texts };
}

describeEachDatabase('searches', (open, name) => {
  it('returns all tags of matching monitors with 600 combinations, and 500 tags of those that have more', async () => {
    const store = await open();
    const listsOf = (count: number, size: number, has: (list: number, tag: number) => boolean) =>
      Array.from({ length: count }, (_, list) =>
        Array.from({ length: size }, (_unused, tag) => `t${tag}`).filter((_tag, tag) => has(list, tag)),
      );
    const few = listsOf(600, 10, (list, tag) => (list >> tag) % 2 > 0);
    const rare = listsOf(101, 111, (list, tag) => tag === list + 10);
    const many = listsOf(30, 600, (list, tag) => Math.floor(tag / 20) === list);
    for (const [name, lists, number] of [
      ['few', [...few, ...rare], 111] as const,
      ['many', many, 500] as const,
    ]) {
      const { id: accountId } = await person(store, name);
      const monitors = lists.map((tags, index) => ({
        id: `${name} ${index}`,
        account_id: accountId,
        host: `host${index}.example`,
        port: 443,
        check_every_minutes: 1440,
        created_at: NOW,
        next_check_at: NOW,
        revoked: 0 as const,
        tags: JSON.stringify(tags),
        search_text: 'host',
      }));
      await insertMonitors(store, monitors);
      for (const q of [undefined, 'host']) {
        const { ids, tags } = await matchingMonitorIds(store, {
          accountId,
          q,
          sort: 'name',
          limit: 900,
          now: NOW,
        });
        expect([ids.length, new Set(tags).size]).toEqual([lists.length, number]);
        expect(tags).toEqual(tags.toSorted());
      }
    }
  });

  it('find exactly the monitors whose text contains the query, also in repetitive text', async () => {
    const store = await open();
    const { accountId, texts } = await describedAccount(store);
    for (const q of QUERIES) {
      const expected = [...texts].filter(([, text]) => text.includes(q.toLowerCase())).map(([id]) => id);
      const query = { accountId, q, sort: 'newest' as const, now: NOW };
      const { ids } = await matchingMonitorIds(store, { ...query, limit: 100 });
      const page = await listMonitors(store, { ...query, page: 1, pageSize: 50 });
      const found = { ids: ids.toSorted(), listed: page.monitors.map(({ id }) => id).toSorted() };
      expect({ q, ...found, total: page.total }).toEqual({
        q,
        ids: expected.toSorted(),
        listed: expected.toSorted(),
        total: expected.length,
      });
    }
  });

  it('scan text only on connections reserved for them, in every call that takes a filter', async () => {
    const store = await open();
    const { accountId } = await describedAccount(store);
    const { watched, asked } = recorded(store);
    for (const filter of [{ q: 'a' }, { tag: 'x' }, { q: 'a', tag: 'x', status: 'pending' as const }]) {
      const query = { accountId, sort: 'name' as const, now: NOW, ...filter };
      await listMonitors(watched, { ...query, page: 1, pageSize: 5 });
      await listMonitors(watched, { ...query, page: 9, pageSize: 5 });
      await matchingMonitorIds(watched, { ...query, limit: 1 });
      await Array.fromAsync(eachMonitor(watched, query));
    }
    await dashboardSummary(watched, { accountId, now: NOW });
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((text) => /search_text|instr|strpos|json_/.test(text))).toEqual([]);
  });

  it('run one at a time for each account and do not wait for other accounts', async () => {
    const store = await open();
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    const search = (account: string, name: string, wait?: Promise<void>) =>
      store.search(account, async () => {
        order.push(`${name} begins`);
        await wait;
        order.push(`${name} ends`);
      });
    const first = search('alice', 'first', gate.promise);
    const second = search('alice', 'second');
    const failing = store.search('alice', () => Promise.reject(new Error('No such column')));
    const third = search('alice', 'third');
    await search('bob', 'other');
    expect(order).toEqual(['first begins', 'other begins', 'other ends']);
    gate.resolve();
    await expect(failing).rejects.toThrow('No such column');
    await Promise.all([first, second, third]);
    expect(order.slice(3)).toEqual([
      'first ends',
      'second begins',
      'second ends',
      'third begins',
      'third ends',
    ]);
    promise('searches');
  });

  if (name === 'sqlite')
    it('leave the event loop free while SQLite scans the worst-case text', async () => {
      const store = await open();
      const { id: accountId } = await person(store, 'alice');
      for (let index = 0; index < 60; index++) await watch(store, accountId, `host-${index}.example`);
      // Insert as much text as 600 domains with the longest notes have.
      await store.db
        .updateTable('monitors')
        .set({ search_text: 'a'.repeat(20_000) })
        .execute();
      const query = { accountId, q: `${'a'.repeat(252)}b`, sort: 'newest' as const, now: NOW };
      const search = () => listMonitors(store, { ...query, page: 1, pageSize: 50 });
      // The first search starts the thread.
      await search();
      const [before, beforeHere] = [process.cpuUsage(), process.threadCpuUsage()];
      await search();
      const [{ user }, { user: here }] = [process.cpuUsage(before), process.threadCpuUsage(beforeHere)];
      // Another thread did most of the work, not this one.
      expect(here).toBeLessThan(user / 2);
      promise('searches');
    });

  if (name === 'postgres')
    it('time out after the configured number of seconds', async () => {
      const store = await open({ limits: { ...STANDARD_LIMITS, searchSeconds: 1 } });
      const slow = store.search('alice', (db) => sql`select pg_sleep(30)`.execute(db));
      await expect(slow.catch((error: unknown) => isStatementTimeout(error))).resolves.toBe(true);
    });
});
