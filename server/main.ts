import { createAdaptorServer } from '@hono/node-server';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import {
  createApp,
  createIdentityEvents,
  createOperatorApp,
  derivedKey,
  linkTestMode,
  refusePlainHttp,
  unsubscribeKeys,
} from './api/index.ts';
import { createEmailChannel } from './channels/email/index.ts';
import { createHttpChannels } from './channels/index.ts';
import { createPing } from './channels/heartbeat/index.ts';
import { type Config, ConfigError, parseConfig, readEnvironment } from './config.ts';
import {
  DataDirectoryError,
  loadSecrets,
  lockDataDirectory,
  prepareDataDirectory,
} from './data-directory.ts';
import { createAddressPolicy, createResolver } from './egress/index.ts';
import { PkiError } from './pki/index.ts';
import { createCanaries, createIconSource, createThreadedExaminer, loadTrustStore } from './probe/index.ts';
import { createFirebaseIdentity, createIdentityProvider, signUpPolicy } from './providers/identity/index.ts';
import { createPayments, isTestSubscription } from './providers/payments/index.ts';
import { reachOfStrangers } from './reach-config.ts';
import { readyLines } from './ready-lines.ts';
import { LIMITS } from './core/index.ts';
import { openStore, StoreError } from './store/db/open-store.ts';
import { measureThisProcess, startTelemetry, tracedQueries } from './start-telemetry.ts';
import { freeRows } from './store/mail/outbox.ts';
import { endTestSubscriptions } from './store/billing/subscriptions.ts';
import { createLog, createReadiness } from './telemetry/index.ts';
import { createAlarms, createWorker, systemClock } from './worker/index.ts';

/** A port that cannot be had; one line, like every reason not to start. */
class ListenError extends Error {
  override name = 'ListenError';
}

/** How long what is under way at a stop may take: answers, and messages, which arrive twice where they are interrupted. */
const FINISHING = { requestsMs: 5_000, messagesMs: 6_000 };
/** With what is to be closed then, in less than the ten seconds after which `docker stop` kills. */
const SHUTDOWN_MS = 9_000;

/**
 * By how much the heap may grow before what is of no use any more is collected. Left to itself V8 lets it treble where the machine has
 * the memory; measured with 100,000 monitors, this takes a fifth less of it, and four hundredths of a processor.
 */
const HEAP_GROWTH_PERCENT = 30;

