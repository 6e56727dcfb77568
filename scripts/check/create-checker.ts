import { type Config, parseConfig, readEnvironment } from '../../server/config.ts';
import { ConfigError } from '../../server/config-error.ts';
import type { LogLists } from '../../server/core/judge/transparency.ts';
import { type AddressPolicy, createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createDnsReader, type DnsReader } from '../../server/egress/dns/dns-reader.ts';
import { createHostsFile } from '../../server/egress/hosts-file.ts';
import { createResolver, type Nat64Lookup, type Resolver } from '../../server/egress/resolver.ts';
import { logListsInFiles } from '../../server/log-list-config.ts';
import { PkiError } from '../../server/pki/pki-error.ts';
import type { TrustStore } from '../../server/pki/trust-store.ts';
import { loadTrustStore } from '../../server/probe/examiner.ts';
import { createProbe, type Probe } from '../../server/probe/probe.ts';
import { type ClosableSources, createSources } from '../../server/probe/sources/create-sources.ts';
import { type Arguments, UsageError } from './arguments.ts';
import { printable } from './printable.ts';

const USAGE_ERROR = 64;
const INTERRUPTED = 130;
/** Longest time in ms, after the reports are printed, to say goodbye to servers that greet late. */
const GOODBYES_MS = 5_000;
/**
 * Timeouts for fetching issuer certificates and revocation status, ms. They are longer than the server's, because no later
 * check follows. `slow`: time after which the command says that it waits for a server.
 */
const TIMEOUTS = { intermediates: 8_000, status: 8_000, slow: 2_000 };

/** What the environment says to a command that checks hosts without the server. */
export interface OwnConfig {
  config: Config;
  /** Permits every address except those of cloud metadata services, because users may check hosts in their own network. */
  policy: AddressPolicy;
  /** The caller's folder. */
  folder: string;
}

export function readOwnConfig(): OwnConfig {
  const config = parseConfig({ ...readEnvironment(), EGRESS_ALLOW_CIDRS: '0.0.0.0/0,::/0' });
  return {
    config,
    policy: createAddressPolicy(config.egressAllowCidrs, () => []),
    // npm runs scripts in the project's folder and passes the caller's folder in INIT_CWD.
    folder: process.env['INIT_CWD'] ?? process.cwd(),
  };
}

/** Says on stderr which hosts of the command line are not checked. */
export function reportArguments({ refused, repeated }: Pick<Arguments, 'refused' | 'repeated'>): void {
  for (const message of refused) warn(message);
  for (const host of repeated) warn(`${host} was given more than once, and is checked only once`);
}

const warn = (message: string): void => void process.stderr.write(printable(`${message}\n`));

export interface Checker {
  probe: Probe;
  sources: ClosableSources;
  resolver: Resolver & Nat64Lookup;
  reader: DnsReader;
  trustStore: TrustStore;
  logLists: LogLists;
}

/** Creates the engine of the server without its database. Close its sources. @throws UsageError for an unreadable authority */
export function createChecker({ config, policy }: OwnConfig, ownAuthorities: readonly string[]): Checker {
  const hostsFile = createHostsFile(config.hostsFile, warn);
  const resolver = createResolver({ servers: config.dnsServers, policy, hostsFile });
  // URLs in certificates (CRL, OCSP, AIA) are untrusted, so only public addresses are contacted. With a private CA, private
  // addresses are allowed too, because its services may be there.
  const hasOwn = config.extraCaPem !== null || ownAuthorities.length > 0;
  const sourcePolicy = hasOwn ? policy : createAddressPolicy([]);
  const reader = createDnsReader({ servers: config.dnsServers, now: Date.now });
  const sources = createSources({
    resolver: hasOwn ? resolver : createResolver({ servers: config.dnsServers, policy: sourcePolicy }),
    reader,
    policy: sourcePolicy,
    cacheFolder: null,
  });
  const ownNames = { ehloName: config.ehloName, publicHost: config.publicUrl.hostname };
  return {
    probe: createProbe({ resolver, policy, now: Date.now, sources, ownNames, timeouts: TIMEOUTS }),
    sources,
    resolver,
    reader,
    trustStore: createTrustStore(config.extraCaPem, ownAuthorities),
    // Fetches no list, because these commands would have to fetch it each time.
    logLists: logListsInFiles(config.logLists),
  };
}

function createTrustStore(extraCaPem: string | null, own: readonly string[]): TrustStore {
  try {
    const pem = [...(extraCaPem === null ? [] : [extraCaPem]), ...own].join('\n');
    return loadTrustStore(pem === '' ? null : pem);
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
    throw new UsageError(`A private authority cannot be read: ${error.message}.`);
  }
}

/** Runs the command to its end and sets the exit code, which `main` returns. */
export async function runCommand(name: string, main: () => Promise<number>): Promise<void> {
  // Exit at once on a signal: the program stores nothing, so there is nothing to clean up.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(INTERRUPTED));
  // Exit when the reader closes the pipe, as `| head` does.
  process.stdout.once('error', () => process.exit(INTERRUPTED));
  try {
    process.exitCode = await main();
    // The program ends by itself when all connections are closed.
    setTimeout(() => process.exit(), GOODBYES_MS).unref();
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
    process.stderr.write(`${printable(error.message)}\nSee: certlantern ${name} --help\n`);
    process.exitCode = USAGE_ERROR;
  }
}
