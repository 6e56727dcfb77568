import { inspect } from 'node:util';
import { createEmailChannel } from '../../server/channels/email/email-channel.ts';
import { createHttpChannels } from '../../server/channels/http-channels.ts';
import { storableConfig } from '../../server/channels/kinds/index.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createCanaries } from '../../server/probe/canary.ts';
import { loadTrustStore } from '../../server/probe/examiner.ts';
import { createExaminer, NO_SOURCES } from '../kit/product/stand-ins.ts';
import { createIconSource } from '../../server/probe/icons/icon-source.ts';
import { createProbe, type Probe } from '../../server/probe/probe.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { openAccount } from '../../server/store/accounts/sign-in.ts';
import { addChannel } from '../../server/store/alerts/channel-changes.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { createWorker, type Worker } from '../../server/worker/worker.ts';
import type { Database } from '../kit/databases/database.ts';
import type { InternetAddresses } from './fake-internet.ts';
import { seededRandom } from './random.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';

/** A worker in this process with a simulated clock. Network, receivers and database are real. */
export interface Lab {
  store: Store;
  worker: Worker;
  clock: {
    now(): number;
    monotonic(): number;
    set(at: number): void;
    /** Sets the date forwards or, with a negative number, back. The monotonic clock stays. */
    jump(ms: number): void;
  };
  /** Creates an account with Premium and a verified address. Returns its id. */
  addAccount(localPart: string): Promise<string>;
  /** Adds a webhook channel to the account. Returns the channel's id. */
  addWebhook(accountId: string, url: string): Promise<string>;
  watch(accountId: string, host: string, everyMinutes?: number): Promise<void>;
  /** Advances the clock from one due time to the next, up to `at`, ms UTC, and runs the work that is due. */
  runUntil(at: number): Promise<void>;
  /**
   * Advances the clock in fixed steps up to `at` and runs the work that is due. Faster than `runUntil` if many items are
   * due at different times.
   */
  stepUntil(at: number, stepMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface LabOptions {
  database: Database;
  internet: InternetAddresses;
  smtpUrl: string;
  start: number;
  /** Called with each new time of the clock, ms UTC. Scenarios in which the clock is right also set the canaries' clock to it. */
  onClock?: (now: number) => void;
  seed: number;
  allow?: readonly string[];
  concurrency?: number;
  /**
   * Timeout in real ms for a connection and a handshake; a check has three times as long. Default: 2,000. Each silent peer delays
   * the run by this time.
   */
  timeoutMs?: number;
  /** Timeout in real ms for a webhook's response. Default: `timeoutMs`. */
  webhookTimeoutMs?: number;
  /** Timeout in real ms for an answer of the name server. Default: `timeoutMs`. */
  dnsTimeoutMs?: number;
  /** Returns whether the name servers answer nothing at the moment. Lookups then end after 250 ms. Default: never. */
  isDnsSilent?: () => boolean;
}

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ALLOW = ['127.0.0.0/8', '::1/128'];
const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined };

/** Prints errors to stderr. Ignores operator alarms, because the faults cause them on purpose. */
function logError(what: unknown, ...words: unknown[]): void {
  if (typeof what === 'object' && what !== null && 'alarm' in what) return;
  // Use `inspect`, because JSON.stringify omits the message and stack of an Error.
  process.stderr.write(`${inspect([what, ...words], { depth: null })}\n`);
}

/** How far the clock moves in ms if a run had nothing to do. Without this, work that stays due would stop the clock. */
const IDLE_STEP_MS = 1_000;

export async function openLab(options: LabOptions): Promise<Lab> {
  const { database, internet, smtpUrl, allow = ALLOW, timeoutMs = 2_000 } = options;
  const { dnsTimeoutMs = timeoutMs, webhookTimeoutMs = timeoutMs, isDnsSilent = () => false } = options;
  let now = options.start;
  let jumpedMs = 0;
  const clock = {
    now: () => now,
    monotonic: () => now - jumpedMs,
    set(at: number) {
      now = at;
      options.onClock?.(at);
    },
    jump(ms: number) {
      now += ms;
      jumpedMs += ms;
    },
  };
  const store = await database.open();
  const policy = createAddressPolicy([...allow]);
  const dns = { servers: [internet.dns], policy };
  const patient = createResolver({ ...dns, timeoutMs: dnsTimeoutMs });
  const impatient = createResolver({ ...dns, timeoutMs: 250 });
  const resolver: typeof patient = {
    ...patient,
    resolve: (...asked) => (isDnsSilent() ? impatient : patient).resolve(...asked),
  };
  const timeouts = { connect: timeoutMs, handshake: timeoutMs, check: 3 * timeoutMs };
  const real = createProbe({ resolver, policy, now: clock.now, sources: NO_SOURCES, timeouts });
  // Posture checks are irrelevant here and take a dozen connections each.
  const probe: Probe = {
    observe: (endpoint, asked) => real.observe(endpoint, { ...asked, withPosture: false }),
  };
  const canaries = createCanaries({
    hosts: internet.canaries.map((host) => ({ host, port: internet.port })),
    resolver,
    policy,
    now: clock.now,
    timeoutMs: 2 * dnsTimeoutMs,
  });
  const email = createEmailChannel({ smtpUrl, mailFrom: 'alerts@certlantern.test', captureDir: '' });
  const worker = createWorker({
    store,
    email,
    canaries,
    clock,
    examiner: createExaminer({ probe, trustStore: loadTrustStore(internet.rootPem), now: clock.now }),
    icons: createIconSource({ resolver, policy }),
    channels: createHttpChannels({ resolver, policy, deadlineMs: webhookTimeoutMs }),
    unsubscribeKeys: { page: Buffer.alloc(32, 1), oneClick: Buffer.alloc(32, 2) },
    random: seededRandom(options.seed),
    concurrency: options.concurrency ?? 64,
    log: { ...QUIET, error: logError },
    publicUrl: new URL('https://certs.test'),
    productName: 'Certlantern',
    supportEmail: 'operator@certs.test',
    heartbeat: null,
  });
  return {
    store,
    worker,
    clock,
    async addAccount(localPart) {
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
      const config = storableConfig({ kind: 'webhook', url, secrets: [{ secret: SECRET, until: null }] });
      const request = { accountId, name: '', config, invitation: null, max: 20, mayAdd: () => true, now };
      const added = await addChannel(store, request);
      if (!added.ok) throw new Error(added.code);
      return added.channel.id;
    },
    async watch(accountId, host, everyMinutes = 1_440) {
      const added = await addMonitor(store, {
        accountId,
        host,
        port: internet.port,
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
        if (wasIdle(await worker.runDue())) clock.set(now + IDLE_STEP_MS);
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

const wasIdle = (done: Awaited<ReturnType<Worker['runDue']>>): boolean =>
  Object.values(done).every((count) => count === 0);

/** Returns when the next check, delivery or mail is due, in ms UTC; null if there is none. */
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
