import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { join } from 'node:path';
import { createMigratedTemplate, freshDatabase } from '../../kit/databases/database.ts';
import { startPostgres } from '../../kit/databases/postgres-server.ts';
import { openLab } from '../lab.ts';
import { startLedger } from '../ledger-process.ts';
import { cutOwnNetwork, type Link } from '../own-network.ts';
import type { InternetAddresses } from '../fake-internet.ts';
import {
  INSIDE,
  type InsideOptions,
  type InsideReport,
  OUTSIDE,
  type WorldOrder,
  type WorldReport,
} from './protocol.ts';

// Runs the worker, the database and the mail server in one network namespace, and cuts its only link to the process in
// `outside.ts`.

const START = Date.UTC(2027, 2, 1, 9, 30);
const { databases, domains, seed } = JSON.parse(process.argv[2] ?? '') as InsideOptions;
const ip = (...what: string[]) => execFileSync('ip', what);

const world = fork(join(import.meta.dirname, 'outside.ts'), {
  execPath: 'unshare',
  execArgv: ['-n', process.execPath],
});
ip('link', 'set', 'lo', 'up');
await sendOrder(world, { kind: 'clock', now: START });
ip('link', 'add', INSIDE.device, 'type', 'veth', 'peer', 'name', OUTSIDE.device, 'netns', String(world.pid));
ip('addr', 'add', `${INSIDE.address}/24`, 'dev', INSIDE.device);
ip('link', 'set', INSIDE.device, 'up');

const link: Link = {
  cut(how) {
    // `drop` sets a wrong MAC address of the neighbour, so that packets disappear without an error.
    if (how === 'fail') ip('link', 'set', INSIDE.device, 'down');
    else {
      ip('link', 'set', INSIDE.device, 'up');
      ip('neigh', 'replace', OUTSIDE.address, 'lladdr', '02:00:00:00:00:99', 'dev', INSIDE.device);
    }
    return Promise.resolve();
  },
  restore() {
    ip('neigh', 'del', OUTSIDE.address, 'dev', INSIDE.device);
    return Promise.resolve();
  },
  async pointNames(hosts, isUp) {
    await sendOrder(world, { kind: 'pointNames', hosts: [...hosts], isUp });
  },
};

const server = databases.includes('postgres') ? await startPostgres() : null;
const template = 'certlantern_faults';
if (server !== null) await createMigratedTemplate(server.url, template);
for (const name of databases) {
  if (name === 'postgres' && server === null) continue;
  const database = await freshDatabase(name, { postgres: server && { url: server.url, template } });
  const internet = await sendOrder(world, { kind: 'open', now: START });
  const mails = await startLedger('mail', database.dataDir);
  const lab = await openLab({
    database,
    internet,
    smtpUrl: `smtp://127.0.0.1:${mails.port}`,
    start: START,
    seed,
    // The reply is not awaited: canaries detect only clock errors of about an hour, so a short delay does not matter.
    onClock: (now) => void sendOrder(world, { kind: 'clock', now }),
    allow: ['10.77.0.0/24', '127.0.0.0/8'],
    timeoutMs: 3_000,
    dnsTimeoutMs: 1_000,
    concurrency: 100,
  });
  const outcome = await cutOwnNetwork({ lab, link, mails, domains, realOutages: 5 });
  await lab.close();
  await mails.stop();
  await database.remove();
  const report: InsideReport = { name, outcome };
  process.send?.(report);
}
await server?.stop();
world.disconnect();
process.disconnect?.();

/** Sends an order to the process `outside.ts`. When the order is done, returns the addresses of its hosts. */
async function sendOrder(
  child: ChildProcess,
  order: Omit<WorldOrder, 'number'> & { kind: WorldOrder['kind'] } & Record<string, unknown>,
): Promise<InternetAddresses> {
  const number = Math.random();
  return new Promise((resolve) => {
    const onReport = (report: WorldReport): void => {
      if (report.number !== number) return;
      child.off('message', onReport);
      resolve(report.addresses as InternetAddresses);
    };
    child.on('message', onReport);
    child.send({ ...order, number });
  });
}
