import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../server/config-error.ts';
import { parseConfig, readEnvironment } from '../server/config.ts';
import { DataDirectoryError, lockDataDirectory, prepareDataDirectory } from '../server/data-directory.ts';
import { loadTrustStore } from '../server/probe/examiner.ts';
import { openStore } from '../server/store/db/open-store.ts';
import { startCaServer } from '../tests/kit/peers/ca-server.ts';
import { storeForecasts } from '../tests/kit/product/stored-forecasts.ts';
import { programArguments } from './build/programs.ts';
import { createDemoAccount, DEMO_PERSON } from './demo/account.ts';
import { createDemoAuthority, type DemoCertificate } from './demo/certificates.ts';
import { openDemoChannels, SINK_HOSTS } from './demo/channels.ts';
import { FORECAST_HOSTS, OFFERED_HOSTS, WATCHED_HOSTS } from './demo/hosts.ts';
import { createPastChecks } from './demo/past.ts';
import { type Served, startDemoServers } from './demo/servers.ts';
import { startSink } from './demo/sink.ts';
import { answerHelp } from './help-option.ts';
import { DAY_MS } from '../contract/durations.ts';

answerHelp(`npm run demo
Starts the product without a network: invented hosts on local TLS servers, and an account that has watched them for months.
Each start creates all data again in DATA_DIR/demo. The demo ends when you stop this command.`);

const WATCHED_FOR_MS = 220 * DAY_MS;
/** Settings from `.env` that the demo resets; an empty value means the default. */
const RESET_SETTINGS = [
  'DATABASE_URL',
  'ROLE',
  'SMTP_URL',
  'EXTRA_CA_FILE',
  'DNS_SERVERS',
  'EGRESS_ALLOW_CIDRS',
  'CHANNEL_ALLOW_CIDRS',
  'TRY_IT',
  'SIGNUPS',
  'DEMO_HOSTS',
];
const resetSettings = Object.fromEntries(RESET_SETTINGS.map((name) => [name, '']));

async function main(): Promise<void> {
  const environment: Record<string, string | undefined> = { ...readEnvironment(), ...resetSettings };
  const config = parseConfig(environment);
  const dataDir = join(config.dataDir, 'demo');
  await resetFolder(dataDir);

  const now = Date.now();
  const since = now - WATCHED_FOR_MS;
  const web = await startCaServer();
  const authority = createDemoAuthority(now, web);
  const authorityFile = join(dataDir, 'demo-authority.pem');
  writeFileSync(authorityFile, authority.rootPem);
  const certificates = new Map<string, DemoCertificate[]>();
  for (const host of WATCHED_HOSTS) certificates.set(host.name, authority.issueSince(host, since));
  for (const host of OFFERED_HOSTS) certificates.set(host.name, authority.issueSince(host, now));

  authority.publish();
  const servers = await startDemoServers(currentlyServed(certificates), SINK_HOSTS);
  const sink = await startSink();
  await fillStore();
  startServer({
    port: servers.port,
    stop: async () => void (await Promise.all([servers.stop(), web.stop(), sink.stop()])),
    environment: {
      ...process.env,
      ...resetSettings,
      LOG_LEVEL: environment['LOG_LEVEL'] ?? 'error',
      DATA_DIR: dataDir,
      EXTRA_CA_FILE: authorityFile,
      DNS_SERVERS: servers.nameServer,
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      CHANNEL_ALLOW_CIDRS: '127.0.0.0/8',
      TRY_IT: 'on',
      DEMO_HOSTS: OFFERED_HOSTS.map(({ name }) => withPort(name, servers.port)).join(','),
    },
  });

  async function fillStore(): Promise<void> {
    const store = await openStore({ databaseUrl: null, dataDir });
    const accountId = await createDemoAccount(store, { dataDir, publicUrl: config.publicUrl, now: since });
    await openDemoChannels(store, { accountId, sinkPort: sink.port, since, now });
    await createPastChecks(store, {
      accountId,
      hosts: WATCHED_HOSTS,
      certificates,
      trustStore: loadTrustStore(authority.rootPem),
      port: servers.port,
      mailPort: servers.mailPort,
      since,
      now,
    });
    await storeForecasts(store, { accountId, hosts: FORECAST_HOSTS, now });
    await store.close();
  }
}

/** Empties the demo's data directory. @throws DataDirectoryError if another demo is using it. */
async function resetFolder(dataDir: string): Promise<void> {
  await prepareDataDirectory(dataDir);
  lockDataDirectory(dataDir)();
  rmSync(dataDir, { recursive: true });
  await prepareDataDirectory(dataDir);
}

function currentlyServed(certificates: ReadonlyMap<string, readonly DemoCertificate[]>): Served {
  const served: Served = { certificates: {}, former: {}, mail: null };
  for (const host of [...WATCHED_HOSTS, ...OFFERED_HOSTS]) {
    const { name, fault, protocol } = host;
    const [former, current] = (certificates.get(name) ?? []).slice(-2);
    const certificate = current ?? former;
    if (certificate === undefined || fault === 'gone' || fault === 'nowhere') continue;
    if (protocol === 'smtp') served.mail = { name, certificate };
    else served.certificates[name] = fault === 'incomplete' ? { ...certificate, chainPem: '' } : certificate;
    if (fault === 'half-renewed' && former) served.former[name] = former;
  }
  return served;
}

function withPort(name: string, port: number): string {
  return port === 443 ? name : `${name}:${port}`;
}

/** Starts the server in a process of its own. If one of the two processes ends, the other one ends too. */
function startServer({
  port,
  stop: stopServers,
  environment,
}: {
  port: number;
  /** Stops the demo's hosts, its CA server and the sink. */
  stop: () => Promise<void>;
  environment: NodeJS.ProcessEnv;
}): void {
  const server = spawn(process.execPath, programArguments('server/main.ts'), {
    env: environment,
    // The IPC channel lets the server notice when this process is killed.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  server.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    const address = /ready at (\S+)/.exec(output)?.[1];
    const mail = /\S+\/dev\/mail\?\S+(?=\s)/.exec(output)?.[0];
    if (address === undefined || mail === undefined) return;
    server.stdout?.removeAllListeners('data').resume();
    process.stdout.write(readyLines(address, mail, port, environment['DATA_DIR'] ?? ''));
  });
  const stop = (): void => void server.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', stop);
  server.on('exit', (code) => {
    void stopServers().then(() => process.exit(code ?? 1));
  });
}

function readyLines(address: string, mail: string, port: number, dataDir: string): string {
  return [
    '',
    `  The demo is ready at ${address}`,
    `  Sign in as ${DEMO_PERSON.email} with the password ${DEMO_PERSON.password}`,
    `  Its mail: ${mail}`,
    `  Its data: ${dataDir}`,
    `  Its hosts are invented. They answer on 127.0.0.1, port ${port}, while this command runs. Try adding ${withPort('lab.moss.example', port)}`,
    '  Ctrl-C ends it.',
    '',
    '',
  ].join('\n');
}

main().catch((error: unknown) => {
  const expected = error instanceof ConfigError || error instanceof DataDirectoryError;
  process.stderr.write(
    `${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
    () => process.exit(1),
  );
});
