import { type DnsEntry, startDnsServer } from '../../tests/kit/dns-server.ts';
import { type MintedCertificate, mintAuthority } from '../../tests/kit/mint.ts';
import { startTlsServer } from '../../tests/kit/tls-server.ts';
import { DAY_MS } from '../../contract/durations.ts';

const CANARIES = ['canary.north.example', 'canary.south.example', 'canary.east.example'];

/** Where the product can be led to, as plain data: it crosses to other processes. */
export interface PlacesMap {
  /** What its resolver asks. */
  dns: string;
  /** The port of every host, canaries included. */
  port: number;
  /** What it trusts besides. */
  rootPem: string;
  canaries: string[];
}

/** Hosts that people watch and canaries, at one address. Each name is found once it is known, wherever it leads. */
export interface Places {
  map: PlacesMap;
  /** A certificate of its own; without it a host shows one that every `*.siteN.example` shares. */
  certify(host: string, validity: { notBefore: number; notAfter: number }): void;
  /** Points names to here, or to where nobody listens. */
  lead(hosts: readonly string[], here: boolean): void;
  /** What the name server says of every name; null: where it leads. */
  garble(answer: 'refused' | 'silent' | null): void;
  /** What canaries say that it is. */
  setClock: (now: number) => void;
  stop(): Promise<void>;
}

const SITES = 20;
/** One of that many hosts, spread over registrable domains. */
export const siteHost = (index: number): string => `host${index}.site${index % SITES}.example`;

export async function startPlaces({
  address = '127.0.0.1',
  now,
}: {
  address?: string;
  now: number;
}): Promise<Places> {
  let clock = now;
  const dns = await startDnsServer({}, 0, address);
  const known = new Map<string, DnsEntry>();
  const root = mintAuthority({ notBefore: now - 3_650 * DAY_MS, notAfter: now + 3_650 * DAY_MS });
  const issue = (dnsNames: string[], validity: { notBefore: number; notAfter: number }): MintedCertificate =>
    root.issue({ dnsNames, ...validity });
  const everybody = Array.from({ length: SITES }, (_, index) => `*.site${index}.example`);
  const peer = await startTlsServer(
    {
      '*': issue([...everybody, ...CANARIES], { notBefore: now - 10 * DAY_MS, notAfter: now + 80 * DAY_MS }),
    },
    {
      host: address,
      serve: (_request, response) => {
        response.writeHead(200, { date: new Date(clock).toUTCString(), 'content-length': 0 }).end();
      },
    },
  );
  const places: Places = {
    map: { dns: dns.address, port: peer.port, rootPem: root.certificatePem, canaries: CANARIES },
    certify(host, validity) {
      peer.setCertificate(host, issue([host], validity));
    },
    lead(hosts, here) {
      // Of 127.0.0.9 nobody listens on this port.
      for (const host of hosts) {
        const entry = { addresses: [here ? address : '127.0.0.9'] };
        known.set(host, entry);
        dns.entries.set(host, entry);
      }
    },
    garble(answer) {
      for (const [name, entry] of known) dns.entries.set(name, answer === null ? entry : { answer });
    },
    setClock(at) {
      clock = at;
    },
    async stop() {
      await Promise.all([dns.stop(), peer.stop()]);
    },
  };
  places.lead(CANARIES, true);
  return places;
}
