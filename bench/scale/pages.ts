import { fork } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { parseConfig } from '../../server/config.ts';
import { loadSecrets } from '../../server/data-directory.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { startApi } from '../../server/start-api.ts';
import { startTelemetry } from '../../server/start-telemetry.ts';
import { openSession } from '../../server/store/accounts/sessions.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { createReadiness } from '../../server/telemetry/readiness.ts';
import { freePort } from '../../tests/kit/product/app.ts';
import { insertFleet } from '../../tests/kit/product/fleet.ts';
import { certificate, checkOf, person, recordCheck } from '../../tests/store/samples.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import type { Figure } from './figures.ts';
import type { Done, Order } from './page-clients.ts';
import { createDatabase } from './store-variants.ts';

const STREAMS = 500;
const STREAMS_PER_ACCOUNT = 20;
/** Number of domains of the first account, and of each other account. */
const MONITORS = { first: 200, other: 20 };
const CHECKS_PER_SECOND = 60;
/** Duration in ms; long enough for several heartbeats on each stream. */
const WINDOW_MS = 20_000;
const PAGES = 3_000;
/** Sessions per account, because the rate limit counts requests per session. */
const SESSIONS = 30;
const MIN_PAGES_PER_SECOND = 1_000;

interface World {
  url: string;
  store: Store;
  accounts: { id: string; cookies: string[]; monitors: string[] }[];
}

/**
 * Measures the API's CPU time for a page of the domain list and, at 60 checks a second, for 500 event streams. The clients
 * run in another process.
 */
export async function measurePages(say: (text: string) => void): Promise<Figure[]> {
  const database = await createDatabase('sqlite');
  const store = await database.open();
  const world = await serve(store, database.dataDir);
  const child = fork(new URL('./page-clients.ts', import.meta.url));
  const carryOut = async (order: Order): Promise<Done> => {
    child.send(order);
    const [done] = (await once(child, 'message')) as [Done];
    return done;
  };
  try {
    return [...(await pageFigures(world, carryOut)), ...(await streamFigures(world, carryOut, say))];
  } finally {
    child.kill();
    world.close();
    await database.remove();
  }
}

type CarryOut = (order: Order) => Promise<Done>;

async function pageFigures({ url, store, accounts }: World, carryOut: CarryOut): Promise<Figure[]> {
  const [first] = accounts;
  if (first === undefined) return [];
  const figures: Figure[] = [];
  const measure = async (what: string, headers: Record<string, string>, min?: number): Promise<void> => {
    const order = { kind: 'pages', url: `${url}/api/domain/list`, cookies: first.cookies, headers } as const;
    await carryOut({ ...order, count: 200 });
    const from = process.cpuUsage();
    const { bytes } = await carryOut({ ...order, count: PAGES });
    const cpuMs = cpuMsSince(from);
    const perSecond = (PAGES / cpuMs) * 1_000;
    figures.push({ what: `${what}, CPU`, value: cpuMs / PAGES, unit: 'ms' });
    figures.push({
      what: `${what}, pages`,
      value: perSecond,
      unit: 'a second per core',
      ...(min !== undefined && { min }),
    });
    figures.push({ what: `${what}, size`, value: bytes / PAGES / 1_000, unit: 'kB' });
  };
  const browser = { 'accept-encoding': 'gzip, deflate, br, zstd' };
  await measure('list page, unchanged', browser, MIN_PAGES_PER_SECOND);
  await measure('list page, unchanged, uncompressed', {});
  const [monitorId = ''] = first.monitors;
  const changing = setInterval(
    () => store.signals.publish({ topic: 'domain', accountId: first.id, monitorId, change: 'checked' }),
    0,
  );
  await measure('list page, changed each time', browser);
  clearInterval(changing);
  return figures;
}

async function streamFigures(
  { url, store, accounts }: World,
  carryOut: CarryOut,
  say: (text: string) => void,
): Promise<Figure[]> {
  const few = accounts.slice(0, STREAMS / STREAMS_PER_ACCOUNT);
  const layouts = {
    'in as many accounts, all checked': { open: accounts, checked: accounts },
    [`in ${few.length} accounts, all checked`]: { open: few, checked: few },
    [`in ${few.length} accounts, one other checked`]: { open: few, checked: accounts.slice(-1) },
  };
  const figures: Figure[] = [];
  for (const [what, { open, checked }] of Object.entries(layouts)) {
    const without = await cpuPerCheck(store, checked);
    const cookies = open.map((account) => account.cookies[0] ?? '');
    await carryOut({ kind: 'streams', url: `${url}/api/events`, cookies, count: STREAMS });
    const added = (await cpuPerCheck(store, checked)) - without;
    const { events } = await carryOut({ kind: 'close' });
    say(`${what}: ${events} events arrived`);
    figures.push({ what: `${STREAMS} streams ${what}: added per check`, value: added, unit: 'µs' });
  }
  return figures;
}

