import { expect, it, onTestFinished } from 'vitest';
import { requestCheck } from '../../server/store/monitors/monitors.ts';
import { checksMade } from '../kit/product/checks-made.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import { type Rig, START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

const checks = (rig: Rig) => checksMade(rig.store);

describeEachDatabase('A worker', (open) => {
  it('drops the result of a check whose lease another worker has taken over', async () => {
    let looks = 0;
    const rig: Rig = await startRig(await open(), {
      wrapProbe: (probe) => ({
        async observe(endpoint, signal) {
          looks += 1;
          // This worker sleeps until its lease has expired. Meanwhile another worker (in this test, the same one) claims the
          // monitor.
          if (looks === 1) {
            rig.clock.advance(HOUR_MS);
            await rig.runDue();
          }
          return probe.observe(endpoint, signal);
        },
      }),
    });
    const host = 'pay.fjord.example';
    await rig.watch(host, rig.issue(host, { notBefore: START - 80 * DAY_MS, notAfter: START + 5 * DAY_MS }));
    await rig.runDue();
    expect(looks).toBe(2);
    expect(await checks(rig)).toHaveLength(1);
    expect(rig.arrivals).toHaveLength(1);
    expect(rig.log.info).toHaveBeenCalledWith(
      expect.objectContaining({ endpoint: `${host}:${rig.port}` }),
      'the lease of a check was lost; its result is dropped',
    );
  });

  it('continues with other checks if one throws, and repeats that one after its lease expires', async () => {
    let broken = true;
    const rig = await startRig(await open(), {
      wrapProbe: (probe) => ({
        observe(endpoint, signal) {
          if (broken && endpoint.host === 'poison.example') throw new Error('a bug of ours');
          return probe.observe(endpoint, signal);
        },
      }),
    });
    const poison = await rig.watch('poison.example');
    await rig.watch('good.example');
    expect(await rig.runDue()).toMatchObject({ checks: 2 });
    expect(rig.log.error).toHaveBeenCalledTimes(1);
    expect(await checks(rig)).toHaveLength(1);
    expect(await rig.runDue()).toMatchObject({ checks: 0 });

    broken = false;
    rig.clock.advance(46_000);
    expect(await rig.runDue()).toMatchObject({ checks: 1 });
    expect(await rig.read(poison)).toMatchObject({ verdict: { reached: true } });
  });

  it('releases running checks when it stops, and records nothing about them', async () => {
    const rig = await startRig(await open());
    const mute = await startRawPeer(silent);
    onTestFinished(() => mute.stop());
    rig.dns.entries.set('mute.example', { addresses: ['127.0.0.1'] });
    const monitor = await rig.add('mute.example', mute.port);
    rig.worker.start();
    await mute.connected;
    expect(await rig.read(monitor)).toMatchObject({ checking: true });

    await rig.worker.stop(0, MINUTE_MS);
    expect(await rig.read(monitor)).toMatchObject({ checking: false, nextCheckAt: START, verdict: null });
    expect(await checks(rig)).toEqual([]);
  });

  it('releases a mail when it stops if the mail server does not answer, and the mail is sent later', async () => {
    const store = await open();
    const rig = await startRig(store);
    rig.sink.behave('silence');
    const host = 'pay.fjord.example';
    await rig.watch(host, rig.issue(host, { notBefore: START - 80 * DAY_MS, notAfter: START + 5 * DAY_MS }));
    rig.worker.start();
    await rig.sink.connected();
    await rig.worker.stop(0, MINUTE_MS);
    const deliveries = store.db.selectFrom('deliveries').select(['state', 'lease_token']);
    expect(await deliveries.execute()).toEqual([{ state: 'waiting', lease_token: null }]);

    rig.sink.behave('accept');
    await rig.runDue();
    await rig.runUntil(START + HOUR_MS);
    expect(rig.arrivals).toHaveLength(1);
  });

  it('finishes sending a mail when it stops if the mail server answers', async () => {
    const rig = await startRig(await open());
    const host = 'pay.fjord.example';
    await rig.watch(host, rig.issue(host, { notBefore: START - 80 * DAY_MS, notAfter: START + 5 * DAY_MS }));
    rig.worker.start();
    await rig.sink.connected();
    await rig.worker.stop(60_000);
    const [delivery] = await rig.store.db.selectFrom('deliveries').select('state').execute();
    expect(delivery?.state).toBe('delivered');
    expect(rig.sink.ledger).toHaveLength(1);
  });

  it('runs another check if one was requested while a check was running', async () => {
    let looks = 0;
    const rig: Rig = await startRig(await open(), {
      wrapProbe: (probe) => ({
        async observe(endpoint, signal) {
          const observation = await probe.observe(endpoint, signal);
          looks += 1;
          const [monitorId] = await rig.store.db.selectFrom('monitors').select('id').execute();
          if (looks === 1 && monitorId)
            await requestCheck(rig.store, {
              accountId: rig.accountId,
              monitorId: monitorId.id,
              now: rig.clock.now(),
            });
          return observation;
        },
      }),
    });
    const monitor = await rig.watch('docs.moss.example');
    expect(await rig.runDue()).toMatchObject({ checks: 2 });
    expect((await rig.read(monitor)).checking).toBe(false);
  });
});