async function main(): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const config = parseConfig(readEnvironment());
  const log = createLog(config.logLevel);
  const closers: Closer[] = [];
  const readiness = createReadiness();
  const finishers: Closer[] = [];
  const stop = shutdownOnce({ first: () => readiness.drain(), finishers, closers }, log);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0));
  // Started through a parent that was killed: nobody is left to stop us, and the port would stay taken.
  process.on('disconnect', () => stop(0));

  const telemetry = await startTelemetry(config.tracing, log);
  closers.push(() => telemetry.close());

  prepareDataDirectory(config.dataDir);
  const secrets = loadSecrets(config.dataDir);
  // The embedded database belongs to one process; PostgreSQL is made to be shared.
  if (config.databaseUrl === null) closers.push(lockDataDirectory(config.dataDir));
  const store = await openStore({
    databaseUrl: config.databaseUrl,
    replicaUrl: config.databaseReplicaUrl,
    dataDir: config.dataDir,
    everyonePremium: config.billing.mode === 'none',
    limits: config.limits,
    onLimit: (limit) => telemetry.meters.limitReached(LIMITS[limit].setting),
    tidiesApart: true,
    log,
    ...tracedQueries(telemetry),
    onWaiting: (place) => process.stdout.write(`Waiting for the database at ${place} …\n`),
  });
  closers.push(() => store.close());
  if (config.databaseUrl === null)
    for (const outbox of ['deliveries', 'mails'] as const) await freeRows(store, outbox);
  if (config.role === 'migrate') {
    process.stdout.write('The database is up to date.\n');
    return stop(0);
  }

  measureThisProcess(telemetry, { role: config.role, store, readiness });
  const policy = createAddressPolicy(config.egressAllowCidrs);
  const channelPolicy = createAddressPolicy(config.channelAllowCidrs);
  if (config.egressAllowCidrs.length > 0)
    log.warn({ ranges: config.egressAllowCidrs }, 'EGRESS_ALLOW_CIDRS opens these ranges to checks');
  if (config.channelAllowCidrs.length > 0)
    log.warn({ ranges: config.channelAllowCidrs }, 'channels such as webhooks reach these ranges');
  const strangersReach = reachOfStrangers(config);
  if (strangersReach !== null) log.warn(strangersReach);
  const mailFolder = join(config.dataDir, 'mail');
  refuseUnreadableAnchors(config.extraCaPem);

  const serving = config.role === 'worker' ? null : await listen(config);
  const publicUrl =
    serving && config.publicUrlIsDefault ? new URL(`http://localhost:${serving.port}`) : config.publicUrl;
  if (serving) finishers.push(() => serving.close(FINISHING.requestsMs));
  if (config.role === 'worker' && config.workerPort !== null) {
    const operatorsOnly = await listen({ host: config.host, port: config.workerPort }, 'WORKER_PORT');
    const parts = { store, clock: systemClock, log, telemetry, readiness };
    operatorsOnly.use(createOperatorApp({ ...parts, config: { ...config, publicUrl } }));
    closers.push(() => operatorsOnly.close(0));
  }

  if (config.role !== 'api') {
    const bounces = config.bounces && { ...config.bounces, key: derivedKey(secrets.session, 'bounce') };
    const email = createEmailChannel({
      smtpUrl: config.smtpUrl,
      mailFrom: config.mailFrom,
      captureDir: mailFolder,
      bounces,
    });
    const resolver = createResolver({ servers: config.dnsServers, policy });
    const channelResolver = createResolver({ servers: config.dnsServers, policy: channelPolicy });
    const examiner = createThreadedExaminer({
      dnsServers: config.dnsServers,
      egressAllowCidrs: config.egressAllowCidrs,
      extraCaPem: config.extraCaPem,
      cacheFolder: join(config.dataDir, 'cache'),
      lookWork: config.limits.workPerCheck,
      onLimit: () => telemetry.meters.limitReached(LIMITS.workPerCheck.setting),
      onTrouble: (error) => log.warn({ err: error }, 'something went wrong where checks look and judge'),
    });
    const worker = createWorker({
      store,
      examiner,
      strangersExaminer: examiner.strangers,
      icons: createIconSource({ resolver, policy }),
      email,
      channels: createHttpChannels({ resolver: channelResolver, policy: channelPolicy }),
      unsubscribeKeys: unsubscribeKeys(secrets.session),
      bounces: bounces?.mailbox == null ? null : { ...bounces, mailbox: bounces.mailbox },
      canaries: createCanaries({ hosts: config.canaryHosts, resolver, policy, now: () => systemClock.now() }),
      supportEmail: config.supportEmail,
      heartbeat: config.heartbeatUrl && {
        ...ownCheck(config.canaryHosts, publicUrl),
        ping: createPing({ url: config.heartbeatUrl, resolver, policy }),
      },
      clock: systemClock,
      random: Math.random,
      concurrency: config.checkConcurrency,
      log,
      telemetry,
      publicUrl,
      productName: config.productName,
    });
    worker.start();
    finishers.push(() => worker.stop(FINISHING.messagesMs));
    closers.push(async () => {
      await examiner.close();
      email.close();
    });
  }

  if (serving) {
    const identity =
      config.firebase === null
        ? createIdentityProvider({
            database: store.identityDatabase,
            secret: secrets.identity,
            publicUrl,
            productName: config.productName,
            events: createIdentityEvents({ store, publicUrl, clock: systemClock }),
            oidc: {
              providers: config.oidc,
              maySignUp: signUpPolicy({
                signups: config.signups,
                secret: secrets.invite,
                now: () => systemClock.now(),
              }),
            },
            log,
          })
        : createFirebaseIdentity({ config: config.firebase, log });
    if (config.billing.mode !== 'test')
      await endTestSubscriptions(store, { isTest: isTestSubscription, now: systemClock.now() });
    const alarms = createAlarms({ store, clock: systemClock, log });
    if (config.billing.mode === 'paddle' && config.billing.isUnconfirmedSandbox)
      await alarms.raise(
        'paddle_sandbox',
        "PADDLE_CLIENT_TOKEN belongs to Paddle's sandbox: test cards buy Premium, and nobody is charged.",
      );
    else await alarms.clear('paddle_sandbox');
    const payments = await createPayments(config.billing, {
      now: () => systemClock.now(),
      test: { publicUrl, ...linkTestMode({ store, sessionSecret: secrets.session, app: () => app }) },
    });
    const app: ReturnType<typeof createApp> = createApp({
      store,
      identity,
      payments,
      config: { ...config, publicUrl },
      secrets,
      clock: systemClock,
      policy,
      channelPolicy,
      log,
      requestLog: log,
      telemetry,
      readiness,
      webRoot: resolve(import.meta.dirname, '..', 'dist', 'web'),
      mailFolder: config.smtpUrl === null ? mailFolder : null,
    });
    serving.use(app);
  }

  if (serving) {
    const mailPage = new URL(`/dev/mail?key=${secrets.mailPage}`, `http://localhost:${serving.port}`);
    process.stdout.write(
      readyLines({
        productName: config.productName,
        publicUrl,
        mailPage: config.smtpUrl === null ? mailPage : null,
        billing: config.billing,
        warning: strangersReach,
        obstacle: refusePlainHttp(undefined, { ...config, publicUrl })?.detail ?? null,
      }),
    );
  }
}

