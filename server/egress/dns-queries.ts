import { promises as dns, type SrvRecord } from 'node:dns';
import { createSemaphore, type TimeLimit, withTimeout } from './with-timeout.ts';

/**
 * Result of a query. `code` is an error code of node:dns, or one that the resolver adds. ETIMEOUT also means that our own
 * time limit was reached or the signal aborted.
 */
type QueryResult<Found> = ({ ok: true } & Found) | { ok: false; code: string };
export type AddressAnswer = QueryResult<{ addresses: string[] }>;
export type SrvAnswer = QueryResult<{ records: SrvRecord[] }>;

export interface DnsQueries {
  addresses(host: string, family: 4 | 6, limit: TimeLimit): Promise<AddressAnswer>;
  srv(name: string, limit: TimeLimit): Promise<SrvAnswer>;
  /** Queries the NS records of the root to learn whether the name servers respond at all. Ignores the result. */
  queryRoot(): void;
  /** Returns whether a name server has responded to any query since `instant` (performance.now()). */
  hasResponseSince(instant: number): boolean;
}

/** Maximum number of open queries per c-ares channel. A channel with more loses UDP responses: none at 128, some at 512. */
const QUERIES_PER_CHANNEL = 64;
const CHANNELS = 16;
const FIRST_TRY_MS = 1_000;
const MAX_TRY_MS = 2_000;
const TRIES = 3;
const TIMED_OUT = { ok: false, code: 'ETIMEOUT' } as const;

/** Error codes that prove that a name server responded. */
const RESPONSE_CODES = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'EFORMERR', 'ENOTIMP']);

type Semaphore = ReturnType<typeof createSemaphore>;

/**
 * Creates A, AAAA and SRV queries over c-ares, which needs no thread while it waits. The limit of 1,024 open queries is far
 * above the usual need, because queries to servers that do not respond hold their permits for seconds.
 */
export function createDnsQueries(servers: readonly string[]): DnsQueries {
  const channels: { resolver: dns.Resolver; inFlight: number }[] = [];
  const semaphore = createSemaphore(QUERIES_PER_CHANNEL * CHANNELS);
  let lastResponseAt = Number.NEGATIVE_INFINITY;

  const newResolver = (): dns.Resolver => {
    const resolver = new dns.Resolver({ timeout: FIRST_TRY_MS, maxTimeout: MAX_TRY_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    return resolver;
  };
  const channelWithCapacity = (): (typeof channels)[number] => {
    const free = channels.find(({ inFlight }) => inFlight < QUERIES_PER_CHANNEL);
    if (free !== undefined) return free;
    const channel = { resolver: newResolver(), inFlight: 0 };
    channels.push(channel);
    return channel;
  };
  const trackResponse = async <Found>(query: Promise<Found>): Promise<Found> => {
    try {
      const found = await query;
      lastResponseAt = performance.now();
      return found;
    } catch (error) {
      if (RESPONSE_CODES.has((error as NodeJS.ErrnoException).code ?? '')) lastResponseAt = performance.now();
      throw error;
    }
  };
  // Use a separate channel for the root, because the others may be full of queries to servers that do not respond.
  const rootResolver = newResolver();
  let pendingRootQuery: Promise<unknown> | null = null;

  const runQuery = <Found>(
    limit: TimeLimit,
    query: (resolver: dns.Resolver) => Promise<Found>,
  ): Promise<QueryResult<Found>> =>
    runLimited(semaphore, limit, async () => {
      const channel = channelWithCapacity();
      channel.inFlight++;
      try {
        return await trackResponse(query(channel.resolver));
      } finally {
        channel.inFlight--;
      }
    });

  return {
    addresses: (host, family, limit) =>
      runQuery(limit, async (resolver) => ({
        addresses: await (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host)),
      })),
    srv: (name, limit) => runQuery(limit, async (resolver) => ({ records: await resolver.resolveSrv(name) })),
    queryRoot() {
      pendingRootQuery ??= trackResponse(rootResolver.resolveNs('.')).then(
        () => (pendingRootQuery = null),
        () => (pendingRootQuery = null),
      );
    },
    hasResponseSince: (instant) => lastResponseAt >= instant,
  };
}

/**
 * Semaphore for getaddrinfo, which may block a libuv thread for long. Two of the four threads stay free for files and
 * hashing.
 */
const lookupSemaphore = createSemaphore(2);

/** Looks up a name with the system resolver, which uses /etc/hosts, search domains and mDNS. */
export function systemLookup(host: string, limit: TimeLimit): Promise<AddressAnswer> {
  return runLimited(lookupSemaphore, limit, async () => {
    const found = await dns.lookup(host, { all: true, order: 'verbatim' });
    return { addresses: found.map(({ address }) => address) };
  });
}

/**
 * Runs a query within the limit. A query cannot be cancelled, so it holds its permit until it ends, even after a
 * timeout. A query whose limit is reached while it waits for a permit never starts.
 */
function runLimited<Found>(
  semaphore: Semaphore,
  limit: TimeLimit,
  query: () => Promise<Found>,
): Promise<QueryResult<Found>> {
  const deadline = performance.now() + limit.ms;
  const result = semaphore(async (): Promise<QueryResult<Found>> => {
    if (performance.now() >= deadline || limit.signal.aborted) return TIMED_OUT;
    try {
      return { ok: true, ...(await query()) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      return { ok: false, code };
    }
  });
  return withTimeout(result, limit, TIMED_OUT);
}
