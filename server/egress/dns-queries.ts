import { promises as dns, type CaaRecord as NodeCaaRecord, type SrvRecord } from 'node:dns';
import { createSemaphore, type TimeLimit, withTimeout } from './with-timeout.ts';

/**
 * Result of a query. `code` is an error code of node:dns, or one that the resolver adds. ETIMEOUT also means that our own
 * time limit was reached or the signal aborted.
 */
type QueryResult<Found> = ({ ok: true } & Found) | { ok: false; code: string };
export type AddressAnswer = QueryResult<{ addresses: string[] }>;
export type CaaAnswer = QueryResult<{ records: CaaRecord[] }>;
export type SrvAnswer = QueryResult<{ records: SrvRecord[] }>;

/** One property of a CAA record (RFC 8659 §4.1). `value` is unvalidated text from the zone. */
export interface CaaRecord {
  critical: boolean;
  tag: string;
  value: string;
}

export interface DnsQueries {
  addresses(host: string, family: 4 | 6, limit: TimeLimit): Promise<AddressAnswer>;
  caa(name: string, limit: TimeLimit): Promise<CaaAnswer>;
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
/** Error code for CAA records that node:dns did not return completely. */
export const UNREADABLE_CAA = 'EUNREADABLE';
const TIMED_OUT = { ok: false, code: 'ETIMEOUT' } as const;

/** Error codes that prove that a name server responded. */
const RESPONSE_CODES = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'EFORMERR', 'ENOTIMP']);

type Semaphore = ReturnType<typeof createSemaphore>;

/**
 * Creates A, AAAA, CAA and SRV queries over c-ares, which needs no thread while it waits. The limit of 1,024 open queries is far
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
    async caa(name, limit) {
      const answer = await runQuery(limit, async (resolver) => ({ found: await resolver.resolveCaa(name) }));
      if (!answer.ok) return answer;
      const records = answer.found.map(readCaa);
      return records.includes(null)
        ? { ok: false, code: UNREADABLE_CAA }
        : { ok: true, records: records.filter((record) => record !== null) };
    },
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

/** The only bit of the flags that has a meaning (RFC 8659 §4.1). */
const CRITICAL = 128;

/**
 * Converts a record of node:dns, which has its tag as a property beside `critical` (all flags) and `type`: `{ issue: 'ca.example' }`.
 * Returns null if the tag is `critical`, `type` or `__proto__`: the record has then lost its flags, tag or value.
 */
function readCaa({ critical: flags, ...properties }: NodeCaaRecord): CaaRecord | null {
  const [named, ...more] = Object.entries(properties).filter(([name]) => name !== 'type');
  if (named === undefined || more.length > 0 || typeof flags !== 'number') return null;
  const [tag, value] = named;
  return typeof value === 'string' ? { critical: (flags & CRITICAL) !== 0, tag, value } : null;
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
