import { expect, it, onTestFinished } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import type { LogLists } from '../../server/core/judge/transparency.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { logListStates } from '../../server/store/operations/log-lists.ts';
import { createLogListLoop, type LogListsOptions } from '../../server/worker/log-lists.ts';
import { logListJson, mintLog } from '../kit/certificates/mint-log.ts';
import { describeEachDatabase, freshDatabase, hasDatabase } from '../kit/databases/database.ts';
import { startLogListServer } from '../kit/peers/log-list-server.ts';
import { TRUST_EVERY_CHECK } from '../kit/product/stand-ins.ts';
import { root, START, startRig, until } from './rig.ts';

const LOGS = [mintLog('Fjord'), mintLog('Skerry')];
const listOf = (publishedAt: number, logs = LOGS) => logListJson(logs, publishedAt);
/** Google's request and that for its signature. */
const BOTH = ['/google.json', '/google.sig'];

/** A clock and a server with both lists, published an hour before the start. */
async function startWorld() {
  const server = await startLogListServer();
  onTestFinished(() => server.stop());
  server.serveSigned('/google.json', listOf(START - HOUR_MS));
  server.serve('/apple.json', listOf(START - HOUR_MS));
  const clock = { at: START, now: () => clock.at };
  return { server, clock };
}
type World = Awaited<ReturnType<typeof startWorld>>;

interface ProcessOptions {
  settings?: Partial<LogListsOptions['settings']>;
}

/** Creates the loop of one process, with the lists that it uses and what it logged. */
function startProcess(store: Store, { server, clock }: World, options: ProcessOptions = {}) {
  const process = { lists: [] as LogLists[], warnings: [] as unknown[] };
  const ignore = (): void => undefined;
  const loop = createLogListLoop({
    store,
    clock,
    ownNetwork: TRUST_EVERY_CHECK,
    logLists: {
      settings: { google: server.url('/google.json'), apple: server.url('/apple.json'), ...options.settings },
      fetch: server.createSource(),
      onChange: (lists) => void process.lists.push(lists),
    },
    log: {
      debug: ignore,
      info: ignore,
      error: (...line: unknown[]) => void process.warnings.push(line),
      warn: (facts: object) => void process.warnings.push(facts),
    },
  });
  onTestFinished(() => loop.stop(1_000));
  return {
    ...process,
    loop,
    /** Acts as after a check of a public certificate. */
    async fetchDue() {
      loop.want();
      await loop.runDue();
    },
    operators: () => {
      const { google, apple } = process.lists.at(-1) ?? { google: 'off', apple: 'off' };
      return [google, apple].map((list) =>
        typeof list === 'string' ? list : [...list.logs.values()].map(({ operator }) => operator).join(),
      );
    },
  };
}
type Process = ReturnType<typeof startProcess>;

/** Returns at which hours of the next days a process sends requests, if it is asked to every hour. */
async function hoursOfRequests(process: Process, { server, clock }: World, days: number): Promise<number[]> {
  const hours: number[] = [];
  for (let hour = 0; hour <= days * 24; hour++, clock.at += HOUR_MS) {
    const before = server.requests.length;
    await process.fetchDue();
    if (server.requests.length > before) hours.push(hour);
  }
  return hours;
}

