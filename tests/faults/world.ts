import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALLS } from '../../contract/calls/calls.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import {
  type App,
  freePort,
  MANY_SIGN_UPS,
  startApp,
  startWorkerApp,
  type WorkerApp,
} from '../kit/product/app.ts';
import type { Database } from '../kit/databases/database.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { markVerified, type Person, sendTo, signUp } from '../kit/product/people.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';
import { createHosts, type Hosts } from './hosts.ts';
import { type LedgerProcess, startLedger } from './ledger-process.ts';

const DOMAIN = 'crash.example';

/** Monitored hosts in this process and receivers in processes of their own. They keep running when the product is killed. */
export interface World {
  database: Database;
  dns: DnsServer;
  hosts: Hosts;
  mails: LedgerProcess;
  webhooks: LedgerProcess;
  /** Environment variables for the product's processes. */
  environment: Readonly<Record<string, string> & { DATA_DIR: string }>;
  /** Starts the product, each time with the same data, port and environment; `more` adds variables. */
  start(more?: Record<string, string>): Promise<App>;
  /** Starts an additional worker process; PostgreSQL only. */
  startWorker(more?: Record<string, string>): WorkerApp;
  /** Signs up a person with Premium and alerts by mail and webhook. The product must be running. */
  addPerson(receiver?: Receiver): Promise<Person>;
  /** Opens the product's store from this process. */
  store(): Promise<Store>;
  /** Kills every process of the product and stops the hosts and receivers. Keeps the database. */
  end(): Promise<void>;
}

interface Receiver {
  /** Local part of the address, which decides how the mail server behaves. */
  localPart?: string;
  /** Path at the webhook receiver; null adds no webhook. */
  path?: string | null;
}

export interface WorldOptions {
  /** `DATA_DIR` of the product. Default: the folder of `database`. */
  dataDir?: string;
  /** Additional environment variables for the product's processes. */
  environment?: Record<string, string>;
  /** Time from adding a host with the lifecycle `ended` until its certificate expires, ms. Default: 100,000. */
  endsInMs?: number;
}

export async function createWorld(database: Database, options: WorldOptions = {}): Promise<World> {
  const [dns, mails, webhooks, port] = await Promise.all([
    startDnsServer(),
    startLedger('mail', database.dataDir),
    startLedger('webhook', database.dataDir),
    freePort(),
  ]);
  const root = mintAuthority();
  const peer = await startTlsServer({ '*': root.issue({ dnsNames: [`first.${DOMAIN}`] }) });
  const authorityFile = join(database.dataDir, 'authority.pem');
  writeFileSync(authorityFile, root.certificatePem);
  const url = `http://localhost:${port}`;
  const environment = {
    DATA_DIR: options.dataDir ?? database.dataDir,
    DATABASE_URL: database.databaseUrl ?? '',
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    PUBLIC_URL: url,
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
    CHANNEL_ALLOW_CIDRS: '127.0.0.0/8',
    DNS_SERVERS: dns.address,
    EXTRA_CA_FILE: authorityFile,
    ...MANY_SIGN_UPS,
    ...options.environment,
  };
  const running = new Set<App | WorkerApp>();
  let opened: Promise<Store> | null = null;
  const store = () =>
    (opened ??= database.open(options.dataDir === undefined ? {} : { dataDir: options.dataDir }));
  return {
    database,
    dns,
    hosts: createHosts({ domain: DOMAIN, dns, peer, root, endsInMs: options.endsInMs ?? 100_000 }),
    mails,
    webhooks,
    environment,
    async start(more = {}) {
      const app = await startApp({ ...environment, PORT: String(port), ...more });
      running.add(app);
      return app;
    },
    startWorker(more = {}) {
      const app = startWorkerApp({ ...environment, ...more });
      running.add(app);
      return app;
    },
    async addPerson({ localPart, path = '/ok' } = {}) {
      const person = await signUp(sendTo(url), { name: localPart ?? 'Bob' });
      const { db } = await store();
      // Verify the address, because unverified addresses get few mails a day and may not add webhooks.
      await markVerified({ db }, person.id);
      await grantPremium(await store(), person.id, { grant: { endsAt: null }, now: Date.now() });
      const config = { kind: 'webhook', url: `http://127.0.0.1:${webhooks.port}${path ?? ''}` };
      if (path !== null) void (await person.ask(CALLS.addChannel, { body: { config } })).ok;
      return person;
    },
    store,
    async end() {
      await Promise.all([...running].map((app) => app.kill()));
      await Promise.all([dns.stop(), peer.stop(), mails.stop(), webhooks.stop()]);
    },
  };
}
