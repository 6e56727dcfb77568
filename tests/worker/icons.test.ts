import { createServer } from 'node:https';
import { expect, it, onTestFinished } from 'vitest';
import type { IconSource } from '../../server/probe/icons/icon-source.ts';
import { claimDueSites, faviconOf, pruneFavicons } from '../../server/store/monitors/favicons.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { pngIcon } from '../kit/peers/icons.ts';
import { listening } from '../kit/peers/tls-server.ts';
import { type Rig, START, startRig, until } from './rig.ts';
import { DAY_MS } from '../../contract/durations.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';
import { pauseMonitor } from '../../server/store/monitors/monitor-pauses.ts';
import { promise } from '../security/promise.ts';

const RED = { contentType: 'image/png', content: pngIcon(16, [200, 0, 0]) };
const BLUE = { contentType: 'image/png', content: pngIcon(16, [0, 0, 200]) };

/** Starts a rig whose icons the test sets. `asked` lists the fetched sites in order. */
async function startWithIcons(store: Store) {
  const world = { icon: RED as typeof RED | null, asked: [] as string[] };
  const icons: IconSource = {
    find({ host }) {
      world.asked.push(host);
      return Promise.resolve(world.icon);
    },
  };
  return { ...world, world, rig: await startRig(store, { icons }) };
}
const keyOf = ({ accountId, id: monitorId }: Monitor) => ({ accountId, monitorId });
const sites = ({ store }: Rig) => store.db.selectFrom('favicons').select(['host', 'next_fetch_at']).execute();

