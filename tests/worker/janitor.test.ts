import { expect, it } from 'vitest';
import { certificateDer } from '../../server/store/certificates.ts';
import { enqueueMail } from '../../server/store/mails.ts';
import { claimDue, history, removeMonitor } from '../../server/store/monitors.ts';
import { consumeRateLimit } from '../../server/store/rate-limits.ts';
import { openSession } from '../../server/store/sessions.ts';
import { describeEachDatabase } from '../kit/database.ts';
import { DAY_MS, HOUR_MS, type Rig, START, startRig } from './rig.ts';

const remind = ({ store, clock, accountId }: Rig) =>
  store.db.transaction().execute((trx) =>
    enqueueMail(trx, {
      accountId,
      recipient: 'alice@certs.test',
      content: { kind: 'password_changed' },
      now: clock.now(),
    }),
  );

describeEachDatabase('the janitor', (open) => {
  it('removes what nobody needs any more and nothing else', async () => {
    const rig = await startRig(await open());
    const { store, accountId } = rig;
    const kept = rig.issue('kept.example', { notAfter: START + 300 * DAY_MS });
    const monitor = await rig.watch('kept.example', kept);
    const gone = rig.issue('gone.example', { notAfter: START + 300 * DAY_MS });
    const removed = await rig.watch('gone.example', gone);
    await rig.runDue();
    await removeMonitor(store, { accountId, monitorId: removed.id });
    for (const [sessionId, lifetime] of [
      ['old', DAY_MS],
      ['new', 200 * DAY_MS],
    ] as const)
      await openSession(store, {
        accountId,
        sessionId,
        accessHash: sessionId,
        refreshHash: sessionId,
        accessExpiresAt: START + HOUR_MS,
        refreshIdleExpiresAt: START + lifetime,
        refreshExpiresAt: START + lifetime,
        now: START,
      });
    await consumeRateLimit(store, { key: 'sign-in', limit: 5, windowMs: HOUR_MS, now: START });
    await remind(rig);
    await rig.runDue();
    await remind(rig);
    await store.db
      .insertInto('alerts')
      .values({
        ...{ id: 'a test of a channel', account_id: accountId, kind: 'test', step: 'opened' },
        ...{ fingerprint: '', severity: 'info', facts: '{}', created_at: START },
      })
      .execute();

    rig.clock.set(START + 91 * DAY_MS);
    await rig.runDue();
    await rig.worker.sweep();

    const count = async (table: 'alerts' | 'check_runs' | 'sessions' | 'rate_limits' | 'mails') =>
      (await store.db.selectFrom(table).selectAll().execute()).length;
    // The two checks said the same, and the second is of today.
    expect([await count('check_runs'), await count('sessions'), await count('rate_limits')]).toEqual([
      1, 1, 0,
    ]);
    expect(await count('mails')).toBe(1);
    expect(await count('alerts')).toBe(0);
    expect(await history(store, { accountId, monitorId: monitor.id })).toHaveLength(1);
    expect(await certificateDer(store, kept.fingerprint)).not.toBeNull();
    expect(await certificateDer(store, gone.fingerprint)).toBeNull();
  });

  it('recalls what was put off while the clock ran ahead', async () => {
    const rig = await startRig(await open());
    const { store } = rig;
    await rig.watch('shop.example');
    rig.clock.set(START + 1_000 * DAY_MS);
    await rig.sink.down();
    await remind(rig);
    // The check expires the certificate and plans the next one in years to come, like the mails' next attempts.
    expect(await rig.runDue()).toEqual({ plans: 0, checks: 1, deliveries: 1, mails: 1 });
    await claimDue(store, { now: START + 1_002 * DAY_MS, limit: 1, leaseMs: HOUR_MS, claimedBy: 'killed' });
    await consumeRateLimit(store, { key: 'sign-in', limit: 1, windowMs: HOUR_MS, now: rig.clock.now() });

    rig.clock.set(START + HOUR_MS);
    await rig.sink.up();
    expect(await rig.runDue()).toEqual({ plans: 0, checks: 0, deliveries: 0, mails: 0 });
    await rig.worker.sweep();
    // What the wrong clock had to tell is forgotten by the first check of the right one.
    expect(await rig.runDue()).toEqual({ plans: 0, checks: 1, deliveries: 0, mails: 1 });
    expect(
      await consumeRateLimit(store, { key: 'sign-in', limit: 1, windowMs: HOUR_MS, now: rig.clock.now() }),
    ).toEqual({ allowed: true });
    await rig.worker.sweep();
    expect(await rig.runDue()).toEqual({ plans: 0, checks: 0, deliveries: 0, mails: 0 });
  });
});
