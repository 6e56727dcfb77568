import { expect, it } from 'vitest';
import { createEventStreams } from '../../server/api/http/event-streams.ts';
import { freshStore } from '../kit/database.ts';

it('Closing an event stream twice does not close a later stream of the account', async () => {
  const store = await freshStore('sqlite');
  const streams = createEventStreams(store, { now: () => 0 });
  const session = { accountId: 'account', sessionId: 'session' };
  const first = streams.open(session);
  first?.close();
  const second = streams.open(session);
  first?.close();
  store.signals.publish({ topic: 'domain', accountId: 'account', monitorId: 'gone', change: 'removed' });
  expect(await second?.next(0)).toEqual({ event: 'domain_removed', data: { id: 'gone' } });
});

it('An event stream sends one account event for several changes, before the domain events', async () => {
  const store = await freshStore('sqlite');
  const stream = createEventStreams(store, { now: () => 0 }).open({ accountId: 'a', sessionId: 's' });
  store.signals.publish({ topic: 'domain', accountId: 'a', monitorId: 'gone', change: 'changed' });
  for (const accountId of ['a', 'a', 'b']) store.signals.publish({ topic: 'account', accountId });
  expect(await stream?.next(0)).toEqual({ event: 'account', data: {} });
  expect(await stream?.next(0)).toEqual({ event: 'domain_removed', data: { id: 'gone' } });
  expect(await stream?.next(0)).toBeNull();
  store.signals.publish({ topic: 'account', accountId: 'b' });
  expect(await stream?.next(0)).toBeNull();
});

it('Every event stream ends when signals may have been missed, even while waiting', async () => {
  const store = await freshStore('sqlite');
  const streams = createEventStreams(store, { now: () => 0 });
  const [one, other] = ['a', 'b'].map((accountId) => streams.open({ accountId, sessionId: 's' }));
  const waiting = one?.next(60_000);
  expect([one?.hasMissedEvents, other?.hasMissedEvents]).toEqual([false, false]);
  store.signals.publish({ topic: 'missed' });
  expect(await waiting).toBeNull();
  expect([one?.hasMissedEvents, other?.hasMissedEvents]).toEqual([true, true]);
});

it('An event stream ends when all sessions of its account end', async () => {
  const store = await freshStore('sqlite');
  const streams = createEventStreams(store, { now: () => 0 });
  const [own, other] = ['a', 'b'].map((accountId) => streams.open({ accountId, sessionId: 's' }));
  store.signals.publish({ topic: 'session_ended', accountId: 'a', sessionId: null });
  expect(await own?.next(0)).toEqual({ event: 'session_ended', data: {} });
  expect(await other?.next(0)).toBeNull();
});
