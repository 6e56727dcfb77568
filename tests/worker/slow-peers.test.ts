import { expect, it, onTestFinished } from 'vitest';
import { checksMade } from '../kit/product/checks-made.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import { startRig, until } from './rig.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';

const CAPS = { dns: 5_000, handshake: 5_000 };
const isSlow = (host: string): boolean => /^(?:mute|lost)/.test(host);

describeAnyDatabase('The running worker', (open) => {
  it('ends probes of silent servers and name servers, and checks other hosts meanwhile', async () => {
    // Independent of the machine's load: slow probes hold their slots until all others were checked.
    const { promise: othersAreDone, resolve: release } = Promise.withResolvers<void>();
    const rig = await startRig(await open(), {
      concurrency: 16,
      caps: CAPS,
      wrapProbe: (probe) => ({
        async observe(endpoint, asked) {
          const seen = await probe.observe(endpoint, asked);
          if (isSlow(endpoint.host)) await othersAreDone;
          return seen;
        },
      }),
    });
    onTestFinished(() => release());
    const mute = await startRawPeer(silent);
    onTestFinished(() => mute.stop());
    const slow: Monitor[] = [];
    for (let index = 0; index < 6; index++) {
      rig.dns.entries.set(`mute${index}.example`, { addresses: ['127.0.0.1'] });
      rig.dns.entries.set(`lost${index}.example`, { answer: 'silent' });
      slow.push(await rig.add(`mute${index}.example`, mute.port), await rig.add(`lost${index}.example`, 443));
    }
    const healthy: Monitor[] = [];
    for (let index = 0; index < 50; index++) healthy.push(await rig.watch(`site${index}.example`));
    const checked = async (monitors: Monitor[]): Promise<number> => {
      const read = await Promise.all(monitors.map((monitor) => rig.read(monitor)));
      return read.filter(({ lastCheckedAt }) => lastCheckedAt !== null).length;
    };

    // Slow hosts were added first and are claimed first: twelve of sixteen slots hang.
    rig.worker.start();
    await until(async () => (await checked(healthy)) === healthy.length);
    expect(await checked(slow)).toBe(0);
    release();
    await until(async () => (await checked(slow)) === slow.length);
    for (const monitor of slow) {
      const { verdict } = await rig.read(monitor);
      expect(verdict?.failure).toMatchObject(
        monitor.host.startsWith('mute')
          ? { stage: 'handshake', reason: 'timeout' }
          : { stage: 'dns', reason: 'dns_timeout' },
      );
    }
  });

  it('checks a monitor that is added while it runs, and sends the alert mail', async () => {
    const rig = await startRig(await open());
    rig.worker.start();
    await rig.watch('first.fjord.example');
    await until(async () => (await checksMade(rig.store)).length === 1);
    const host = 'pay.fjord.example';
    const now = rig.clock.now();
    await rig.watch(
      host,
      rig.issue(host, { notBefore: now - 80 * 86_400_000, notAfter: now + 2.5 * 86_400_000 }),
    );
    const mail = await rig.sink.waitFor(() => true);
    expect(mail.parsed.subject).toContain('expires in 2 days');
  });

  it('keeps checking while the mail server hangs', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('silence');
    const host = 'pay.fjord.example';
    const now = rig.clock.now();
    for (let index = 0; index < 6; index++)
      await rig.watch(
        `${index}.${host}`,
        rig.issue(`${index}.${host}`, { notBefore: now - 80 * 86_400_000, notAfter: now + 2.5 * 86_400_000 }),
      );
    rig.worker.start();
    await rig.sink.connected();
    const healthy: Monitor[] = [];
    for (let index = 0; index < 20; index++) healthy.push(await rig.watch(`site${index}.example`));
    await until(async () => {
      const read = await Promise.all(healthy.map((monitor) => rig.read(monitor)));
      return read.every(({ lastCheckedAt }) => lastCheckedAt !== null);
    });
    expect(rig.sink.ledger).toEqual([]);
  });
});
