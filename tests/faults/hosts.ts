import type { DnsServer } from '../kit/peers/dns-server.ts';
import type { MintedAuthority, MintedCertificate } from '../kit/certificates/mint.ts';
import type { TlsPeer } from '../kit/peers/tls-server.ts';
import { DAY_MS, SECOND_MS } from '../../contract/durations.ts';

/** What happens to the host or its certificate during the run; it decides which alerts must arrive. */
export type Lifecycle = 'ends in days' | 'ended' | 'renewed' | 'down';

export interface Host {
  host: string;
  lifecycle: Lifecycle;
  notAfter: number;
  /**
   * The part of the name that all hosts with the same certificate have in common. For a host with a certificate of its own,
   * its whole name.
   */
  certificateName: string;
}

/**
 * Hosts whose certificates cause an alert at the first check. Some certificates cause more alerts within minutes. A host that is `down`
 * refuses connections, which is reported after its second check.
 */
export interface Hosts {
  all: ReadonlyMap<string, Host>;
  /** Adds a host and returns its `host:port`. With `owner`, up to four of the owner's hosts share a certificate. */
  add(lifecycle: 'ends in days' | 'ended' | 'down', owner?: string): string;
  /**
   * Replaces the host's expired certificate with one that is valid for 90 days, on all hosts that share it. Returns these
   * hosts.
   */
  renew(host: string): string[];
}

const MAX_SHARED = 4;

export function createHosts(world: {
  domain: string;
  dns: DnsServer;
  peer: TlsPeer;
  root: MintedAuthority;
  endsInMs: number;
}): Hosts {
  const { domain, dns, peer, root, endsInMs } = world;
  const all = new Map<string, Host>();
  let groups = 0;
  const sharedBy = (certificateName: string): Host[] =>
    [...all.values()].filter((host) => host.certificateName === certificateName);
  /** The certificate that the next hosts of an owner get, by owner and lifecycle. */
  const current = new Map<string, { name: string; certificate: MintedCertificate; notAfter: number }>();

  function serve(host: Host, certificate: MintedCertificate): void {
    all.set(host.host, host);
    peer.setCertificate(host.host, certificate);
    // The peer does not listen at ::1.
    dns.entries.set(host.host, { addresses: [host.lifecycle === 'down' ? '::1' : '127.0.0.1'] });
  }

  return {
    all,
    add(lifecycle, owner) {
      const number = all.size + 1;
      const now = Date.now();
      const key = `${owner} ${lifecycle}`;
      const known = current.get(key);
      if (owner !== undefined && known !== undefined) {
        const shared = sharedBy(known.name);
        if (shared.length < MAX_SHARED && shared.every((host) => host.lifecycle === lifecycle)) {
          const { name: certificateName, certificate, notAfter } = known;
          const host = `host${number}${certificateName}`;
          serve({ host, lifecycle, notAfter, certificateName }, certificate);
          return `${host}:${peer.port}`;
        }
      }
      // A lifetime of ten minutes puts all alert steps (`DEFAULT_ALERT_STEPS`) into the last 2.5 minutes before expiry.
      const [notBefore, notAfter] =
        lifecycle === 'ended'
          ? [now + endsInMs - 600 * SECOND_MS, now + endsInMs]
          : [now - 80 * DAY_MS, now + 2.5 * DAY_MS];
      const certificateName = owner === undefined ? `host${number}.${domain}` : `.group${++groups}.${domain}`;
      const host = owner === undefined ? certificateName : `host${number}${certificateName}`;
      const certificate = root.issue({ dnsNames: [namedIn(certificateName)], notBefore, notAfter });
      if (owner !== undefined) current.set(key, { name: certificateName, certificate, notAfter });
      serve({ host, lifecycle, notAfter, certificateName }, certificate);
      return `${host}:${peer.port}`;
    },
    renew(renewed) {
      const now = Date.now();
      const notAfter = now + 90 * DAY_MS;
      const certificateName = all.get(renewed)?.certificateName ?? renewed;
      const dnsNames = [namedIn(certificateName)];
      const certificate = root.issue({ dnsNames, notBefore: now - 60 * SECOND_MS, notAfter });
      return sharedBy(certificateName).map(({ host }) => {
        serve({ host, lifecycle: 'renewed', notAfter, certificateName }, certificate);
        return host;
      });
    },
  };
}

/** Returns the DNS name of a certificate: a wildcard if it is shared. */
const namedIn = (certificateName: string): string =>
  certificateName.startsWith('.') ? `*${certificateName}` : certificateName;
