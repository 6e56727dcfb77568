import { createServer } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { isPostureComplete, untestedPosture } from '../../server/core/report/report-posture.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';
import { requestCheck } from '../../server/store/monitors/monitors.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { listening } from '../kit/peers/tls-server.ts';
import { postureAt } from '../kit/product/observation.ts';
import { type Rig, START, startRig } from './rig.ts';

describeAnyDatabase('The posture of a server', (open) => {
  it('is not probed at the first check, but a minute later, daily and on request', async () => {
    const asked: boolean[] = [];
    const rig: Rig = await startRig(await open(), {
      wrapProbe: (probe) => ({
        async observe(endpoint, options) {
          asked.push(options.withPosture);
          const observation = await probe.observe(endpoint, { ...options, withPosture: false });
          return options.withPosture ? { ...observation, posture: postureAt(rig.clock.now()) } : observation;
        },
      }),
    });
    const added = await rig.watch('shop.example', undefined, { everyMinutes: 60 });
    await rig.runDue();
    expect(asked).toEqual([false]);
    await rig.runUntil(START + MINUTE_MS);
    expect(asked).toEqual([false, true]);
    await rig.runUntil(START + 3 * HOUR_MS);
    expect(asked.filter(Boolean)).toHaveLength(1);
    await requestCheck(rig.store, { accountId: rig.accountId, monitorId: added.id, now: rig.clock.now() });
    await rig.runDue();
    expect(asked.at(-1)).toBe(true);
    await rig.runUntil(START + 47 * HOUR_MS);
    expect(asked.filter(Boolean)).toHaveLength(4);
    expect((await rig.read(added)).verdict?.posture).not.toBeNull();
  });
});

describeAnyDatabase('The posture of a host with three mail services that speak TLS 1.3 only', (open) => {
  it('is complete after an hour and a half, and fails at most three handshakes in any 10 minutes, however often a check is requested', async () => {
    const rig = await startRig(await open(), { posture: true });
    const { certificatePem: cert, keyPem: key } = rig.issue('mail.example');
    rig.reachable('mail.example', true);
    const failures: number[] = [];
    const services: Monitor[] = [];
    for (let count = 0; count < 3; count++) {
      const server = createServer({ cert, key, minVersion: 'TLSv1.3' }, (socket) => socket.resume());
      server.on('tlsClientError', () => void failures.push(rig.clock.now()));
      const peer = await listening(server);
      onTestFinished(() => peer.stop());
      services.push(await rig.add('mail.example', peer.port));
    }
    const postures = () =>
      Promise.all(services.map(async (one) => (await rig.read(one)).verdict?.posture ?? null));
    await rig.runUntil(START + MINUTE_MS);
    expect((await postures()).every((posture) => posture !== null && !isPostureComplete(posture))).toBe(true);

    const [first] = services;
    for (let minute = 2; minute < 10; minute++) {
      rig.clock.set(START + minute * MINUTE_MS);
      const { accountId } = rig;
      await requestCheck(rig.store, { accountId, monitorId: first?.id ?? '', now: rig.clock.now() });
      await rig.runDue();
    }
    await rig.runUntil(START + 1.5 * HOUR_MS);
    for (const posture of await postures()) {
      expect(posture && untestedPosture(posture)).toEqual([]);
      expect(posture && isPostureComplete(posture)).toBe(true);
    }
    await rig.runUntil(START + 2 * DAY_MS);
    const inTenMinutes = failures.map(
      (at) => failures.filter((other) => other >= at && other < at + 10 * MINUTE_MS).length,
    );
    expect(Math.max(...inTenMinutes)).toBe(3);
  });
});
