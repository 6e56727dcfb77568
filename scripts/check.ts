// Checks hosts from the shell, with the server's engine and nothing of its data.   npm run check -- HOST…
import { ConfigError, parseConfig, readEnvironment } from '../server/config.ts';
import { createAddressPolicy, createResolver } from '../server/egress/index.ts';
import { PkiError } from '../server/pki/index.ts';
import type { TrustStore } from '../server/pki/index.ts';
import { createProbe, createSources, loadTrustStore } from '../server/probe/index.ts';
import { type Arguments, HELP, readArguments, UsageError } from './check/arguments.ts';
import { checkEndpoint, type Checked, exitCode, reportOf } from './check/check-endpoint.ts';
import { jsonReport } from './check/json-report.ts';
import { printable, printableJson } from './check/printable.ts';
import { showProgress } from './check/progress.ts';
import { textReport } from './check/text-report.ts';
import { displayName, reportMarkdown } from '../server/core/index.ts';

const USAGE_ERROR = 64;
const INTERRUPTED = 130;
const AT_ONCE = 16;
/** A person waits for this one check; there is no next one that would know more. */
const TIMEOUTS = { authorities: 8_000, status: 8_000 };

async function main(): Promise<number> {
  const config = parseConfig(readEnvironment());
  // It is one's own machine, and one's own network. Addresses that hand out a cloud machine's secrets stay closed.
  const everywhere = createAddressPolicy(['0.0.0.0/0', '::/0'], () => []);
  // npm starts programs in the project's folder and says where it was called.
  const folder = process.env['INIT_CWD'] ?? process.cwd();
  const { help, format, endpoints, refused, repeated, ownAuthorities } = readArguments(
    process.argv.slice(2),
    everywhere,
    folder,
  );
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  for (const message of refused) process.stderr.write(printable(`${message}\n`));
  for (const host of repeated)
    process.stderr.write(printable(`${host} is named more than once, and checked once\n`));
  const trustStore = anchors(config.extraCaPem, ownAuthorities);
  const resolver = createResolver({ servers: config.dnsServers, policy: everywhere });
  // Where a stranger's certificate points to is asked on the internet only. Who brings an authority of their own has its
  // lists in their own network.
  const hasOwn = config.extraCaPem !== null || ownAuthorities.length > 0;
  const outside = hasOwn ? everywhere : createAddressPolicy([]);
  const sources = createSources({
    resolver: hasOwn ? resolver : createResolver({ servers: config.dnsServers, policy: outside }),
    policy: outside,
    cacheFolder: null,
  });
  const probe = createProbe({ resolver, policy: everywhere, now: Date.now, sources, timeouts: TIMEOUTS });
  const { signal } = new AbortController();

  const progress = showProgress(endpoints.map(displayName), process.stderr);
  const slots = endpoints.map((_, index) => index);
  const results = endpoints.map(() => Promise.withResolvers<Checked>());
  const lane = async (): Promise<void> => {
    for (let index = slots.shift(); index !== undefined; index = slots.shift()) {
      const endpoint = endpoints[index];
      if (endpoint === undefined) return;
      const checked = await checkEndpoint(endpoint, { probe, trustStore, signal });
      progress.done(checked.host);
      results[index]?.resolve(checked);
    }
  };
  const lanes = Promise.all(Array.from({ length: AT_ONCE }, lane));

  const done: Checked[] = [];
  for (const { promise } of results) {
    const checked = await Promise.race([promise, lanes.then(() => promise)]);
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

function anchors(extraCaPem: string | null, own: Arguments['ownAuthorities']): TrustStore {
  try {
    const pem = [...(extraCaPem === null ? [] : [extraCaPem]), ...own].join('\n');
    return loadTrustStore(pem === '' ? null : pem);
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
    throw new UsageError(`An own authority cannot be read: ${error.message}.`);
  }
}

// Nothing is worth waiting for: nothing is stored.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(INTERRUPTED));
// Whoever read along has seen enough, as `| head` has.
process.stdout.once('error', () => process.exit(INTERRUPTED));

try {
  const code = await main();
  process.stdout.write('', () => process.exit(code));
} catch (error) {
  if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
  process.stderr.write(`${printable(error.message)}\nSee: certlantern check --help\n`);
  process.exitCode = USAGE_ERROR;
}
