import { afterEach, beforeEach } from 'vitest';
import { createDnsReader, type DnsReaderOptions } from '../../server/egress/dns/dns-reader.ts';
import { type DnsEntry, type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';

export const { signal } = new AbortController();
export const ADDRESS = '192.0.2.1';

/** Returns an answer with these records, whose DNSSEC security is not known. */
export const records = (found: unknown[], aliases: string[] = []) => ({
  outcome: 'records',
  records: found,
  aliases,
  security: 'not_known',
});

/** Starts a DNS server for each test, and returns what tests of the reader need. */
export function useDnsServer() {
  let server: DnsServer;
  const rig = {
    /** Time of the readers, ms UTC. */
    now: 0,
    server: (): DnsServer => server,
    set: (entries: Readonly<Record<string, DnsEntry>>): void => {
      for (const [name, entry] of Object.entries(entries)) server.entries.set(name, entry);
    },
    /** Returns the questions without the one that shows whether the resolver validates. */
    questions: (): string[] => server.questions.filter((question) => question !== 'SOA '),
    readerOf: (options: Partial<DnsReaderOptions> = {}) => {
      const reader = createDnsReader({ servers: [server.address], now: () => rig.now, ...options });
      return {
        ...reader,
        ask: <Type extends Parameters<typeof reader.query>[1]>(name: string, type: Type) =>
          reader.query(name, type, { signal }),
      };
    },
  };
  beforeEach(async () => {
    rig.now = Date.UTC(2026, 11, 1);
    server = await startDnsServer();
  });
  afterEach(() => server.stop());
  return rig;
}
