// Checks hosts from the command line with the server's engine, without its database. Usage: npm run check -- HOST…
import { ConfigError } from '../server/config-error.ts';
import { parseConfig, readEnvironment } from '../server/config.ts';
import { logListsInFiles } from '../server/log-list-config.ts';
import { createAddressPolicy } from '../server/egress/address-policy.ts';
import { createDnsReader } from '../server/egress/dns/dns-reader.ts';
import { createHostsFile } from '../server/egress/hosts-file.ts';
import { createResolver } from '../server/egress/resolver.ts';
import { PkiError } from '../server/pki/pki-error.ts';
import type { TrustStore } from '../server/pki/trust-store.ts';
import { loadTrustStore } from '../server/probe/examiner.ts';
import { createProbe } from '../server/probe/probe.ts';
import { createSources } from '../server/probe/sources/create-sources.ts';
import { type Arguments, HELP, readArguments, UsageError } from './check/arguments.ts';
import { type Checked, checkEndpoint, exitCode, reportOf } from './check/check-endpoint.ts';
import { jsonReport } from './check/json-report.ts';
import { printable, printableJson } from './check/printable.ts';
import { showProgress } from './check/progress.ts';
import { textReport } from './check/text-report.ts';
import { displayName } from '../server/core/endpoint.ts';
import { reportMarkdown } from '../server/core/report/report.ts';

const USAGE_ERROR = 64;
const INTERRUPTED = 130;
const CONCURRENCY = 16;
/** Longest time in ms, after the reports are printed, to say goodbye to servers that greet late. */
const GOODBYES_MS = 5_000;
/**
 * Timeouts for fetching issuer certificates and revocation status, ms. They are longer than the server's, because no later
 * check follows. `slow`: time after which the command says that it waits for a server.
 */
const TIMEOUTS = { intermediates: 8_000, status: 8_000, slow: 2_000 };

async function main(): Promise<number> {
  // Users may check hosts in their own network. The policy still blocks addresses of cloud metadata services.
  const config = parseConfig({ ...readEnvironment(), EGRESS_ALLOW_CIDRS: '0.0.0.0/0,::/0' });
  const anyAddress = createAddressPolicy(config.egressAllowCidrs, () => []);
  // npm runs scripts in the project's folder and passes the caller's folder in INIT_CWD.
  const folder = process.env['INIT_CWD'] ?? process.cwd();
  const { help, format, endpoints, refused, repeated, ownAuthorities } = readArguments(
    process.argv.slice(2),
    anyAddress,
    folder,
  );
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  for (const message of refused) process.stderr.write(printable(`${message}\n`));
  for (const host of repeated)
    process.stderr.write(printable(`${host} was given more than once, and is checked only once\n`));
  const trustStore = createTrustStore(config.extraCaPem, ownAuthorities);
  // Fetches no list, because this command would have to fetch it each time.
  const logLists = logListsInFiles(config.logLists);
  const warn = (message: string): void => void process.stderr.write(printable(`${message}\n`));
  const hostsFile = createHostsFile(config.hostsFile, warn);
  const resolver = createResolver({ servers: config.dnsServers, policy: anyAddress, hostsFile });
  // URLs in certificates (CRL, OCSP, AIA) are untrusted, so only public addresses are contacted. With a private CA, private
  // addresses are allowed too, because its services may be there.
  const hasOwn = config.extraCaPem !== null || ownAuthorities.length > 0;
  const sourcePolicy = hasOwn ? anyAddress : createAddressPolicy([]);
  const sources = createSources({
    resolver: hasOwn ? resolver : createResolver({ servers: config.dnsServers, policy: sourcePolicy }),
    reader: createDnsReader({ servers: config.dnsServers, now: Date.now }),
    policy: sourcePolicy,
    cacheFolder: null,
  });
  const ownNames = { ehloName: config.ehloName, publicHost: config.publicUrl.hostname };
  const probe = createProbe({
    resolver,
    policy: anyAddress,
    now: Date.now,
    sources,
    ownNames,
    timeouts: TIMEOUTS,
  });
  const { signal } = new AbortController();

  const progress = showProgress(endpoints.map(displayName), process.stderr);
  const pending = endpoints.map((_, index) => index);
  const results = endpoints.map(() => Promise.withResolvers<Checked>());
  const runWorker = async (): Promise<void> => {
    for (let index = pending.shift(); index !== undefined; index = pending.shift()) {
      const endpoint = endpoints[index];
      if (endpoint === undefined) return;
      const onSlow = (): void => progress.slow(displayName(endpoint), endpoint.protocol);
      const checked = await checkEndpoint(endpoint, { probe, trustStore, logLists, signal, onSlow });
      progress.done(checked.host);
      results[index]?.resolve(checked);
    }
  };
  const workers = Promise.all(Array.from({ length: CONCURRENCY }, runWorker));

  const done: Checked[] = [];
  for (const { promise } of results) {
    const checked = await Promise.race([promise, workers.then(() => promise)]);
    done.push(checked);
    if (format === 'json') continue;
    progress.clear();
    process.stdout.write(reportText(checked, format));
  }
  progress.clear();
  if (format === 'json')
    process.stdout.write(`${printableJson(done.map((one) => jsonReport(one, Date.now())))}\n`);
  sources.close();
  return refused.length > 0 ? 3 : exitCode(done);
}

function reportText(checked: Checked, format: 'text' | 'markdown'): string {
  if (format === 'markdown') return printable(`${reportMarkdown(reportOf(checked, Date.now()))}\n`);
  return `${textReport(checked, Date.now(), process.stdout.isTTY && process.stdout.hasColors())}\n`;
}

function createTrustStore(extraCaPem: string | null, own: Arguments['ownAuthorities']): TrustStore {
  try {
    const pem = [...(extraCaPem === null ? [] : [extraCaPem]), ...own].join('\n');
    return loadTrustStore(pem === '' ? null : pem);
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
    throw new UsageError(`A private authority cannot be read: ${error.message}.`);
  }
}

// Exit at once on a signal: the program stores nothing, so there is nothing to clean up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(INTERRUPTED));
// Exit when the reader closes the pipe, as `| head` does.
process.stdout.once('error', () => process.exit(INTERRUPTED));

try {
  const code = await main();
  process.exitCode = code;
  // The program ends by itself when all connections are closed.
  setTimeout(() => process.exit(), GOODBYES_MS).unref();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
  process.stderr.write(`${printable(error.message)}\nSee: certlantern check --help\n`);
  process.exitCode = USAGE_ERROR;
}
