import type { KyselyPlugin } from 'kysely';
import { expect, it, vi } from 'vitest';
import { certificateDers } from '../../server/store/checks/certificates.ts';
import { enqueueMail } from '../../server/store/mail/mails.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import { consumeRateLimit } from '../../server/store/operations/rate-limits.ts';
import { openSession } from '../../server/store/accounts/sessions.ts';
import { TRUST_EVERY_CHECK } from '../kit/product/stand-ins.ts';
import { createJanitor } from '../../server/worker/janitor.ts';
import { insertIncidents } from '../kit/databases/incidents.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { person } from '../store/samples.ts';
import { type Rig, START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import { certificateHistory } from '../../server/store/checks/certificate-history.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';

const remind = ({ store, clock, accountId }: Rig) =>
  store.db.transaction().execute((trx) =>
    enqueueMail(trx, {
      accountId,
      recipient: 'alice@certs.test',
      content: { kind: 'password_changed' },
      now: clock.now(),
    }),
  );

describeEachDatabase('The janitor', (open) => {
  it('removes expired data and nothing else', async () => {
    const rig = await startRig(await open());
    const { store, accountId } = rig;
    const kept = rig.issue('kept.example', { notAfter: START + 300 * DAY_MS });
    const monitor = await rig.watch('kept.example', kept);
    const gone = rig.issue('gone.example', { notAfter: START + 300 * DAY_MS });
    const removed = await rig.watch('gone.example', gone);
    await rig.runDue();
    await removeMonitor(store, { accountId, monitorId: removed.id, now: Date.now() });
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
        signedInAt: START,
      });
    await consumeRateLimit(store, { key: 'sign-in', limit: 5, windowMs: HOUR_MS, now: START });
    await remind(rig);
    await rig.runDue();
    await remind(rig);
    await store.db
      .insertInto('alerts')
      .values({
        id: 'a test of a channel',
        account_id: accountId,
        kind: 'test',
        step: 'opened',
        fingerprint: '',
        severity: 'info',
        facts: '{}',
        created_at: START,
      })
      .execute();

    rig.clock.set(START + 91 * DAY_MS);
    await rig.runDue();
    await rig.worker.sweep();

    const count = async (table: 'alerts' | 'check_runs' | 'sessions' | 'rate_limits' | 'mails') =>
      (await store.db.selectFrom(table).selectAll().execute()).length;
    // The two checks had the same result, and the second one is recent.
    expect([await count('check_runs'), await count('sessions'), await count('rate_limits')]).toEqual([
      1, 1, 0,
    ]);
    expect(await count('mails')).toBe(1);
    expect(await count('alerts')).toBe(0);
    expect(await certificateHistory(store, { accountId, monitorId: monitor.id })).toHaveLength(1);
    expect(await certificateDers(store, [kept.fingerprint])).not.toBeNull();
    expect(await certificateDers(store, [gone.fingerprint])).toBeNull();
  });

  it('stops after the current batch, and the next process removes the rest', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const ids = Array.from({ length: 500 }, (_, index) => `${index}`);
    await store.db
      .insertInto('monitors')
      .values(
        ids.map((id) => ({
          account_id: accountId,
          id,
          host: `host${id}.example`,
          port: 443,
          revoked: 0,
          check_every_minutes: 1440,
          created_at: START,
          next_check_at: START,
        })),
      )
      .execute();
    await insertIncidents(
      store.db,
      ids.map((id) => ({
        account_id: accountId,
        monitor_id: id,
        id: `down ${id}`,
        problem: 'down',
        fingerprint: '',
        recovered: 1,
        facts: '{}',
        cause: '',
        message: '',
        started_at: START,
        confirmed_at: START,
        ended_at: START + 1,
      })),
    );
    await consumeRateLimit(store, { key: 'sign-in', limit: 5, windowMs: HOUR_MS, now: START });
    const left = async (table: 'incidents' | 'rate_limits') =>
      (await store.db.selectFrom(table).selectAll().execute()).length;
    const janitorOf = (db: typeof store.db) =>
      createJanitor({
        store: { ...store, db },
        clock: { now: () => START + 400 * DAY_MS, monotonic: () => 0 },
        ownNetwork: TRUST_EVERY_CHECK,
        random: () => 0.5,
        log: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
      });

    const { promise: removing, resolve: begun } = Promise.withResolvers<void>();
    const tellOfChanges: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult({ result }) {
        if (Number(result.numAffectedRows ?? 0n) > 0) begun();
        return Promise.resolve(result);
      },
    };
    const janitor = janitorOf(store.db.withPlugin(tellOfChanges));
    const swept = janitor.sweep();
    await removing;
    await janitor.stop();
    expect([await left('incidents'), await left('rate_limits')]).toEqual([300, 1]);
    await swept;
    expect(await left('incidents')).toBe(300);

    await janitorOf(store.db).sweep();
    expect([await left('incidents'), await left('rate_limits')]).toEqual([0, 0]);
  });

  it('makes work due again that was delayed while the clock ran ahead', async () => {
    const rig = await startRig(await open());
    const { store } = rig;
    await rig.watch('shop.example');
    rig.clock.set(START + 1_000 * DAY_MS);
    await rig.sink.down();
    await remind(rig);
    // The check finds the certificate expired. The next check is then due in years, and so are the next attempts of the mails.
    expect(await rig.runDue()).toEqual({ plans: 0, checks: 1, deliveries: 1, mails: 1 });
    await claimDue(store, { now: START + 1_002 * DAY_MS, limit: 1, leaseMs: HOUR_MS, claimedBy: 'killed' });
    await consumeRateLimit(store, { key: 'sign-in', limit: 1, windowMs: HOUR_MS, now: rig.clock.now() });

    rig.clock.set(START + HOUR_MS);
    await rig.sink.up();
    expect(await rig.runDue()).toEqual({ plans: 0, checks: 0, deliveries: 0, mails: 0 });
    await rig.worker.sweep();
    // The first check with the correct clock supersedes the alerts that the wrong clock caused.
    expect(await rig.runDue()).toEqual({ plans: 0, checks: 1, deliveries: 0, mails: 1 });
    expect(
      await consumeRateLimit(store, { key: 'sign-in', limit: 1, windowMs: HOUR_MS, now: rig.clock.now() }),
    ).toEqual({ allowed: true });
    await rig.worker.sweep();
    expect(await rig.runDue()).toEqual({ plans: 0, checks: 0, deliveries: 0, mails: 0 });
  });
});