describeEachDatabase('The lists of Certificate Transparency logs', (open) => {
  it('are fetched only after a check has seen a public certificate that somebody watches', async () => {
    const { server } = await startWorld();
    const used: LogLists[] = [];
    const start = (store: Store, arePublic: boolean) =>
      startRig(store, {
        trustStore: createTrustStore([root.der], { arePublic }),
        logLists: {
          settings: { google: server.url('/google.json'), apple: server.url('/apple.json') },
          fetch: server.createSource(),
          onChange: (lists) => void used.push(lists),
        },
      });
    const own = await start(await open(), false);
    await own.watch('own.fjord.example');
    await own.runDue();
    await own.worker.runLogLists();
    expect(server.requests).toEqual([]);

    const rig = await start(own.store, true);
    await rig.worker.runLogLists();
    expect(server.requests).toEqual([]);
    await rig.watch('shop.fjord.example');
    await rig.runDue();
    await rig.worker.runLogLists();
    expect(server.requests).toEqual([...BOTH, '/apple.json']);
    expect(used.at(-1)).toMatchObject({ google: { asOf: START - HOUR_MS }, apple: { logs: { size: 2 } } });
  });

  it('are requested once a day, and the second time only if they changed', async () => {
    const world = await startWorld();
    const process = startProcess(await open(), world);
    expect(await hoursOfRequests(process, world, 2)).toEqual([0, 24, 48]);
    const { requests } = world.server;
    expect(requests.slice(0, 3)).toEqual([...BOTH, '/apple.json']);
    expect(requests.slice(3)).toEqual(
      Array.from({ length: 2 }, () => [
        expect.stringMatching(/^\/google\.json "/),
        expect.stringMatching(/^\/apple\.json "/),
      ]).flat(),
    );
    expect(process.warnings).toEqual([]);
  });

  it('are given to the examiners again only if they changed; Apple’s is as old as the last answer', async () => {
    const world = await startWorld();
    world.server.serve('/apple.json', listOf(START).replace('log_list_timestamp', 'anything'));
    const process = startProcess(await open(), world);
    await process.fetchDue();
    expect(process.lists).toHaveLength(2);
    world.clock.at += DAY_MS;
    await process.fetchDue();
    const [, before, after, ...others] = process.lists;
    expect(others).toEqual([]);
    expect(after?.google).toBe(before?.google);
    expect([before?.apple, after?.apple]).toMatchObject([{ asOf: START }, { asOf: START + DAY_MS }]);
  });

  it('are requested by only one of several processes, and all of them use the new lists without a restart', async () => {
    const world = await startWorld();
    const store = await open();
    const processes = Array.from({ length: 4 }, () => startProcess(store, world));
    const [first, second] = processes;
    await Promise.all(processes.map((process) => process.fetchDue()));
    expect(world.server.requests.toSorted()).toEqual(['/apple.json', ...BOTH].toSorted());
    await Promise.all(processes.map(({ loop }) => loop.useKept()));
    for (const process of processes) expect(process.operators()).toEqual(['Fjord,Skerry', 'Fjord,Skerry']);

    world.server.serveSigned('/google.json', listOf(START, [mintLog('Tarn')]));
    world.clock.at += DAY_MS;
    second?.loop.start();
    await first?.fetchDue();
    await until(() => second?.operators()[0] === 'Tarn');
  });

  it('are used after a restart without a request', async () => {
    const world = await startWorld();
    const store = await open();
    await startProcess(store, world).fetchDue();
    world.server.requests.length = 0;
    const restarted = startProcess(store, world);
    await restarted.loop.useKept();
    expect(restarted.operators()).toEqual(['Fjord,Skerry', 'Fjord,Skerry']);
    await restarted.fetchDue();
    expect(world.server.requests).toEqual([]);
  });

  it('are requested once a day if there is no usable answer, with one line in the log', async () => {
    const world = await startWorld();
    for (const path of [...BOTH, '/apple.json'])
      world.server.serve(path, (_, response) => void response.writeHead(503).end());
    const store = await open();
    const process = startProcess(store, world);
    expect(await hoursOfRequests(process, world, 4)).toEqual([0, 24, 48, 72, 96]);
    const problem = 'The server answered with the status 503.';
    expect(process.warnings).toEqual([
      { setting: 'CT_LOG_LIST', problem },
      { setting: 'APPLE_LOG_LIST', problem },
    ]);
    expect(process.lists.at(-1)).toEqual({ google: 'failed', apple: 'failed' });
    const states = await logListStates(store);
    expect(states.get('google')).toMatchObject({ attempts: 5, problem, answeredAt: null });
  });

  it('are replaced by none that cannot be read, has a wrong signature or is cut off', async () => {
    const world = await startWorld();
    const { server, clock } = world;
    const process = startProcess(await open(), world);
    await process.fetchDue();
    const good = process.lists.at(-1);
    const bad: (() => void)[] = [
      () => server.serve('/google.json', listOf(START, [mintLog('Mallory')])),
      () => server.serveSigned('/google.json', '{'),
      () => server.serveSigned('/google.json', JSON.stringify({ operators: [] })),
      () =>
        server.serve('/google.json', (_, response) => {
          response.writeHead(200, { 'content-length': 1_000 });
          response.write('{"operators":', () => response.destroy());
        }),
    ];
    for (const breakIt of bad) {
      breakIt();
      clock.at += DAY_MS;
      await process.fetchDue();
    }
    expect(process.lists.at(-1)).toEqual(good);
    expect(process.warnings).toHaveLength(bad.length);
    server.serveSigned('/google.json', listOf(START, [mintLog('Tarn')]));
    clock.at += DAY_MS;
    await process.fetchDue();
    expect(process.operators()[0]).toBe('Tarn');
  });

  it('are not requested again on the day of a stop that cut off a request', async () => {
    const world = await startWorld();
    const store = await open();
    const asked = Promise.withResolvers<void>();
    world.server.serve('/google.json', () => asked.resolve());
    const process = startProcess(store, world);
    const fetched = process.fetchDue();
    await asked.promise;
    await process.loop.stop(1_000);
    await fetched;
    world.server.requests.length = 0;
    world.server.serve('/google.json', (_, response) => void response.writeHead(503).end());
    const restarted = startProcess(store, world, { settings: { apple: 'off' } });
    expect(await hoursOfRequests(restarted, world, 1)).toEqual([24]);
    expect(restarted.lists.at(-1)).toEqual({ google: 'failed', apple: 'off' });
  });

  it('of another address are kept separately', async () => {
    const world = await startWorld();
    const store = await open();
    await startProcess(store, world).fetchDue();
    world.server.serve('/mirror.json', listOf(START - DAY_MS, [mintLog('Mirror')]));
    const settings = { google: 'off' as const, apple: world.server.url('/mirror.json') };
    const moved = startProcess(store, world, { settings });
    await moved.loop.useKept();
    expect(moved.lists).toEqual([]);
    await moved.fetchDue();
    expect(moved.operators()).toEqual(['off', 'Mirror']);
  });

  it('are not requested while the clock is wrong', async () => {
    const world = await startWorld();
    const loop = createLogListLoop({
      store: await open(),
      clock: world.clock,
      ownNetwork: { clockIsRight: () => Promise.resolve(false) },
      logLists: {
        settings: { google: world.server.url('/google.json'), apple: 'off' },
        fetch: world.server.createSource(),
        onChange: () => expect.fail('used a list'),
      },
      log: console,
    });
    loop.want();
    await loop.runDue();
    expect(world.server.requests).toEqual([]);
  });
});

it.skipIf(!hasDatabase('postgres'))('two processes that claim a list at once send one request', async () => {
  const database = await freshDatabase('postgres');
  onTestFinished(() => database.remove());
  const world = await startWorld();
  const processes = await Promise.all(
    Array.from({ length: 2 }, async () => startProcess(await database.open(), world)),
  );
  for (let day = 0; day < 5; day++, world.clock.at += DAY_MS) {
    world.server.requests.length = 0;
    world.server.serveSigned('/google.json', listOf(world.clock.at));
    world.server.serve('/apple.json', listOf(world.clock.at));
    await Promise.all(processes.map((process) => process.fetchDue()));
    expect(world.server.requests.map((request) => request.replace(/ .*/, '')).toSorted()).toEqual(
      ['/apple.json', ...BOTH].toSorted(),
    );
  }
});