/** What the product's own check looks at: a host that nearly always answers, else the product itself. */
function ownCheck([canary]: Config['canaryHosts'], publicUrl: URL): { host: string; port: number } {
  const host = publicUrl.hostname.replace(/^\[|\]$/g, '');
  return canary ?? { host, port: Number(publicUrl.port || 443) };
}

/** @throws ConfigError when what stands in EXTRA_CA_FILE is no certificate. */
function refuseUnreadableAnchors(extraCaPem: string | null): void {
  try {
    if (extraCaPem !== null) loadTrustStore(extraCaPem);
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
    throw new ConfigError(
      `EXTRA_CA_FILE has a certificate that cannot be read (${error.message}). It must hold whole certificates in PEM form.`,
      { cause: error },
    );
  }
}

interface Serving {
  port: number;
  /** Requests before this are answered 503. */
  use(app: { fetch(request: Request, ...rest: never[]): Response | Promise<Response> }): void;
  /** Takes no more connections; requests under way may end for so long. */
  close(patienceMs: number): Promise<void>;
}

/** Takes the port, before checks and deliveries start: with a port in use none of them may. @throws ListenError */
async function listen(
  config: Pick<Config, 'host' | 'port'>,
  variable: 'PORT' | 'WORKER_PORT' = 'PORT',
): Promise<Serving> {
  let handler: Parameters<typeof createAdaptorServer>[0]['fetch'] = () =>
    new Response('Starting', { status: 503 });
  const server = createAdaptorServer({ fetch: (request, env) => handler(request, env) }) as Server;
  // Longer than proxies keep a connection for the next request: closed first by us, it may be under way already and fail.
  server.keepAliveTimeout = 75_000;
  server.listen(config.port, config.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ListenError(whyNotListening(config, variable, error), { cause: error });
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  return {
    port,
    use(app) {
      handler = app.fetch.bind(app) as typeof handler;
    },
    async close(patienceMs) {
      const closed = once(server, 'close');
      server.close();
      // A connection that is kept for the next request would stay open.
      const idle = setInterval(() => server.closeIdleConnections(), 20);
      await Promise.race([closed, delay(patienceMs, undefined, { ref: false })]);
      clearInterval(idle);
      server.closeAllConnections();
      await closed;
    },
  };
}

function whyNotListening(
  config: Pick<Config, 'host' | 'port'>,
  variable: 'PORT' | 'WORKER_PORT',
  error: unknown,
): string {
  const code = error instanceof Error ? Reflect.get(error, 'code') : null;
  if (code === 'EADDRINUSE')
    return `Port ${config.port} is in use by another program. Choose another one: ${variable}=${config.port === 65_535 ? 8080 : config.port + 1} npm start`;
  if (code === 'EACCES')
    return `Port ${config.port} needs rights that this user does not have. Choose one above 1023: ${variable}=8080 npm start`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST=${config.host} is no address of this machine. Use 127.0.0.1, or 0.0.0.0 for every network.`;
  return `The server cannot listen on ${config.host}:${config.port}: ${String(error)}`;
}

type Closer = () => void | Promise<void>;

interface Shutdown {
  /** Before all else. */
  first: () => void;
  /** Together: they take nothing new and let end what is under way. */
  finishers: readonly Closer[];
  /** One after the other, last opened first. */
  closers: readonly Closer[];
}

/** Ends the process in order, once however often it is asked; also where something hangs or fails. */
function shutdownOnce({ first, finishers, closers }: Shutdown, log: Logger): (code: number) => void {
  let stopping = false;
  const run = async (close: Closer): Promise<void> => {
    try {
      await close();
    } catch (error) {
      log.warn({ err: error }, 'something did not close as it should');
    }
  };
  return (code) => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(code), SHUTDOWN_MS).unref();
    first();
    void (async () => {
      await Promise.all(finishers.map(run));
      for (const close of closers.toReversed()) await run(close);
      process.exit(code);
    })();
  };
}

const EXPECTED = [ConfigError, DataDirectoryError, StoreError, ListenError];

main().catch((error: unknown) => {
  const expected = EXPECTED.some((kind) => error instanceof kind);
  const text =
    expected && error instanceof Error ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`, () => process.exit(1));
});
