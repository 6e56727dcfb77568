import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Logger } from 'pino';
import { ConfigError } from './config-error.ts';
import { type Config, parseConfig, readEnvironment } from './config.ts';
import {
  DataDirectoryError,
  loadSecrets,
  lockDataDirectory,
  prepareDataDirectory,
  readDatabaseId,
  writeDatabaseId,
} from './data-directory.ts';
import { createAddressPolicy } from './egress/address-policy.ts';
import { createHostsFile } from './egress/hosts-file.ts';
import { PkiError } from './pki/pki-error.ts';
import { egressWarning } from './egress-config.ts';
import { listen, ListenError } from './listen.ts';
import { logListWarnings } from './log-list-config.ts';
import { LIMITS } from './core/limits.ts';
import { openStore, type Store } from './store/db/open-store.ts';
import { StoreError } from './store/db/store-error.ts';
import { registerProcessMetrics, startTelemetry, traceQueries } from './start-telemetry.ts';
import { releaseLeases } from './store/mail/outbox.ts';
import { createLog } from './telemetry/log.ts';
import type { Telemetry } from './telemetry/metrics.ts';
import { createReadiness } from './telemetry/readiness.ts';
import { systemClock } from './worker/clock.ts';

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
  const config = parseConfig(readEnvironment());
  const closers: Closer[] = [];
  await prepareDataDirectory(config.dataDir);
  const secrets = loadSecrets(config.dataDir);
  // Only one process may use the SQLite database. PostgreSQL is shared by many.
  if (config.databaseUrl === null) closers.push(lockDataDirectory(config.dataDir));
  const { api, worker } = await loadRole(config.role);
  // Set this after the modules are loaded: otherwise many garbage collections run while the heap grows to its usual size.
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);

  const log = createLog(config.logLevel);
  const readiness = createReadiness();
  const finishers: Closer[] = [];
  const stop = shutdownOnce({ startDraining: () => readiness.drain(), finishers, closers }, log);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0));
  // The parent process has ended, perhaps by SIGKILL. Nothing else would stop this process, and its port would stay in use.
  process.on('disconnect', () => stop(0));

  const telemetry = await startTelemetry(config.tracing, log);
  closers.push(() => telemetry.close());

  const store = await openDatabase(config, telemetry, log);
  closers.push(() => store.close());
  if (store.id !== null) writeDatabaseId(config.dataDir, store.id);
  if (config.databaseUrl === null)
    for (const outbox of ['deliveries', 'mails'] as const) await releaseLeases(store, outbox);
  if (config.role === 'migrate') {
    process.stdout.write('The database is up to date.\n');
    return stop(0);
  }

  registerProcessMetrics(telemetry, { role: config.role, store, readiness });
  const reach = createEgressPolicies(config, log);
  for (const warning of logListWarnings(config.logLists, systemClock.now())) log.warn(warning);
  await validateExtraCa(config.extraCaPem);

  const httpServer = api && (await listen(config));
  const publicUrl =
    httpServer && config.publicUrlIsDefault
      ? new URL(`http://localhost:${httpServer.port}`)
      : config.publicUrl;
  if (httpServer) finishers.push(() => httpServer.close(SHUTDOWN_GRACE.requestsMs));
  const parts = {
    config: { ...config, publicUrl },
    secrets,
    store,
    ...reach,
    log,
    telemetry,
    readiness,
  };
  if (worker) {
    if (!api && config.workerPort !== null) {
      const operatorServer = await listen({
        host: config.host,
        port: config.workerPort,
        variable: 'WORKER_PORT',
      });
      operatorServer.use(worker.operatorApp(parts));
      closers.push(() => operatorServer.close(0));
    }
    const { stop, close } = worker.startWorker(parts);
    finishers.push(() => stop(SHUTDOWN_GRACE.messagesMs));
    closers.push(close);
  }
  if (api && httpServer) {
    const { app, admits, startMessage } = await api.startApi(parts, {
      port: httpServer.port,
      warning: egressWarning(config),
    });
    httpServer.use(app, admits);
    process.stdout.write(startMessage);
  }
  setImmediate(returnMemory);
}

