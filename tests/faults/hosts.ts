import type { DnsServer } from '../../scripts/local-peers/dns-server.ts';
import type { MintedAuthority } from '../../scripts/local-peers/mint.ts';
import type { TlsPeer } from '../../scripts/local-peers/tls-server.ts';
import { DAY_MS, SECOND_MS } from '../../contract/durations.ts';

/** State that the host's certificate reaches during the run; it decides which alerts must arrive. */
export type Lifecycle = 'ends in days' | 'ended' | 'renewed';

export interface Host {
  host: string;
  lifecycle: Lifecycle;
  notAfter: number;
}

/** Hosts whose certificates cause an alert at the first check. Some certificates cause more alerts within minutes. */
export interface Hosts {
  all: ReadonlyMap<string, Host>;
  /** Adds a host and returns its `host:port`. */
  add(lifecycle: 'ends in days' | 'ended'): string;
  /** Replaces the host's expired certificate with one that is valid for 90 days. */
  renew(host: string): void;
}

export function createHosts(world: {
  domain: string;
  dns: DnsServer;
  peer: TlsPeer;
  root: MintedAuthority;
  endsInMs: number;
}): Hosts {
  const { domain, dns, peer, root, endsInMs } = world;
  const all = new Map<string, Host>();
  return {
    all,
    add(lifecycle) {
      const host = `host${all.size + 1}.${domain}`;
      const now = Date.now();
      // With a lifetime of ten minutes, alert steps are due 2, 1 and 0.5 minutes before expiry, and at expiry.
      const [notBefore, notAfter] =
        lifecycle === 'ended'
          ? [now + endsInMs - 600 * SECOND_MS, now + endsInMs]
          : [now - 80 * DAY_MS, now + 2.5 * DAY_MS];
      all.set(host, { host, lifecycle, notAfter });
      peer.setCertificate(host, root.issue({ dnsNames: [host], notBefore, notAfter }));
      dns.entries.set(host, { addresses: ['127.0.0.1'] });
      return `${host}:${peer.port}`;
    },
    renew(host) {
      const now = Date.now();
      const notAfter = now + 90 * DAY_MS;
      all.set(host, { host, lifecycle: 'renewed', notAfter });
      peer.setCertificate(host, root.issue({ dnsNames: [host], notBefore: now - 60 * SECOND_MS, notAfter }));
    },
  };
}
