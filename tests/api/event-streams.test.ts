import { expect, it } from 'vitest';
import { createEventStreams } from '../../server/api/http/event-streams.ts';
import { freshStore } from '../kit/databases/database.ts';

const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

it('Closing an event stream twice does not close a later stream of the account', async () => {
  const store = await freshStore('sqlite');
  const streams = createEventStreams(store, { now: () => 0 });
  const session = { accountId: 'account', sessionId: 'session' };
  const first = streams.open(session);
  first?.close();
  const second = streams.open(session);
  first?.close();
  store.signals.publish({ topic: 'domain', accountId: 'account', monitorId: 'gone', change: 'removed' });
  expect(await second?.next(0)).toBe(event('domain_removed', { id: 'gone' }));
});

it('An event stream sends one account event for several changes, before the domain events', async () => {
  const store = await freshStore('sqlite');
  const stream = createEventStreams(store, { now: () => 0 }).open({ accountId: 'a', sessionId: 's' });
  store.signals.publish({ topic: 'domain', accountId: 'a', monitorId: 'gone', change: 'changed' });
  for (const accountId of ['a', 'a', 'b']) store.signals.publish({ topic: 'account', accountId });
  expect(await stream?.next(0)).toBe(event('account', {}) + event('domain_removed', { id: 'gone' }));
  expect(await stream?.next(0)).toBeNull();
  store.signals.publish({ topic: 'account', accountId: 'b' });
  expect(await stream?.next(0)).toBeNull();
});

it('Every event stream stops waiting and reports missed events when signals may have been lost', async () => {
  const store = await freshStore('sqlite');
  const streams = createEventStreams(store, { now: () => 0 });
  const [one, other] = ['a', 'b'].map((accountId) => streams.open({ accountId, sessionId: 's' }));
  const waiting = one?.next(60_000);
  expect([one?.hasMissedEvents, other?.hasMissedEvents]).toEqual([false, false]);
  store.signals.publish({ topic: 'missed' });
  expect(await waiting).toBeNull();
  expect([one?.hasMissedEvents, other?.hasMissedEvents]).toEqual([true, true]);
});

it('An event stream sends session_ended when all sessions of its account end', async () => {
  const store = await freshStore('sqlite');
  const streams = createEventStreams(store, { now: () => 0 });
  const [own, other] = ['a', 'b'].map((accountId) => streams.open({ accountId, sessionId: 's' }));
  store.signals.publish({ topic: 'session_ended', accountId: 'a', sessionId: null });
  expect(await own?.next(0)).toBe(event('session_ended', {}));
  expect(await other?.next(0)).toBeNull();
});

it('An event stream sends changes within a second of the last batch together, each domain once', async () => {
  const store = await freshStore('sqlite');
  const stream = createEventStreams(store, { now: () => 0 }).open({ accountId: 'a', sessionId: 's' });
  const change = (monitorId: string) =>
    store.signals.publish({ topic: 'domain', accountId: 'a', monitorId, change: 'checked' });
  change('first');
  expect(await stream?.next(0)).toBe(event('domain_removed', { id: 'first' }));
  for (const id of ['second', 'third', 'second']) change(id);
  expect(await stream?.next(60_000)).toBe(
    event('domain_removed', { id: 'second' }) + event('domain_removed', { id: 'third' }),
  );
});

it('An event stream sends added and removed domains at once, even within a second of the last batch', async () => {
  const store = await freshStore('sqlite');
  const stream = createEventStreams(store, { now: () => 0 }).open({ accountId: 'a', sessionId: 's' });
  for (const change of ['checked', 'removed', 'added'] as const) {
    store.signals.publish({ topic: 'domain', accountId: 'a', monitorId: change, change });
    expect(await stream?.next(0)).toBe(event('domain_removed', { id: change }));
  }
});

it('An event stream with a slow reader returns every change, in batches of 500', async () => {
  const store = await freshStore('sqlite');
  const stream = createEventStreams(store, { now: () => 0 }).open({ accountId: 'a', sessionId: 's' });
  for (let number = 0; number < 1_200; number++)
    store.signals.publish({ topic: 'domain', accountId: 'a', monitorId: `m${number}`, change: 'checked' });
  const counts: number[] = [];
  for (let batch = 0; batch < 3; batch++)
    counts.push((await stream?.next(0))?.match(/domain_removed/g)?.length ?? 0);
  expect(counts).toEqual([500, 500, 200]);
  expect(await stream?.next(0)).toBeNull();
});

it('All event streams of an account share one database query for a changed domain', async () => {
  const texts: string[] = [];
  const store = await freshStore('sqlite', { onQuery: ({ text }) => void texts.push(text) });
  const streams = createEventStreams(store, { now: () => 0 });
  const open = Array.from({ length: 20 }, () => streams.open({ accountId: 'a', sessionId: 's' }));
  texts.length = 0;
  store.signals.publish({ topic: 'domain', accountId: 'a', monitorId: 'gone', change: 'checked' });
  const received = await Promise.all(open.map(async (stream) => stream?.next(0)));
  expect(received).toEqual(Array(20).fill(event('domain_removed', { id: 'gone' })));
  expect(texts.filter((text) => text.includes('"monitors"'))).toHaveLength(1);
});
