import { inspect } from 'node:util';
import { createEmailChannel } from '../../server/channels/email/index.ts';
import { createHttpChannels } from '../../server/channels/index.ts';
import { storable } from '../../server/channels/kinds/index.ts';
import { createAddressPolicy, createResolver } from '../../server/egress/index.ts';
import {
  createCanaries,
  createIconSource,
  createExaminer,
  createProbe,
  loadTrustStore,
  NO_SOURCES,
  type Probe,
} from '../../server/probe/index.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { openAccount } from '../../server/store/accounts/arrivals.ts';
import { addChannel } from '../../server/store/alerts/channel-changes.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { createWorker, type Worker } from '../../server/worker/index.ts';
import type { Database } from '../../tests/kit/database.ts';
import type { PlacesMap } from './places.ts';
import { seededRandom } from './random.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';

/** The product's loops in this process, on a clock that only the caller moves; network, receivers and database are real. */
export interface Lab {
  store: Store;
  worker: Worker;
  clock: { now(): number; set(at: number): void };
  /** Somebody with Premium and a proven address; answers the account's id. */
  arrive(localPart: string): Promise<string>;
  /** Tells that account by webhook too; answers the channel's id. */
  addWebhook(accountId: string, url: string): Promise<string>;
  watch(accountId: string, host: string, everyMinutes?: number): Promise<void>;
  /** Moves the clock from one due instant to the next and does what is due, up to `at`. */
  runUntil(at: number): Promise<void>;
  /** Moves the clock by steps instead: for much that is due at instants of its own. */
  stepUntil(at: number, stepMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface LabOptions {
  database: Database;
  places: PlacesMap;
  smtpUrl: string;
  start: number;
  /** Hears of every move of the clock: canaries follow it, as long as it is right. */
  onClock?: (now: number) => void;
  seed: number;
  allow?: readonly string[];
  concurrency?: number;
  /** Of the real time that anything may take to answer, in ms: what is silent is waited for. */
  patienceMs?: number;
  /** The same for a name server. */
  dnsPatienceMs?: number;
}

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ALLOW = ['127.0.0.0/8', '::1/128'];
const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined };

/** Alarms are what faults are to cause; any other error is to be seen. */
function report(what: unknown, ...words: unknown[]): void {
  if (typeof what === 'object' && what !== null && 'alarm' in what) return;
  // An error has nothing that JSON would show.
  process.stderr.write(`${inspect([what, ...words], { depth: null })}\n`);
}

/** Work that comes due by doing nothing would hold the clock for ever. */
const LEAST_STEP_MS = 1_000;

export async function openLab(options: LabOptions): Promise<Lab> {
  const {
    database,
    places,
    smtpUrl,
    allow = ALLOW,
    patienceMs = 2_000,
    dnsPatienceMs = patienceMs,
  } = options;
  let now = options.start;
  const clock = {
    now: () => now,
    set(at: number) {
      now = at;
      options.onClock?.(at);
    },
  };
  const store = await database.open();
  const policy = createAddressPolicy([...allow]);
  const resolver = createResolver({ servers: [places.dns], policy, timeoutMs: dnsPatienceMs });
  const timeouts = { connect: patienceMs, handshake: patienceMs, check: 3 * patienceMs };
  const real = createProbe({ resolver, policy, now: clock.now, sources: NO_SOURCES, timeouts });
  // Not what this is about, and a dozen connections each.
  const probe: Probe = {
    observe: (endpoint, asked) => real.observe(endpoint, { ...asked, withPosture: false }),
  };
  const canaries = createCanaries({
    hosts: places.canaries.map((host) => ({ host, port: places.port })),
    resolver,
    policy,
    now: clock.now,
    timeoutMs: 2 * dnsPatienceMs,
  });
  const email = createEmailChannel({ smtpUrl, mailFrom: 'alerts@certlantern.test', captureDir: '' });
  const worker = createWorker({
    store,
    email,
    canaries,
    clock,
    examiner: createExaminer({ probe, trustStore: loadTrustStore(places.rootPem) }),
    icons: createIconSource({ resolver, policy }),
    channels: createHttpChannels({ resolver, policy, deadlineMs: patienceMs }),
    unsubscribeKeys: { page: Buffer.alloc(32, 1), oneClick: Buffer.alloc(32, 2) },
    random: seededRandom(options.seed),
    concurrency: options.concurrency ?? 64,
    log: { ...QUIET, error: report },
    publicUrl: new URL('https://certs.test'),
    productName: 'Certlantern',
    supportEmail: 'operator@certs.test',
    heartbeat: null,
  });
  return {
    store,
    worker,
    clock,
    async arrive(localPart) {
      const opened = await openAccount(store, {
        issuer: 'faults',
        subject: localPart,
        email: `${localPart}@faults.test`,
        emailVerified: true,
        name: localPart,
        company: null,
        now,
      });
      if (!opened.ok) throw new Error(opened.code);
      await grantPremium(store, opened.account.id, { grant: { endsAt: null }, now });
      return opened.account.id;
    },
    async addWebhook(accountId, url) {
      const config = storable({ kind: 'webhook', url, secrets: [{ secret: SECRET, until: null }] });
      const request = { accountId, name: '', config, invitation: null, most: 20, mayAdd: () => true, now };
      const added = await addChannel(store, request);
      if (!added.ok) throw new Error(added.code);
      return added.channel.id;
    },
    async watch(accountId, host, everyMinutes = 1_440) {
      const added = await addMonitor(store, {
        accountId,
        host,
        port: places.port,
        protocol: 'tls',
        checkEveryMinutes: everyMinutes,
        now,
        mayAdd: () => true,
      });
      if (!added.ok) throw new Error(added.code);
    },
    async runUntil(at) {
      for (
        let next = await nextDue(store);
        next !== null && Math.max(now, next) <= at;
        next = await nextDue(store)
      ) {
        clock.set(Math.max(now, next));
        if (hasIdled(await worker.runDue())) clock.set(now + LEAST_STEP_MS);
      }
      clock.set(Math.max(now, at));
    },
    async stepUntil(at, stepMs) {
      while (clock.now() < at) {
        clock.set(Math.min(at, now + stepMs));
        await worker.runDue();
      }
    },
    async close() {
      await worker.stop();
      email.close();
    },
  };
}

const hasIdled = (done: Awaited<ReturnType<Worker['runDue']>>): boolean =>
  Object.values(done).every((count) => count === 0);

/** When the next check, delivery or mail falls due; null: none will. */
async function nextDue({ db }: Store): Promise<number | null> {
  const [check, delivery, mail] = await Promise.all([
    db
      .selectFrom('monitors')
      .select((eb) => eb.fn.min('next_check_at').as('at'))
      .where('active', '=', 1)
      .executeTakeFirst(),
    db
      .selectFrom('deliveries')
      .select((eb) => eb.fn.min('next_attempt_at').as('at'))
      .where('state', '=', 'waiting')
      .executeTakeFirst(),
    db
      .selectFrom('mails')
      .select((eb) => eb.fn.min('next_attempt_at').as('at'))
      .where('state', '=', 'waiting')
      .executeTakeFirst(),
  ]);
  const instants = [check, delivery, mail].flatMap((due) => (due?.at == null ? [] : [due.at]));
  return instants.length === 0 ? null : Math.min(...instants);
}
