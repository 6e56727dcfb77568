import type { DnsServer } from '../../tests/kit/dns-server.ts';
import type { MintedAuthority } from '../../tests/kit/mint.ts';
import type { TlsPeer } from '../../tests/kit/tls-server.ts';
import { DAY_MS } from '../../contract/durations.ts';

const SECOND_MS = 1_000;

/** What becomes of its certificate, and so what its owner must have been told in the end. */
export type Fate = 'ends in days' | 'ended' | 'renewed';

export interface Host {
  host: string;
  fate: Fate;
  notAfter: number;
}

/** Hosts whose certificates give reason to tell somebody at the first check, and some of them more often within minutes. */
export interface Hosts {
  all: ReadonlyMap<string, Host>;
  /** Brings a new one up; returns `host:port`. */
  add(fate: 'ends in days' | 'ended'): string;
  /** Serves a good certificate in the place of one that has ended. */
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
    add(fate) {
      const host = `host${all.size + 1}.${domain}`;
      const now = Date.now();
      // Of ten minutes: two, one and half a minute before the end are steps, and then the end itself.
      const [notBefore, notAfter] =
        fate === 'ended'
          ? [now + endsInMs - 600 * SECOND_MS, now + endsInMs]
          : [now - 80 * DAY_MS, now + 2.5 * DAY_MS];
      all.set(host, { host, fate, notAfter });
      peer.setCertificate(host, root.issue({ dnsNames: [host], notBefore, notAfter }));
      dns.entries.set(host, { addresses: ['127.0.0.1'] });
      return `${host}:${peer.port}`;
    },
    renew(host) {
      const now = Date.now();
      const notAfter = now + 90 * DAY_MS;
      all.set(host, { host, fate: 'renewed', notAfter });
      peer.setCertificate(host, root.issue({ dnsNames: [host], notBefore: now - 60 * SECOND_MS, notAfter }));
    },
  };
}
