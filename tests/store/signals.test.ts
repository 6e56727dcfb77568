import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../server/store/db/open-store.ts';
import type { Signal } from '../../server/store/db/signals.ts';
import { describeEachDatabase, freshDatabase, hasDatabase } from '../kit/databases/database.ts';

const change: Signal = { topic: 'domain', accountId: 'a', monitorId: 'm', change: 'checked' };

describeEachDatabase('signals', (open) => {
  it('reach listeners of the same process at once, until they unsubscribe', async () => {
    const store = await open();
    const heard: Signal[] = [];
    const leave = store.signals.subscribe((signal) => heard.push(signal));
    store.signals.publish(change);
    leave();
    store.signals.publish(change);
    expect(heard).toEqual([change]);
  });
});

describe.skipIf(!hasDatabase('postgres'))('signals between processes (postgres)', () => {
  it('arrive once in the other process and not again in the sender', async () => {
    const [home, other] = await twoStores();
    const heard = { home: listen(home), other: listen(other) };
    home.signals.publish(change);
    const others: Signal[] = [
      { topic: 'due' },
      { topic: 'mails' },
      { topic: 'account', accountId: 'a' },
      { topic: 'session_ended', accountId: 'a', sessionId: null },
    ];
    for (const signal of others) home.signals.publish(signal);
    // Each signal uses whichever connection is free, so their order may change.
    await expect.poll(() => new Set(heard.other)).toEqual(new Set([change, ...others]));
    expect(heard.other).toHaveLength(1 + others.length);
    other.signals.publish({ topic: 'deliveries' });
    // Signals on one connection keep their order, so an echo would arrive before this signal.
    await expect.poll(() => heard.home.at(-1)).toEqual({ topic: 'deliveries' });
    expect(heard.home).toEqual([change, ...others, { topic: 'deliveries' }]);
  });

  it('resume after a broken connection, wake the worker loops and report that signals were missed', async () => {
    const [home, other] = await twoStores();
    const heard = listen(other);
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query = 'listen certlantern'`.execute(home.db);
    const loops = ['due', 'deliveries', 'mails', 'icons', 'log_lists', 'glances', 'missed'].map((topic) => ({
      topic,
    }));
    await expect.poll(() => heard).toEqual(loops);
    home.signals.publish(change);
    await expect.poll(() => heard.at(-1)).toEqual(change);
  });

  it('are not triggered by malformed notifications', async () => {
    const [home, other] = await twoStores();
    const heard = listen(other);
    for (const payload of ['', 'null', '{', '{"signal":7}', '{"signal":{"topic":"x"}}'])
      await sql`select pg_notify('certlantern', ${payload})`.execute(home.db);
    home.signals.publish(change);
    await expect.poll(() => heard).toEqual([change]);
  });
});

async function twoStores(): Promise<[Store, Store]> {
  const database = await freshDatabase('postgres');
  onTestFinished(() => database.remove());
  return [await database.open(), await database.open()];
}

function listen(store: Store): Signal[] {
  const heard: Signal[] = [];
  store.signals.subscribe((signal) => heard.push(signal));
  return heard;
}