describeAnyDatabase('Site icons', (open) => {
  it('are fetched after a check has read a certificate, and signal the change', async () => {
    const { rig, world } = await startWithIcons(await open());
    const monitor = await rig.watch('shop.fjord.example');
    const lost = await rig.add('lost.fjord.example', 443);
    await rig.runDue();
    const told: unknown[] = [];
    rig.store.signals.subscribe((signal) => told.push(signal));
    expect(await rig.worker.runIcons()).toBe(1);
    expect(world.asked).toEqual(['shop.fjord.example']);
    expect(told).toEqual([
      { topic: 'domain', accountId: rig.accountId, monitorId: monitor.id, change: 'changed' },
    ]);
    const { version, ...icon } = (await faviconOf(rig.store, keyOf(monitor))) ?? { version: '' };
    expect(icon).toMatchObject({ contentType: 'image/png' });
    expect(Buffer.from((icon as typeof RED).content)).toEqual(RED.content);
    expect((await rig.read(monitor)).faviconVersion).toBe(version);
    expect(await faviconOf(rig.store, keyOf(lost))).toBeNull();
    expect(await faviconOf(rig.store, { accountId: crypto.randomUUID(), monitorId: monitor.id })).toBeNull();
  });

  it('appear once the domain has read a certificate and the icon was fetched after that, whether or not others watch the site', async () => {
    const { rig, world } = await startWithIcons(await open());
    const [known, unknown] = ['known.fjord.example', 'unknown.fjord.example'];
    const others = await rig.watch(known);
    await rig.runDue();
    await rig.worker.runIcons();
    const accountId = await rig.arrive('Bob');
    const own = [
      await rig.watch(known, undefined, { accountId }),
      await rig.watch(unknown, undefined, { accountId }),
    ];
    const shown = async () =>
      Promise.all(own.map(async (one) => (await rig.read(one)).faviconVersion !== null));
    expect(await shown()).toEqual([false, false]);
    await rig.runDue();
    expect((await rig.read(own[0] as Monitor)).lastCheckedAt).not.toBeNull();
    expect(await shown()).toEqual([false, false]);
    expect(await Promise.all(own.map((one) => faviconOf(rig.store, keyOf(one))))).toEqual([null, null]);

    const told: unknown[] = [];
    rig.store.signals.subscribe((signal) => told.push(signal));
    expect(await rig.worker.runIcons()).toBe(2);
    expect(world.asked.slice(1).toSorted()).toEqual([known, unknown]);
    expect(await shown()).toEqual([true, true]);
    expect(told).toHaveLength(2);
    expect(told).toEqual(
      expect.arrayContaining(own.map((one) => ({ topic: 'domain', ...keyOf(one), change: 'changed' }))),
    );
    expect((await rig.read(others)).faviconVersion).not.toBeNull();
    promise('watched-hosts');
  });

  it('are not shown for domains that could not be read, or that connect elsewhere', async () => {
    const { rig } = await startWithIcons(await open());
    const host = 'shop.fjord.example';
    const others = await rig.watch(host);
    await rig.watch('elsewhere.fjord.example');
    const accountId = await rig.arrive('Bob');
    const own = [
      await rig.add(host, rig.port, { accountId, target: '{"family":"ipv6"}' }),
      await rig.add(host, rig.port, {
        accountId,
        target: `{"connect_to":"elsewhere.fjord.example:${rig.port}"}`,
      }),
    ];
    await rig.runDue();
    await rig.worker.runIcons();
    expect((await rig.read(others)).faviconVersion).not.toBeNull();
    for (const one of own) {
      expect(await rig.read(one)).toMatchObject({ lastCheckedAt: START, faviconVersion: null });
      expect(await faviconOf(rig.store, keyOf(one))).toBeNull();
    }
    expect((await rig.read(own[1] as Monitor)).certificate).not.toBeNull();
  });

  it('are fetched again after a week, and signal only a change', async () => {
    const { rig, world } = await startWithIcons(await open());
    const monitor = await rig.watch('shop.fjord.example');
    await rig.runDue();
    await rig.worker.runIcons();
    const first = (await rig.read(monitor)).faviconVersion;
    rig.clock.advance(7 * DAY_MS - 1);
    expect(await rig.worker.runIcons()).toBe(0);

    let told = 0;
    rig.store.signals.subscribe(({ topic }) => void (told += Number(topic === 'domain')));
    rig.clock.advance(1);
    expect(await rig.worker.runIcons()).toBe(1);
    expect([told, (await rig.read(monitor)).faviconVersion]).toEqual([0, first]);
    world.icon = BLUE;
    rig.clock.advance(7 * DAY_MS);
    expect(await rig.worker.runIcons()).toBe(1);
    expect(told).toBe(1);
    expect((await rig.read(monitor)).faviconVersion).not.toBe(first);
  });

  it('are searched for daily while a site has none; a known icon is kept when a fetch fails', async () => {
    const { rig, world } = await startWithIcons(await open());
    const monitor = await rig.watch('shop.fjord.example');
    await rig.runDue();
    world.icon = null;
    expect(await rig.worker.runIcons()).toBe(1);
    expect(await rig.worker.runIcons()).toBe(0);
    world.icon = RED;
    rig.clock.advance(DAY_MS);
    expect(await rig.worker.runIcons()).toBe(1);
    world.icon = null;
    rig.clock.advance(7 * DAY_MS);
    expect(await rig.worker.runIcons()).toBe(1);
    expect((await rig.read(monitor)).faviconVersion).not.toBeNull();
  });

  it('are not fetched for paused domains, and are deleted with the last monitor', async () => {
    const { rig, world } = await startWithIcons(await open());
    const monitor = await rig.watch('shop.fjord.example');
    await rig.runDue();
    await pauseMonitor(rig.store, { ...keyOf(monitor), now: rig.clock.now() });
    expect(await rig.worker.runIcons()).toBe(0);
    expect(world.asked).toEqual([]);
    expect(await pruneFavicons(rig.store.db)).toBe(0);
    await removeMonitor(rig.store, { ...keyOf(monitor), now: Date.now() });
    await rig.worker.sweep();
    expect(await sites(rig)).toEqual([]);
  });

  it('are fetched by one worker each, and retried a day later after a crash', async () => {
    const { rig } = await startWithIcons(await open());
    for (let index = 0; index < 6; index++) await rig.watch(`site${index}.example`);
    await rig.runDue();
    const now = rig.clock.now();
    const claim = (at: number) => claimDueSites(rig.store, { now: at, limit: 4, nextFetchAt: at + DAY_MS });
    const claimed = (await Promise.all([claim(now), claim(now), claim(now)])).flat().map(({ host }) => host);
    expect(claimed.toSorted()).toEqual(Array.from({ length: 6 }, (_, index) => `site${index}.example`));
    // No icon was stored, as if the worker had crashed after the claim.
    expect(await claim(now)).toEqual([]);
    expect(await claim(now + DAY_MS)).toHaveLength(4);
  });

  it('are due again after a clock that ran ahead was corrected', async () => {
    const { rig } = await startWithIcons(await open());
    await rig.watch('shop.fjord.example');
    await rig.runDue();
    rig.clock.advance(400 * DAY_MS);
    await rig.worker.runIcons();
    rig.clock.advance(-400 * DAY_MS);
    await rig.worker.sweep();
    expect(await rig.worker.runIcons()).toBe(1);
  });

  it('are fetched from a real site by the running worker', async () => {
    const rig = await startRig(await open());
    const { certificatePem, keyPem, chainPem } = rig.issue('shop.fjord.example');
    const server = createServer({ cert: certificatePem + chainPem, key: keyPem }, ({ url }, response) =>
      response.end(url === '/favicon.ico' ? RED.content : '<title>Shop</title>'),
    );
    const peer = await listening(server);
    onTestFinished(() => peer.stop());
    rig.dns.entries.set('shop.fjord.example', { addresses: ['127.0.0.1'] });
    const monitor = await rig.add('shop.fjord.example', peer.port);
    rig.worker.start();
    await until(async () => (await rig.read(monitor)).faviconVersion !== null);
  });

  it('do not delay checks while sites hang', async () => {
    const hung: string[] = [];
    const hang = Promise.withResolvers<null>();
    const icons: IconSource = {
      find({ host }) {
        hung.push(host);
        return hang.promise;
      },
    };
    const rig = await startRig(await open(), { icons });
    for (const host of ['a.mute.example', 'b.mute.example', 'c.mute.example']) await rig.watch(host);
    rig.worker.start();
    await until(() => hung.length === 2);
    const monitor = await rig.watch('shop.fjord.example');
    await until(async () => (await rig.read(monitor)).lastCheckedAt !== null);
    expect(hung).toHaveLength(2);
    hang.resolve(null);
    await until(() => hung.includes('shop.fjord.example'));
  });
});
