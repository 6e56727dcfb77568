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
import { createEmailChannel, createHttpChannels, createPing } from './channels/index.ts';
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
import { egressWarning } from './egress-config.ts';
import { LIMITS } from './core/index.ts';
import { openStore, StoreError } from './store/db/open-store.ts';
import { registerProcessMetrics, startTelemetry, traceQueries } from './start-telemetry.ts';
import { releaseLeases } from './store/mail/outbox.ts';
import { endTestSubscriptions } from './store/billing/subscriptions.ts';
import { createLog, createReadiness } from './telemetry/index.ts';
import { createAlarms, createWorker, systemClock } from './worker/index.ts';

/** Error for a port that the server cannot listen on. The message is one line for the operator. */
class ListenError extends Error {
  override name = 'ListenError';
}

/** Grace periods for open requests and messages at shutdown. A message that is cut off is sent again later. */
const SHUTDOWN_GRACE = { requestsMs: 5_000, messagesMs: 6_000 };
/** Deadline for the whole shutdown: less than the 10 s after which `docker stop` kills the process. */
const SHUTDOWN_MS = 9_000;

/**
 * Growth of the heap between full garbage collections, in percent. By default V8 lets the heap triple if there is
 * memory. Measured with 100,000 monitors, this value uses a fifth less memory and costs 0.04 cores.
 */
const HEAP_GROWTH_PERCENT = 30;

async function main(): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const config = parseConfig(readEnvironment());
  const log = createLog(config.logLevel);
  const closers: Closer[] = [];
  const readiness = createReadiness();
  const finishers: Closer[] = [];
  const stop = shutdownOnce({ startDraining: () => readiness.drain(), finishers, closers }, log);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0));
  // The IPC parent was killed. Nothing else would stop this process, and its port would stay in use.
  process.on('disconnect', () => stop(0));

  const telemetry = await startTelemetry(config.tracing, log);
  closers.push(() => telemetry.close());

  prepareDataDirectory(config.dataDir);
  const secrets = loadSecrets(config.dataDir);
  // Only one process may use the SQLite database. PostgreSQL is shared by many.
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
    ...traceQueries(telemetry),
    onWaiting: (place) => process.stdout.write(`Waiting for the database at ${place} …\n`),
  });
  closers.push(() => store.close());
  if (config.databaseUrl === null)
    for (const outbox of ['deliveries', 'mails'] as const) await releaseLeases(store, outbox);
  if (config.role === 'migrate') {
    process.stdout.write('The database is up to date.\n');
    return stop(0);
  }

  registerProcessMetrics(telemetry, { role: config.role, store, readiness });
  const policy = createAddressPolicy(config.egressAllowCidrs);
  const channelPolicy = createAddressPolicy(config.channelAllowCidrs);
  if (config.egressAllowCidrs.length > 0)
    log.warn({ ranges: config.egressAllowCidrs }, 'EGRESS_ALLOW_CIDRS opens these ranges to checks');
  if (config.channelAllowCidrs.length > 0)
    log.warn({ ranges: config.channelAllowCidrs }, 'channels such as webhooks reach these ranges');
  const reachWarning = egressWarning(config);
  if (reachWarning !== null) log.warn(reachWarning);
  const mailFolder = join(config.dataDir, 'mail');
  validateExtraCa(config.extraCaPem);

  const httpServer = config.role === 'worker' ? null : await listen(config);
  const publicUrl =
    httpServer && config.publicUrlIsDefault
      ? new URL(`http://localhost:${httpServer.port}`)
      : config.publicUrl;
  if (httpServer) finishers.push(() => httpServer.close(SHUTDOWN_GRACE.requestsMs));
  if (config.role === 'worker' && config.workerPort !== null) {
    const operatorServer = await listen({ host: config.host, port: config.workerPort }, 'WORKER_PORT');
    const parts = { store, clock: systemClock, log, telemetry, readiness };
    operatorServer.use(createOperatorApp({ ...parts, config: { ...config, publicUrl } }));
    closers.push(() => operatorServer.close(0));
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
      checkWork: config.limits.workPerCheck,
      onLimit: () => telemetry.meters.limitReached(LIMITS.workPerCheck.setting),
      onTrouble: (error) =>
        log.warn({ err: error }, 'something went wrong in the thread that checks and judges'),
    });
    const worker = createWorker({
      store,
      examiner,
      previewExaminer: examiner.previews,
      icons: createIconSource({ resolver, policy }),
      email,
      channels: createHttpChannels({ resolver: channelResolver, policy: channelPolicy }),
      unsubscribeKeys: unsubscribeKeys(secrets.session),
      bounces: bounces?.mailbox == null ? null : { ...bounces, mailbox: bounces.mailbox },
      canaries: createCanaries({ hosts: config.canaryHosts, resolver, policy, now: () => systemClock.now() }),
      supportEmail: config.supportEmail,
      heartbeat: config.heartbeatUrl && {
        ...heartbeatTarget(config.canaryHosts, publicUrl),
        ping: createPing({ url: config.heartbeatUrl, resolver, policy }),
      },
      clock: systemClock,
      random: Math.random,
      concurrency: config.checkConcurrency,
      leaseMs: config.leaseMs,
      log,
      telemetry,
      publicUrl,
      productName: config.productName,
    });
    worker.start();
    finishers.push(() => worker.stop(SHUTDOWN_GRACE.messagesMs));
    closers.push(async () => {
      await examiner.close();
      email.close();
    });
  }

  if (httpServer) {
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
    httpServer.use(app);
  }

  if (httpServer) {
    const mailPage = new URL(`/dev/mail?key=${secrets.mailPage}`, `http://localhost:${httpServer.port}`);
    process.stdout.write(
      startupMessage({
        productName: config.productName,
        publicUrl,
        mailPage: config.smtpUrl === null ? mailPage : null,
        billing: config.billing,
        warning: reachWarning,
        obstacle: refusePlainHttp(undefined, { ...config, publicUrl })?.detail ?? null,
      }),
    );
  }
}

