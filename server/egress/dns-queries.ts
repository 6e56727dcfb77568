import { type CaaRecord as CaaRecordOfNode, promises as dns } from 'node:dns';
import { createSlots, type Limit, within } from './within.ts';

/** `code` is the resolver's own, as in node:dns; ETIMEOUT also stands for a reached limit. */
type Asked<Found> = ({ ok: true } & Found) | { ok: false; code: string };
export type Answer = Asked<{ addresses: string[] }>;
export type CaaAnswer = Asked<{ records: CaaRecord[] }>;

/** One property of RFC 8659 §4.1. The value is whatever the zone says. */
export interface CaaRecord {
  critical: boolean;
  tag: string;
  value: string;
}

export interface DnsQueries {
  addresses(host: string, family: 4 | 6, limit: Limit): Promise<Answer>;
  caa(name: string, limit: Limit): Promise<CaaAnswer>;
  /** Asks for the root, which every name server knows: what it says does not matter, only that it says something. */
  askForRoot(): void;
  /** Whether a name server answered any question since then (by performance.now()). */
  heardSince(instant: number): boolean;
}

/** Beyond some hundreds of outstanding queries a c-ares channel loses UDP answers: at 128 none were lost, at 512 some. */
const QUERIES_PER_CHANNEL = 64;
const CHANNELS = 16;
const FIRST_TRY_MS = 1_000;
const LONGEST_TRY_MS = 2_000;
const TRIES = 3;
const LATE = { ok: false, code: 'ETIMEOUT' } as const;

/** What only a name server that answered can say. */
const FROM_A_SERVER = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'EFORMERR', 'ENOTIMP']);

type InSlot = ReturnType<typeof createSlots>;

/**
 * A, AAAA and CAA queries over c-ares, which asks the name servers itself and holds no thread while it waits. A name whose
 * servers are silent holds its slots for seconds, so there are many more slots than answering names ever need.
 */
export function createDnsQueries(servers: readonly string[]): DnsQueries {
  const channels: { resolver: dns.Resolver; inFlight: number }[] = [];
  const inSlot = createSlots(QUERIES_PER_CHANNEL * CHANNELS);
  let heardAt = Number.NEGATIVE_INFINITY;

  const newResolver = (): dns.Resolver => {
    const resolver = new dns.Resolver({ timeout: FIRST_TRY_MS, maxTimeout: LONGEST_TRY_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    return resolver;
  };
  const freeChannel = (): (typeof channels)[number] => {
    const free = channels.find(({ inFlight }) => inFlight < QUERIES_PER_CHANNEL);
    if (free !== undefined) return free;
    const channel = { resolver: newResolver(), inFlight: 0 };
    channels.push(channel);
    return channel;
  };
  const listen = async <Found>(question: Promise<Found>): Promise<Found> => {
    try {
      const found = await question;
      heardAt = performance.now();
      return found;
    } catch (error) {
      if (FROM_A_SERVER.has((error as NodeJS.ErrnoException).code ?? '')) heardAt = performance.now();
      throw error;
    }
  };
  // A channel of its own: the others may be full of names that nobody answers.
  const rootResolver = newResolver();
  let root: Promise<unknown> | null = null;

  const ask = <Found>(
    limit: Limit,
    question: (resolver: dns.Resolver) => Promise<Found>,
  ): Promise<Asked<Found>> =>
    limited(inSlot, limit, async () => {
      const channel = freeChannel();
      channel.inFlight++;
      try {
        return await listen(question(channel.resolver));
      } finally {
        channel.inFlight--;
      }
    });

  return {
    addresses: (host, family, limit) =>
      ask(limit, async (resolver) => ({
        addresses: await (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host)),
      })),
    caa: (name, limit) =>
      ask(limit, async (resolver) => ({ records: (await resolver.resolveCaa(name)).flatMap(readCaa) })),
    askForRoot() {
      root ??= listen(rootResolver.resolveNs('.')).then(
        () => (root = null),
        () => (root = null),
      );
    },
    heardSince: (instant) => heardAt >= instant,
  };
}

/** Node puts the tag where others have a field: `{ critical: 128, issue: 'ca.example' }`. */
function readCaa({ critical, ...properties }: CaaRecordOfNode): CaaRecord[] {
  return Object.entries(properties).flatMap(([tag, value]) =>
    typeof value === 'string' && tag !== 'type' ? [{ critical: critical !== 0, tag, value }] : [],
  );
}

/** getaddrinfo holds one of libuv's four threads for as long as it likes; some must stay for files and hashing. */
const inLookupSlot = createSlots(2);

/** The machine's own resolver: /etc/hosts, search domains, mDNS. */
export function systemLookup(host: string, limit: Limit): Promise<Answer> {
  return limited(inLookupSlot, limit, async () => {
    const found = await dns.lookup(host, { all: true, order: 'verbatim' });
    return { addresses: found.map(({ address }) => address) };
  });
}

/** Nobody can call a query back: it keeps its slot until it ends. One that is late before it starts never starts. */
function limited<Found>(inSlot: InSlot, limit: Limit, query: () => Promise<Found>): Promise<Asked<Found>> {
  const until = performance.now() + limit.ms;
  const answered = inSlot(async (): Promise<Asked<Found>> => {
    if (performance.now() >= until || limit.signal.aborted) return LATE;
    try {
      return { ok: true, ...(await query()) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      return { ok: false, code };
    }
  });
  return within(answered, limit, LATE);
}
