import { setTimeout as delay } from 'node:timers/promises';
import { CALLS } from '../../contract/calls/calls.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import type { Database } from '../kit/databases/database.ts';
import { createLimits, type Outcome } from './outcome.ts';
import { rowId } from './reconciliation.ts';
import { createWorld } from './world.ts';
import { SECOND_MS } from '../../contract/durations.ts';

/** Maximum wait for a condition, ms; longer than the lease on a delivery. */
const WAIT_TIMEOUT_MS = 150_000;
/**
 * Pauses a worker in the middle of a delivery until its lease expires and another worker sends the message. Then
 * resumes the worker, whose late result must change nothing.
 */
export async function stallWorker({ database }: { database: Database }): Promise<Outcome> {
  const world = await createWorld(database);
  const limits = createLimits();
  try {
    await world.start({ ROLE: 'api' });
    const stalled = world.startWorker();
    const person = await world.addPerson({ localPart: 'slow', path: null });
    const host = world.hosts.add('ends in days');
    void (await person.ask(CALLS.addDomain, { body: { host } })).ok;
    const store = await world.store();
    const name = host.replace(/:\d+$/, '');
    const copies = () => world.mails.read().filter(({ text }) => text.startsWith(name));
    await waitUntil(() => copies().length === 1);
    stalled.process.kill('SIGSTOP');
    // The paused worker reads the mail server's reply when it resumes, and then tries to settle the delivery although
    // its lease has expired.
    await world.mails.order({ kind: 'release' });
    const stoppedAt = Date.now();
    world.startWorker();
    const deliveryId = rowId(copies()[0]?.id ?? '');
    await waitUntil(async () => (await rowOf(store, deliveryId))?.state === 'delivered');
    const tookMs = Date.now() - stoppedAt;
    const settled = await rowOf(store, deliveryId);
    stalled.process.kill('SIGCONT');
    await delay(5 * SECOND_MS);
    const after = await rowOf(store, deliveryId);
    limits.expect(copies().length === 2, `the message arrived ${copies().length} times`);
    limits.expect(new Set(copies().map(({ id }) => id)).size === 1, 'the message arrived under two ids');
    limits.expect(settled?.attempts === 2, `the message took ${settled?.attempts} attempts`);
    limits.expect(
      JSON.stringify(after) === JSON.stringify(settled),
      `the resumed worker changed ${JSON.stringify(settled)} to ${JSON.stringify(after)}`,
    );
    const isAlive = stalled.process.exitCode === null && stalled.process.signalCode === null;
    limits.expect(isAlive, 'the resumed worker has exited');
    return {
      line: `a worker was paused while sending: another one sent after ${Math.round(tookMs / SECOND_MS)} s, 2 arrived under one id, and its late result changed nothing`,
      broken: limits.broken,
    };
  } finally {
    await world.end();
  }
}

async function rowOf({ db }: Store, id: string) {
  const delivery = await db
    .selectFrom('deliveries')
    .select(['state', 'attempts', 'settled_at', 'detail', 'lease_token'])
    .where('id', '=', id)
    .executeTakeFirst();
  const attempts = await db
    .selectFrom('delivery_attempts')
    .select(['attempt', 'outcome', 'finished_at'])
    .where('delivery_id', '=', id)
    .orderBy('attempt')
    .execute();
  return delivery && { ...delivery, tries: attempts };
}

/** Polls until `condition` returns true. @throws Error after `WAIT_TIMEOUT_MS`. */
async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  const until = Date.now() + WAIT_TIMEOUT_MS;
  while (!(await condition())) {
    if (Date.now() > until)
      throw new Error(`This was not true within ${WAIT_TIMEOUT_MS / SECOND_MS} s: ${condition.toString()}`);
    await delay(100);
  }
}
