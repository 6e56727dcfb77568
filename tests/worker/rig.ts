import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import { createEmailChannel } from '../../server/channels/email/email-channel.ts';
import { createHttpChannels } from '../../server/channels/http-channels.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import type { Canaries } from '../../server/probe/canary.ts';
import { loadTrustStore } from '../../server/probe/examiner.ts';
import { createExaminer, NO_SOURCES } from '../kit/product/stand-ins.ts';
import { createIconSource, type IconSource } from '../../server/probe/icons/icon-source.ts';
import { createProbe, type Probe } from '../../server/probe/probe.ts';
import type { TrustStore } from '../../server/pki/trust-store.ts';
import type { Sources } from '../../server/probe/sources/sources.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { openAccount } from '../../server/store/accounts/sign-in.ts';
import { findMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { nextPlanEnd } from '../../server/store/billing/plan-expiry.ts';
import { createWorker, type Worker, type WorkerOptions } from '../../server/worker/worker.ts';
import { PATIENT } from '../kit/peers/loopback.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { type CertificateOptions, mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { type SmtpSink, startSmtpSink } from '../kit/peers/smtp-sink.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';
import { DAY_MS } from '../../contract/durations.ts';
import type { Protocol } from '../../contract/protocols.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';

/** Initial time of the rig's clock, independent of the machine's clock. */
export const START = Date.UTC(2027, 2, 1, 9, 30);

export const root = mintAuthority({ notBefore: START - 3_650 * DAY_MS, notAfter: START + 3_650 * DAY_MS });
export const intermediate = root.intermediate({
  commonName: 'Rig R1',
  organization: 'Rig Trust',
  notBefore: START - 900 * DAY_MS,
  notAfter: START + 1_900 * DAY_MS,
});
const trustStore = loadTrustStore(root.certificatePem);
const someName = intermediate.issue({
  dnsNames: ['other.example'],
  notBefore: START,
  notAfter: START + 90 * DAY_MS,
});

/** A received mail, with the time of the rig's clock. */
export interface Arrival {
  at: number;
  subject: string;
  text: string;
  messageId: string;
}

export interface Rig {
  store: Store;
  worker: Worker;
  sink: SmtpSink;
  dns: DnsServer;
  clock: {
    now(): number;
    monotonic(): number;
    set(at: number): void;
    advance(ms: number): void;
    /** Sets the date forwards or, with a negative number, back. The monotonic clock stays. */
    jump(ms: number): void;
  };
  log: { debug: unknown; info: unknown; warn: unknown; error: unknown };
  accountId: string;
  port: number;
  /** Mails in order of arrival. */
  arrivals: Arrival[];
  /** Issues a certificate for `host` with the rig's intermediate; by default valid for 90 days from the clock's time. */
  issue(host: string, options?: CertificateOptions): MintedCertificate;
  /** Serves this certificate for `host` from now on. */
  serve(host: string, certificate: MintedCertificate): void;
  /** Points the host's name to a closed port, or to the rig's server again. */
  reachable(host: string, yes: boolean): void;
  /** Opens another account, with Premium; returns its id. */
  arrive(name: string): Promise<string>;
  /** Serves the certificate and adds a monitor of it, due now. */
  watch(host: string, certificate?: MintedCertificate, options?: WatchOptions): Promise<Monitor>;
  /** Adds a monitor of any endpoint, due now. */
  add(host: string, port: number, options?: WatchOptions): Promise<Monitor>;
  read(monitor: Monitor): Promise<Monitor>;
  /** Does the work that is due at the clock's time. */
  runDue(): ReturnType<Worker['runDue']>;
  /** Moves the clock from one due time to the next, up to `at`, and does the due work at each. */
  runUntil(at: number): Promise<void>;
}

export interface WatchOptions {
  everyMinutes?: number;
  /** Default: the rig's own account. */
  accountId?: string;
  /** Default: TLS only. */
  protocol?: Protocol;
  /** Default: none. */
  target?: string;
}

export interface RigOptions {
  /** Wraps the real probe. */
  wrapProbe?(probe: Probe): Probe;
  /** The CA sources of the probe; by default none. */
  sources?: Sources;
  /** Also probes the posture, which takes a dozen connections; by default not. */
  posture?: boolean;
  /** Replaces the real source of icons. */
  icons?: IconSource;
  /** Collects the evidence for forecasts of renewals; by default none are made. */
  forecasts?: WorkerOptions['forecasts'];
  /** Where the worker reports its metrics, logs and traces. */
  telemetry?: WorkerOptions['telemetry'];
  concurrency?: number;
  /** Default: none. */
  canaries?: Canaries;
  /** What the product's self-check probes, and where it reports. By default there is no self-check. */
  heartbeat?: WorkerOptions['heartbeat'];
  /** Shorter timeouts of the probe and the resolver, in ms. */
  caps?: { dns?: number; handshake?: number; intermediates?: number; slow?: number };
  /** Length of the leases of checks and messages, ms. */
  leaseMs?: number;
  /** The mail server and its address; by default one of the rig's own. */
  mail?: { sink: SmtpSink; smtpUrl: string };
  /** Shorter time limits of the email channel, in ms. */
  mailTimeouts?: Parameters<typeof createEmailChannel>[0]['timeouts'];
  /** Trust anchors; by default the rig's root, as a private one, beside the public roots. */
  trustStore?: TrustStore;
  /** Where the lists of Certificate Transparency logs come from; by default there are none. */
  logLists?: WorkerOptions['logLists'];
  /** Address ranges that checks may connect to; by default the machine's own. */
  allow?: readonly string[];
}

/** Starts a worker with real TLS, DNS and SMTP peers and a clock that only the test moves. Everything stops with the test. */
export async function startRig(store: Store, options: RigOptions = {}): Promise<Rig> {
  let now = START;
  let jumpedMs = 0;
  const clock = {
    now: () => now,
    monotonic: () => now - jumpedMs,
    set: (at: number) => void (now = at),
    advance: (ms: number) => void (now += ms),
    jump(ms: number) {
      now += ms;
      jumpedMs += ms;
    },
  };
  const dns = await startDnsServer();
  const sink = options.mail?.sink ?? (await startSmtpSink());
  const peer = await startTlsServer({ '*': someName });
  const { allow = ['127.0.0.0/8', '::1/128'], caps: { dns: timeoutMs, ...timeouts } = {} } = options;
  const policy = createAddressPolicy(allow);
  const resolver = createResolver({
    servers: [dns.address],
    policy,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const probe = createProbe({
    resolver,
    policy,
    now: clock.now,
    monotonic: clock.monotonic,
    sources: options.sources ?? NO_SOURCES,
    timeouts: { ...PATIENT, ...timeouts },
  });
  const plainProbe: Probe = {
    observe: (endpoint, asked) =>
      probe.observe(endpoint, { ...asked, withPosture: asked.withPosture && options.posture === true }),
  };
  const email = createEmailChannel({
    smtpUrl: options.mail?.smtpUrl ?? sink.url,
    mailFrom: 'alerts@certlantern.test',
    captureDir: '',
    ...(options.mailTimeouts && { timeouts: options.mailTimeouts }),
  });
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const worker = createWorker({
    store,
    examiner: createExaminer({
      probe: options.wrapProbe?.(plainProbe) ?? plainProbe,
      trustStore: options.trustStore ?? trustStore,
      now: clock.now,
    }),
    icons: options.icons ?? createIconSource({ resolver, policy }),
    ...(options.forecasts && { forecasts: options.forecasts }),
    email,
    channels: createHttpChannels({ resolver, policy }),
    canaries: options.canaries ?? null,
    supportEmail: 'operator@certs.test',
    heartbeat: options.heartbeat ?? null,
    ...(options.logLists && { logLists: options.logLists }),
    ...(options.telemetry && { telemetry: options.telemetry }),
    unsubscribeKeys: { page: Buffer.alloc(32, 1), oneClick: Buffer.alloc(32, 2) },
    clock,
    random: () => 0.5,
    concurrency: options.concurrency ?? 16,
    ...(options.leaseMs !== undefined && { leaseMs: options.leaseMs }),
    log,
    publicUrl: new URL('https://certs.test'),
    productName: 'Certlantern',
  });
  onTestFinished(async () => {
    await worker.stop();
    email.close();
    await Promise.all([dns.stop(), sink.stop(), peer.stop()]);
  });

  async function arrive(name: string): Promise<string> {
    const opened = await openAccount(store, {
      issuer: 'test',
      subject: crypto.randomUUID(),
      email: `${name.toLowerCase()}@certs.test`,
      emailVerified: true,
      name,
      company: null,
      now,
    });
    if (!opened.ok) throw new Error(opened.code);
    const { id } = opened.account;
    await grantPremium(store, id, { grant: { endsAt: null }, now });
    // Skip the welcome mail of a new account, which would be among the alerts.
    await store.db.updateTable('accounts').set({ reached_out_at: now }).where('id', '=', id).execute();
    return id;
  }
  const accountId = await arrive('Alice');

  const arrivals: Arrival[] = [];
  const rig: Rig = {
    store,
    worker,
    sink,
    dns,
    clock,
    log,
    accountId,
    arrive,
    port: peer.port,
    arrivals,
    issue: (host, more) =>
      intermediate.issue({ dnsNames: [host], notBefore: now, notAfter: now + 90 * DAY_MS, ...more }),
    serve(host, certificate) {
      peer.setCertificate(host, certificate);
      rig.reachable(host, true);
    },
    reachable(host, yes) {
      dns.entries.set(host, { addresses: [yes ? '127.0.0.1' : '::1'] });
    },
    async watch(host, certificate = rig.issue(host), watching = {}) {
      rig.serve(host, certificate);
      return rig.add(host, peer.port, watching);
    },
    async add(host, port, watching = {}) {
      const { everyMinutes = 1440, protocol = 'tls', target = '', accountId: owner = accountId } = watching;
      const added = await addMonitor(store, {
        accountId: owner,
        host,
        port,
        protocol,
        target,
        checkEveryMinutes: everyMinutes,
        now,
        mayAdd: () => true,
      });
      if (!added.ok) throw new Error(added.code);
      return added.monitor;
    },
    async read({ accountId: owner, id }) {
      const monitor = await findMonitor(store, { accountId: owner, monitorId: id });
      if (monitor === null) throw new Error('the monitor is gone');
      return monitor;
    },
    async runDue() {
      const done = await worker.runDue();
      for (const { parsed, messageId } of sink.ledger.slice(arrivals.length))
        arrivals.push({
          at: now,
          // The rig's port differs in each run.
          subject: (parsed.subject ?? '').replace(`:${peer.port}`, ''),
          text: parsed.text ?? '',
          messageId,
        });
      return done;
    },
    async runUntil(at) {
      for (;;) {
        const next = await nextDue(store);
        if (next === null || next > at) break;
        clock.set(Math.max(now, next));
        const { plans, checks, deliveries, mails } = await rig.runDue();
        if (plans + checks + deliveries + mails === 0)
          throw new Error(`nothing ran at ${new Date(now).toISOString()}`);
      }
      clock.set(at);
    },
  };
  return rig;
}

/** Returns when the next plan end, check, delivery or mail is due, whichever is first; null if nothing is. */
async function nextDue(store: Store): Promise<number | null> {
  const check = await store.db
    .selectFrom('monitors')
    .select((eb) => eb.fn.min('next_check_at').as('at'))
    .where('active', '=', 1)
    .executeTakeFirst();
  const outboxes = ['deliveries', 'mails'] as const;
  const sendings = outboxes.map((outbox) =>
    store.db
      .selectFrom(outbox as 'mails')
      .select((eb) => eb.fn.min('next_attempt_at').as('at'))
      .where('state', '=', 'waiting')
      .executeTakeFirst(),
  );
  const instants = [
    await nextPlanEnd(store),
    ...[check, ...(await Promise.all(sendings))].map((due) => due?.at),
  ]
    .filter((at) => at !== null && at !== undefined)
    .map(Number);
  return instants.length === 0 ? null : Math.min(...instants);
}

/** Polls until a condition is true. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(5);
}
