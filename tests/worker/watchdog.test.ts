import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createPing } from '../../server/channels/heartbeat.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { listAccounts } from '../../server/store/accounts/account-administration.ts';
import { clearAlarm, raiseAlarm, raisedAlarms } from '../../server/store/alerts/alarms.ts';
import { claimDueDeliveries } from '../../server/store/alerts/deliveries.ts';
import type { StorageFault } from '../../server/store/db/dialect.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { createAlarms } from '../../server/worker/operator-alarm.ts';
import { describeAnyDatabase, freshDatabase, freshStore, hasDatabase } from '../kit/databases/database.ts';
import { type Rig, type RigOptions, START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';

const stuck = { leaseMs: DAY_MS, limit: 100, claimedBy: 'a worker that hangs' };

/** Starts the receiver at HEARTBEAT_URL. It answers with the status that the test sets. */
async function listener() {
  const heard: string[] = [];
  const state = { status: 200 };
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    response.writeHead(state.status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const policy = createAddressPolicy(['127.0.0.0/8']);
  const ping = createPing({
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/abc`),
    resolver: createResolver({ servers: [], policy }),
    policy,
  });
  return { heard, state, ping };
}

async function rigWithHeartbeat(store: Store, options: RigOptions = {}) {
  const { ping, ...told } = await listener();
  const rig = await startRig(store, {
    ...options,
    heartbeat: { host: 'canary.example', port: 4433, ping },
  });
  rig.reachable('canary.example', false);
  return { rig, ...told };
}

const pings = ({ store }: Rig) =>
  store.db
    .selectFrom('deliveries')
    .select(['state', 'attempts'])
    .where('account_id', '=', 'system')
    .execute();

describeAnyDatabase('The product’s self-check', (open) => {
  it('sends a heartbeat every five minutes, even while the checked host does not answer', async () => {
    const { rig, heard } = await rigWithHeartbeat(await open());
    await rig.worker.watch();
    await rig.runDue();
    expect(heard).toEqual(['GET /ping/abc']);
    await rig.runUntil(START + 21 * MINUTE_MS);
    // The sixth heartbeat follows the second check, half a minute after the first failure.
    expect(heard).toHaveLength(6);
    expect(rig.arrivals.filter(({ text }) => text.includes('canary.example'))).toEqual([]);
  });

  it('is hidden from the list of accounts, and has no account without HEARTBEAT_URL', async () => {
    const store = await open();
    const { rig } = await rigWithHeartbeat(store);
    await rig.worker.watch();
    await rig.runDue();
    expect((await listAccounts(store, { text: '', limit: 50 })).map(({ email }) => email)).toEqual([
      'alice@certs.test',
    ]);
    const without = await startRig(await open());
    await without.worker.watch();
    const left = await without.store.db
      .selectFrom('accounts')
      .select('id')
      .where('kind', '=', 'system')
      .execute();
    expect(left).toEqual([]);
  });

  it('sends no heartbeat while an alarm is raised', async () => {
    const { rig, heard } = await rigWithHeartbeat(await open());
    await raiseAlarm(rig.store, { code: 'smtp_refuses_us', detail: '535', now: START });
    await rig.worker.watch();
    await rig.runUntil(START + 10 * MINUTE_MS);
    expect(heard).toEqual([]);
    await clearAlarm(rig.store, 'smtp_refuses_us');
    await rig.runUntil(START + 16 * MINUTE_MS);
    expect(heard).toHaveLength(2);
  });

  it('sends no heartbeat while checks hang', async () => {
    const { rig, heard } = await rigWithHeartbeat(await open());
    await rig.worker.watch();
    await claimDue(rig.store, { ...stuck, now: rig.clock.now() });
    for (let minute = 0; minute < 30; minute += 5) {
      rig.clock.advance(5 * MINUTE_MS);
      await rig.runDue();
    }
    expect(heard).toEqual([]);
    await rig.store.db.updateTable('monitors').set({ lease_token: null, lease_expires_at: null }).execute();
    await rig.runDue();
    expect(heard).toHaveLength(1);
  });

  it('retries a failed heartbeat and never queues a second one', async () => {
    const { rig, heard, state } = await rigWithHeartbeat(await open());
    state.status = 503;
    await rig.worker.watch();
    await rig.runUntil(START + 7 * MINUTE_MS);
    expect(await pings(rig)).toMatchObject([{ state: 'waiting' }]);
    expect(heard.length).toBeGreaterThan(5);
    state.status = 200;
    const { length } = heard;
    await rig.runUntil(START + 9 * MINUTE_MS);
    expect(heard.length - length).toBe(1);
    expect(await pings(rig)).toMatchObject([{ state: 'delivered' }]);
  });

  it('drops a heartbeat that is an hour late', async () => {
    const { rig, heard, state } = await rigWithHeartbeat(await open());
    state.status = 503;
    await rig.worker.watch();
    await rig.runDue();
    await claimDueDeliveries(rig.store, { ...stuck, now: rig.clock.now() + MINUTE_MS });
    state.status = 200;
    const { length } = heard;
    await rig.store.db.updateTable('deliveries').set({ lease_token: null, lease_expires_at: null }).execute();
    await claimDue(rig.store, { ...stuck, now: rig.clock.now() + HOUR_MS });
    rig.clock.advance(HOUR_MS);
    await rig.runDue();
    expect(heard).toHaveLength(length);
    expect(await pings(rig)).toMatchObject([{ state: 'superseded' }]);
  });

  it('sends a heartbeat when the checked host fails, but not when the check throws', async () => {
    let broken = true;
    const { rig, heard } = await rigWithHeartbeat(await open(), {
      wrapProbe: (probe) => ({
        observe: (endpoint, options) =>
          broken ? Promise.reject(new Error('a bug')) : probe.observe(endpoint, options),
      }),
    });
    await rig.worker.watch();
    await rig.runDue();
    expect(heard).toEqual([]);
    broken = false;
    await rig.store.db.updateTable('monitors').set({ lease_token: null, lease_expires_at: null }).execute();
    await rig.runDue();
    expect(heard).toHaveLength(1);
  });
});

const codes = async (store: Store) => (await raisedAlarms(store)).map(({ code }) => code);

describe('The watchdog of an embedded database', () => {
  it('raises an alarm about a fault of the disk, and clears it when a write succeeds again', async () => {
    const rig = await startRig(await freshStore('sqlite'));
    const faults = new Map<StorageFault, string>([['disk_full', 'ENOSPC']]);
    const { storage } = rig.store;
    const seen = vi.spyOn(storage, 'faults').mockImplementation(async () => faults);
    await rig.worker.watch();
    await expect.poll(() => codes(rig.store)).toEqual(['disk_full']);
    faults.clear();
    rig.clock.advance(MINUTE_MS);
    await storage.close();
    await rig.worker.watch();
    expect(await codes(rig.store)).toEqual([]);
    seen.mockRestore();
  });

  it('keeps an alarm about damage until a verification has read all tables', async () => {
    const rig = await startRig(await freshStore('sqlite'));
    await raiseAlarm(rig.store, { code: 'database_damaged', detail: 'monitors', now: rig.clock.now() });
    const verify = vi.spyOn(rig.store.storage, 'verify').mockResolvedValue(false);
    await rig.worker.watch();
    await rig.worker.watch();
    expect(await codes(rig.store)).toEqual(['database_damaged']);
    verify.mockResolvedValue(true);
    rig.clock.advance(DAY_MS);
    await rig.worker.watch();
    await expect.poll(() => codes(rig.store)).not.toContain('database_damaged');
    verify.mockRestore();
  });
});

it.skipIf(!hasDatabase('postgres'))(
  'Of several processes on PostgreSQL, none clears a storage alarm that another one still confirms',
  async () => {
    const database = await freshDatabase('postgres');
    onTestFinished(() => database.remove());
    const faulty = await startRig(await database.open());
    const sound = await startRig(await database.open());
    const faults = new Map<StorageFault, string>([
      ['database_damaged', 'XX001'],
      ['disk_failed', '58030'],
      ['disk_full', '53100'],
    ]);
    vi.spyOn(faulty.store.storage, 'faults').mockResolvedValue(faults);
    for (let minute = 0; minute < 10; minute++) {
      await faulty.worker.watch();
      await sound.worker.watch();
      expect((await codes(sound.store)).toSorted()).toEqual([...faults.keys()]);
      for (const { clock } of [faulty, sound]) clock.advance(MINUTE_MS);
    }
    // The process that saw the faults has ended.
    sound.clock.advance(5 * MINUTE_MS);
    await sound.worker.watch();
    expect(await codes(sound.store)).toEqual([]);
  },
);

describeAnyDatabase('The watchdog', (open) => {
  it('logs an alarm that the database cannot store', async () => {
    const rig = await startRig(await open());
    const alarms = createAlarms({ store: rig.store, clock: rig.clock, log: rig.log as never });
    await rig.store.close();
    await alarms.raise('disk_failed', 'EIO');
    expect(rig.log.error).toHaveBeenCalledExactlyOnceWith(
      { alarm: 'disk_failed', detail: 'EIO' },
      'an alarm for the operator',
    );
  });

  it('stores an alarm that stays raised once a minute', async () => {
    const rig = await startRig(await open());
    const alarms = createAlarms({ store: rig.store, clock: rig.clock, log: rig.log as never });
    const details: (string | undefined)[] = [];
    for (const detail of ['EIO', 'EROFS', 'ENXIO']) {
      await alarms.raise('disk_failed', detail);
      details.push((await raisedAlarms(rig.store))[0]?.detail);
      rig.clock.advance(MINUTE_MS / 2);
    }
    expect(details).toEqual(['EIO', 'EIO', 'ENXIO']);
  });

  it('raises an alarm if checks are late, and mails the operator at most once a day', async () => {
    const rig = await startRig(await open());
    await rig.watch('shop.example');
    rig.clock.advance(11 * MINUTE_MS);
    await rig.worker.watch();
    expect(await codes(rig.store)).toEqual(['checks_late']);
    const told = async () =>
      (await rig.store.db.selectFrom('mails').select(['recipient', 'kind']).execute()).filter(
        ({ kind }) => kind === 'operator_alarm',
      );
    expect(await told()).toEqual([]);
    rig.clock.advance(6 * MINUTE_MS);
    await rig.worker.watch();
    await rig.worker.watch();
    expect(await told()).toEqual([{ recipient: 'operator@certs.test', kind: 'operator_alarm' }]);
    expect(rig.log.error).toHaveBeenCalledOnce();

    await rig.runDue();
    await rig.worker.watch();
    expect(await codes(rig.store)).toEqual([]);
    // The alarm is raised again on the same day, without another mail.
    rig.clock.advance(20 * MINUTE_MS);
    await rig.worker.watch();
    expect(await codes(rig.store)).toEqual(['checks_late']);
    rig.clock.advance(6 * MINUTE_MS);
    await rig.worker.watch();
    expect(await told()).toHaveLength(1);
    rig.clock.advance(DAY_MS);
    await rig.worker.watch();
    expect(await told()).toHaveLength(2);
  });

  it('raises an alarm while no mail can be sent, and clears it afterwards', async () => {
    const rig = await startRig(await open());
    await rig.sink.down();
    const validity = { notBefore: START - 88 * DAY_MS, notAfter: START + 2 * DAY_MS };
    await rig.watch('shop.example', rig.issue('shop.example', validity));
    await rig.runUntil(START + 20 * MINUTE_MS);
    await rig.worker.watch();
    expect(await codes(rig.store)).toEqual(['mail_down']);
    await rig.sink.up();
    await rig.runUntil(START + 2 * HOUR_MS);
    await rig.worker.watch();
    expect(await codes(rig.store)).toEqual([]);
  });

  it('raises no alarm while greylisting delays a mail for hours', async () => {
    const rig = await startRig(await open());
    rig.sink.behave('greylist');
    const validity = { notBefore: START - 88 * DAY_MS, notAfter: START + 2 * DAY_MS };
    await rig.watch('shop.example', rig.issue('shop.example', validity));
    await rig.runUntil(START + 3 * HOUR_MS);
    await rig.worker.watch();
    expect(await codes(rig.store)).toEqual([]);
    const waiting = await rig.store.db.selectFrom('deliveries').select(['state', 'detail']).execute();
    expect(waiting).toEqual([{ state: 'waiting', detail: '451 4.7.1 Greylisted, try again later' }]);
  });

  it('spreads overdue checks over ten minutes after a sleep of the machine', async () => {
    const rig = await startRig(await open(), { concurrency: 64 });
    await rig.watch('shop.example');
    await rig.runDue();
    const sample = await rig.store.db.selectFrom('monitors').selectAll().executeTakeFirstOrThrow();
    const many = Array.from({ length: 119 }, (_, index) => {
      rig.reachable(`host-${index}.example`, true);
      return { ...sample, id: crypto.randomUUID(), host: `host-${index}.example` };
    });
    for (const row of many) await rig.store.db.insertInto('monitors').values(row).execute();
    rig.clock.jump(3 * DAY_MS);
    const recovered = rig.clock.now();
    const left = async (column: 'next_check_at' | 'last_checked_at', at: number): Promise<number> =>
      (await rig.store.db.selectFrom('monitors').select('id').where(column, '<=', at).execute()).length;
    await rig.worker.watch();
    const minutes = [0, 5, 10].map((minute) => left('next_check_at', recovered + minute * MINUTE_MS));
    expect(await Promise.all(minutes)).toEqual([1, 61, 120]);
    for (const minute of [5, 10]) {
      rig.clock.set(recovered + minute * MINUTE_MS);
      await rig.runDue();
    }
    expect(await left('last_checked_at', recovered)).toBe(0);
  });
});
