import { expect, it } from 'vitest';
import { createEventStreams } from '../../server/api/event-streams.ts';
import { freshStore } from '../kit/database.ts';

it('A stream that is closed twice takes no later one of its account along', async () => {
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
