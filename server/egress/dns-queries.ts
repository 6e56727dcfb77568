import { promises as dns } from 'node:dns';

import { createSlots } from './slots.ts';

export type Answer = { ok: true; addresses: string[] } | { ok: false; code: string };

/** Beyond some hundreds of outstanding queries a c-ares channel loses UDP answers: at 128 none were lost, at 512 some. */
const QUERIES_PER_CHANNEL = 64;
const CHANNELS = 16;
const FIRST_TRY_MS = 1_000;
const LONGEST_TRY_MS = 2_000;
const TRIES = 3;

/**
 * A and AAAA queries over c-ares, which asks the name servers itself and holds no thread while it waits. A name whose
 * servers are silent holds its slots for seconds, so there are many more slots than answering names ever need.
 */
export function createDnsQueries(
  servers: readonly string[],
): (host: string, family: 4 | 6) => Promise<Answer> {
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

  return (host, family) =>
    inSlot(async () => {
      const channel = freeChannel();
      channel.inFlight++;
      try {
        const { resolver } = channel;
        return {
          ok: true,
          addresses: await (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host)),
        };
      } catch (error) {
        return { ok: false, code: errorCode(error) };
      } finally {
        channel.inFlight--;
      }
    });
}

/** getaddrinfo holds one of libuv's four threads for as long as it likes; some must stay for files and hashing. */
const inLookupSlot = createSlots(2);

/** The machine's own resolver: /etc/hosts, search domains, mDNS. */
export function systemLookup(host: string): Promise<Answer> {
  return inLookupSlot(async () => {
    try {
      const found = await dns.lookup(host, { all: true, order: 'verbatim' });
      return { ok: true, addresses: found.map(({ address }) => address) };
    } catch (error) {
      return { ok: false, code: errorCode(error) };
    }
  });
}

function errorCode(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === undefined) throw error;
  return code;
}
