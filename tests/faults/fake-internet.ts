import { type DnsEntry, startDnsServer } from '../kit/peers/dns-server.ts';
import { mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';
import { DAY_MS } from '../../contract/durations.ts';

const CANARIES = ['canary.north.example', 'canary.south.example', 'canary.east.example'];

/** Addresses and root certificate of the hosts as plain data that can be sent to other processes. */
export interface InternetAddresses {
  /** Address and port of the name server. */
  dns: string;
  /** Port of all hosts, including canaries. */
  port: number;
  /** Root certificate that signs the hosts' certificates. */
  rootPem: string;
  canaries: string[];
}

/** Monitored hosts and canaries at one address, with a name server for their names. */
export interface FakeInternet {
  addresses: InternetAddresses;
  /** Gives a host a certificate of its own. Hosts without one share a certificate for `*.siteN.example`. */
  setCertificate(host: string, validity: { notBefore: number; notAfter: number }): void;
  /** Points the DNS names to the hosts if `isUp`, otherwise to an address where nothing listens. */
  pointNames(hosts: readonly string[], isUp: boolean): void;
  /** Makes the name server give the same `answer` for every name; null restores the real answers. */
  breakDns(answer: 'refused' | 'silent' | null): void;
  /** Sets the time in the canaries' `Date` header, ms UTC. */
  setClock: (now: number) => void;
  stop(): Promise<void>;
}

const SITES = 20;
/** Returns the name of host number `index`; hosts are spread over 20 registrable domains. */
export const siteHost = (index: number): string => `host${index}.site${index % SITES}.example`;

export async function startFakeInternet({
  address = '127.0.0.1',
  now,
}: {
  address?: string;
  now: number;
}): Promise<FakeInternet> {
  let clock = now;
  const dns = await startDnsServer({}, 0, address);
  const known = new Map<string, DnsEntry>();
  const root = mintAuthority({ notBefore: now - 3_650 * DAY_MS, notAfter: now + 3_650 * DAY_MS });
  const issue = (dnsNames: string[], validity: { notBefore: number; notAfter: number }): MintedCertificate =>
    root.issue({ dnsNames, ...validity });
  const sharedNames = Array.from({ length: SITES }, (_, index) => `*.site${index}.example`);
  const peer = await startTlsServer(
    {
      '*': issue([...sharedNames, ...CANARIES], {
        notBefore: now - 10 * DAY_MS,
        notAfter: now + 80 * DAY_MS,
      }),
    },
    {
      host: address,
      serve: (_request, response) => {
        response.writeHead(200, { date: new Date(clock).toUTCString(), 'content-length': 0 }).end();
      },
    },
  );
  const internet: FakeInternet = {
    addresses: { dns: dns.address, port: peer.port, rootPem: root.certificatePem, canaries: CANARIES },
    setCertificate(host, validity) {
      peer.setCertificate(host, issue([host], validity));
    },
    pointNames(hosts, isUp) {
      // Nothing listens at 127.0.0.9 on this port, so connections are refused.
      for (const host of hosts) {
        const entry = { addresses: [isUp ? address : '127.0.0.9'] };
        known.set(host, entry);
        dns.entries.set(host, entry);
      }
    },
    breakDns(answer) {
      for (const [name, entry] of known) dns.entries.set(name, answer === null ? entry : { answer });
    },
    setClock(at) {
      clock = at;
    },
    async stop() {
      await Promise.all([dns.stop(), peer.stop()]);
    },
  };
  internet.pointNames(CANARIES, true);
  return internet;
}