/** Signals checks of the accounts in turn for a minute. Returns the CPU time of this process per check, µs. */
async function cpuPerCheck({ signals }: Store, accounts: World['accounts']): Promise<number> {
  const from = process.cpuUsage();
  const startedAt = performance.now();
  let checks = 0;
  while (performance.now() - startedAt < WINDOW_MS) {
    const due = ((performance.now() - startedAt) / 1_000) * CHECKS_PER_SECOND;
    for (; checks < due; checks++) {
      const { id: accountId = '', monitors = [] } = accounts[checks % accounts.length] ?? {};
      const monitorId = monitors[Math.floor(checks / accounts.length) % monitors.length] ?? '';
      signals.publish({ topic: 'domain', accountId, monitorId, change: 'checked' });
    }
    await delay(10);
  }
  return (cpuMsSince(from) * 1_000) / checks;
}

function cpuMsSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}

/** Serves the API as the product does, in this process, for accounts whose domains have been checked. */
async function serve(store: Store, dataDir: string): Promise<World & { close: () => void }> {
  const port = await freePort();
  const config = parseConfig({
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    TRUSTED_PROXIES: '127.0.0.1/32',
    BILLING: 'none',
    LOG_LEVEL: 'error',
  });
  const log = createLog(config.logLevel);
  const { app } = await startApi(
    {
      config,
      secrets: loadSecrets(dataDir),
      store,
      policy: createAddressPolicy([]),
      channelPolicy: createAddressPolicy([]),
      hostsFile: null,
      channelHostsFile: null,
      log,
      telemetry: await startTelemetry(null, log),
      readiness: createReadiness(),
    },
    { port, warning: null },
  );
  const accounts: World['accounts'] = [];
  for (let number = 0; number < STREAMS; number++) accounts.push(await account(store, number));
  await checkAll(store);
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${port}`, store, accounts, close: () => void server.close() };
}

async function account(store: Store, number: number): Promise<World['accounts'][number]> {
  const { id } = await person(store, `owner-${number}`);
  await insertFleet(store, {
    accountId: id,
    count: number === 0 ? MONITORS.first : MONITORS.other,
    now: Date.now(),
  });
  const rows = await store.db.selectFrom('monitors').select('id').where('account_id', '=', id).execute();
  const cookies: string[] = [];
  for (let count = 0; count < (number === 0 ? SESSIONS : 1); count++) cookies.push(await session(store, id));
  return { id, cookies, monitors: rows.map((row) => row.id) };
}

/** Opens a session and returns its cookie. */
async function session(store: Store, accountId: string): Promise<string> {
  const [sessionId, secret] = [randomUUID(), randomBytes(32).toString('base64url')];
  const now = Date.now();
  const endsAt = now + DAY_MS;
  await openSession(store, {
    sessionId,
    accountId,
    accessHash: createHash('sha256').update(secret).digest('hex'),
    refreshHash: randomUUID(),
    accessExpiresAt: endsAt,
    refreshIdleExpiresAt: endsAt,
    refreshExpiresAt: endsAt,
    signedInAt: now,
  });
  return `__Host-certlantern-session=${sessionId}.${secret}`;
}

/** Records one check of each monitor, so that rows have a verdict. */
async function checkAll(store: Store): Promise<void> {
  const now = Date.now();
  await store.db.updateTable('monitors').set({ next_check_at: now }).execute();
  for (;;) {
    const claimed = await claimDue(store, { now, limit: 64, leaseMs: MINUTE_MS, claimedBy: 'bench' });
    if (claimed.length === 0) return;
    for (const monitor of claimed) {
      const chain = [certificate({ subject: monitor.host, notAfter: now + 60 * DAY_MS })];
      await recordCheck(store, checkOf(monitor, now, chain, { nextCheckAt: now + DAY_MS }));
    }
  }
}