/**
 * Gives memory that only the start needed back to the system, while the server is not busy yet. Measured: this frees 25 MB and takes 0.1 s
 * of CPU time.
 */
function returnMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: Record<string, string>) => void;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

function openDatabase(config: Config, telemetry: Telemetry, log: Logger): Promise<Store> {
  return openStore({
    databaseUrl: config.databaseUrl,
    replicaUrl: config.databaseReplicaUrl,
    dataDir: config.dataDir,
    expectedId: readDatabaseId(config.dataDir),
    everyonePremium: config.billing.mode === 'none',
    limits: config.limits,
    onLimit: (limit) => telemetry.metrics.countReachedLimit(LIMITS[limit].setting),
    checkpointsInThread: true,
    log,
    ...traceQueries(telemetry),
    onWaiting: (place) => process.stdout.write(`Waiting for the database at ${place} …\n`),
  });
}

/** Creates the policies that decide which addresses checks and channels may connect to. Logs a warning for each range that is opened. */
function createEgressPolicies(config: Config, log: Logger) {
  const { egressAllowCidrs, channelAllowCidrs } = config;
  if (egressAllowCidrs.length > 0)
    log.warn({ ranges: egressAllowCidrs }, 'EGRESS_ALLOW_CIDRS opens these ranges to checks');
  if (channelAllowCidrs.length > 0)
    log.warn(
      { ranges: channelAllowCidrs },
      'CHANNEL_ALLOW_CIDRS opens these ranges to channels such as webhooks',
    );
  const warning = egressWarning(config);
  if (warning !== null) log.warn(warning);
  const warn = (message: string): void => log.warn(message);
  return {
    policy: createAddressPolicy(egressAllowCidrs),
    channelPolicy: createAddressPolicy(channelAllowCidrs),
    hostsFile: createHostsFile(config.hostsFile, warn),
    channelHostsFile: createHostsFile(config.channelHostsFile, warn),
  };
}

/**
 * Loads the modules of a role. Measured: the API's modules take half of a start, so workers and migrations do without
 * them, and mistakes in the settings are reported before any module of a role is loaded.
 */
async function loadRole(role: Config['role']) {
  const [worker, api] = await Promise.all([
    role === 'all' || role === 'worker' ? import('./start-worker.ts') : null,
    role === 'all' || role === 'api' ? import('./start-api.ts') : null,
  ]);
  return { worker, api };
}

/** Validates EXTRA_CA_FILE. @throws ConfigError if it has a certificate that cannot be parsed */
async function validateExtraCa(extraCaPem: string | null): Promise<void> {
  if (extraCaPem === null) return;
  const { loadTrustStore } = await import('./probe/examiner.ts');
  try {
    loadTrustStore(extraCaPem);
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
    throw new ConfigError(
      `EXTRA_CA_FILE has a certificate that cannot be read (${error.message}). It must contain complete certificates.`,
      { cause: error },
    );
  }
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
 * Returns a function that shuts down in order and exits, after SHUTDOWN_MS at the latest. Steps that fail are logged. Later
 * calls do nothing.
 */
function shutdownOnce({ startDraining, finishers, closers }: Shutdown, log: Logger): (code: number) => void {
  let stopping = false;
  const run = async (close: Closer): Promise<void> => {
    try {
      await close();
    } catch (error) {
      log.warn({ err: error }, 'a component failed to close');
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

/** Errors whose message is enough for the operator. Other errors are printed with their stack. */
const EXPECTED_ERRORS = [ConfigError, DataDirectoryError, StoreError, ListenError];

main().catch((error: unknown) => {
  const expected = EXPECTED_ERRORS.some((kind) => error instanceof kind);
  const text =
    expected && error instanceof Error ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`, () => process.exit(1));
});
