import { promises as dns } from 'node:dns';

import { createSlots } from './slots.ts';
import { within } from './within.ts';
import type { Limit } from './within.ts';

/** `code` is the resolver's own, as in node:dns; ETIMEOUT also stands for a reached limit. */
export type Answer = { ok: true; addresses: string[] } | { ok: false; code: string };

/** Beyond some hundreds of outstanding queries a c-ares channel loses UDP answers: at 128 none were lost, at 512 some. */
const QUERIES_PER_CHANNEL = 64;
const CHANNELS = 16;
const FIRST_TRY_MS = 1_000;
const LONGEST_TRY_MS = 2_000;
const TRIES = 3;
const LATE: Answer = { ok: false, code: 'ETIMEOUT' };

type InSlot = ReturnType<typeof createSlots>;

/**
 * A and AAAA queries over c-ares, which asks the name servers itself and holds no thread while it waits. A name whose
 * servers are silent holds its slots for seconds, so there are many more slots than answering names ever need.
 */
export function createDnsQueries(
  servers: readonly string[],
): (host: string, family: 4 | 6, limit: Limit) => Promise<Answer> {
  const channels: { resolver: dns.Resolver; inFlight: number }[] = [];
  const inSlot = createSlots(QUERIES_PER_CHANNEL * CHANNELS);

  const freeChannel = (): (typeof channels)[number] => {
    const free = channels.find(({ inFlight }) => inFlight < QUERIES_PER_CHANNEL);
    if (free !== undefined) return free;
    const resolver = new dns.Resolver({ timeout: FIRST_TRY_MS, maxTimeout: LONGEST_TRY_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    const channel = { resolver, inFlight: 0 };
    channels.push(channel);
    return channel;
  };

  return (host, family, limit) =>
    limited(inSlot, limit, async () => {
      const channel = freeChannel();
      channel.inFlight++;
      try {
        const { resolver } = channel;
        return await (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host));
      } finally {
        channel.inFlight--;
      }
    });
}

/** getaddrinfo holds one of libuv's four threads for as long as it likes; some must stay for files and hashing. */
const inLookupSlot = createSlots(2);

/** The machine's own resolver: /etc/hosts, search domains, mDNS. */
export function systemLookup(host: string, limit: Limit): Promise<Answer> {
  return limited(inLookupSlot, limit, async () => {
    const found = await dns.lookup(host, { all: true, order: 'verbatim' });
    return found.map(({ address }) => address);
  });
}

/** Nobody can call a query back: it keeps its slot until it ends. One that is late before it starts never starts. */
function limited(inSlot: InSlot, limit: Limit, query: () => Promise<string[]>): Promise<Answer> {
  const until = performance.now() + limit.ms;
  const answered = inSlot(async (): Promise<Answer> => {
    if (performance.now() >= until || limit.signal.aborted) return LATE;
    try {
      return { ok: true, addresses: await query() };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      return { ok: false, code };
    }
  });
  return within(answered, limit, LATE);
}