/** Returns the host for the heartbeat's synthetic check: the first canary host, else this server's public address. */
function heartbeatTarget([canary]: Config['canaryHosts'], publicUrl: URL): { host: string; port: number } {
  const host = publicUrl.hostname.replace(/^\[|\]$/g, '');
  return canary ?? { host, port: Number(publicUrl.port || 443) };
}

/** Validates EXTRA_CA_FILE. @throws ConfigError if it has a certificate that cannot be parsed */
function validateExtraCa(extraCaPem: string | null): void {
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

interface HttpServer {
  port: number;
  /** Sets the request handler. Earlier requests get 503. */
  use(app: { fetch(request: Request, ...rest: never[]): Response | Promise<Response> }): void;
  /** Stops accepting connections, waits up to `graceMs` for open requests, then closes every connection. */
  close(graceMs: number): Promise<void>;
}

/** Binds the port before the worker starts, so that nothing is checked or sent if it is in use. @throws ListenError */
async function listen(
  config: Pick<Config, 'host' | 'port'>,
  variable: 'PORT' | 'WORKER_PORT' = 'PORT',
): Promise<HttpServer> {
  let handler: Parameters<typeof createAdaptorServer>[0]['fetch'] = () =>
    new Response('Starting', { status: 503 });
  const server = createAdaptorServer({ fetch: (request, env) => handler(request, env) }) as Server;
  // This is longer than proxies keep idle connections. If we closed first, a request already on its way would fail.
  server.keepAliveTimeout = 75_000;
  server.listen(config.port, config.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ListenError(listenErrorMessage(config, variable, error), { cause: error });
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  return {
    port,
    use(app) {
      handler = app.fetch.bind(app) as typeof handler;
    },
    async close(graceMs) {
      const closed = once(server, 'close');
      server.close();
      // Close keep-alive connections as they become idle, because they would stay open otherwise.
      const idle = setInterval(() => server.closeIdleConnections(), 20);
      await Promise.race([closed, delay(graceMs, undefined, { ref: false })]);
      clearInterval(idle);
      server.closeAllConnections();
      await closed;
    },
  };
}

function listenErrorMessage(
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
  /** Makes the process report that it is not ready. Runs first. */
  startDraining: () => void;
  /** Steps that run in parallel: they stop taking new work and finish work in progress. */
  finishers: readonly Closer[];
  /** Steps that run after the finishers, one after the other, in reverse order of opening. */
  closers: readonly Closer[];
}

/**
 * Returns a function that shuts down in order and exits. Later calls do nothing. Exits by SHUTDOWN_MS even if a step
 * hangs or fails.
 */
function shutdownOnce({ startDraining, finishers, closers }: Shutdown, log: Logger): (code: number) => void {
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
    startDraining();
    void (async () => {
      await Promise.all(finishers.map(run));
      for (const close of closers.toReversed()) await run(close);
      process.exit(code);
    })();
  };
}

/** Returns the text printed once the server is ready: its URL, where to read mail, and how to start the demo. */
function startupMessage(options: {
  productName: string;
  publicUrl: URL;
  /** URL of the page that shows stored mail; null if an SMTP server sends it. */
  mailPage: URL | null;
  billing: { mode: 'none' | 'unset' | 'test' } | { mode: 'paddle'; environment: 'live' | 'sandbox' };
  /** Warning for the operator, or null. */
  warning: string | null;
  /** Reason why the server is not usable yet; null if it is usable. */
  obstacle: string | null;
}): string {
  const { productName, publicUrl, mailPage, billing, warning, obstacle } = options;
  const lines = [
    '',
    `  ${productName} is ready at ${publicUrl.origin}`,
    mailPage && `  Its mail is kept here until SMTP_URL is set: ${mailPage.href}`,
    PAYMENTS[billing.mode === 'paddle' ? billing.environment : billing.mode],
    warning && `  Warning: ${warning}`,
    '  To look around with example domains and no network: npm run demo',
    obstacle && `  Not usable yet: ${obstacle}`,
    '',
  ];
  return lines.filter((line) => line !== null).join('\n');
}

const PAYMENTS = {
  none: null,
  live: null,
  sandbox:
    "  Payments: Paddle's sandbox, nobody is charged: test cards buy Premium. docs/guides/sell.md says how to sell",
  test: '  Payments: test mode, no money moves. docs/guides/sell.md says how to sell',
  unset:
    '  Payments: none, so Premium cannot be bought. Set the PADDLE_ variables (docs/guides/sell.md), or BILLING=none to give Premium to everybody',
} as const;

/** Errors whose message is enough for the operator. Other errors are printed with their stack. */
const EXPECTED_ERRORS = [ConfigError, DataDirectoryError, StoreError, ListenError];

main().catch((error: unknown) => {
  const expected = EXPECTED_ERRORS.some((kind) => error instanceof kind);
  const text =
    expected && error instanceof Error ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`, () => process.exit(1));
});
