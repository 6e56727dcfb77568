import { factsOf, type Protocol } from '../../contract/protocols.ts';
import { serviceOf } from './protocol.ts';
import { type CheckedEndpoint, isIpText, readTarget, writeTarget } from './target.ts';

/** A server of a domain, as an SRV record names it (RFC 2782). */
export interface DomainServer {
  /** Host name in A-labels. */
  name: string;
  port: number;
  /** Whether connections to it start with TLS (XEP-0368). */
  isDirect: boolean;
}

/** Records by which clients find servers of an endpoint's domain. */
export interface SrvService {
  /** Name of the records, for example `_xmpp-client._tcp.example.org`. */
  name: string;
  isDirect: boolean;
}

/**
 * Returns the SRV records that clients of an endpoint look up. Returns none if clients connect to the host itself: for other protocols,
 * ports other than the usual one, IP addresses and endpoints with a `connect_to`.
 */
export function srvServices({ host, port, protocol, target }: CheckedEndpoint): SrvService[] {
  const { schemes, srv, direct } = factsOf(serviceOf({ port, protocol }));
  if (srv === undefined || isIpText(host) || readTarget(target).connect_to !== undefined) return [];
  const usual = { name: `${srv}.${host}`, isDirect: false };
  const overTls = direct?.srv === undefined ? [] : [{ name: `${direct.srv}.${host}`, isDirect: true }];
  if (protocol === 'tls') return overTls;
  return Object.values(schemes).includes(port) ? [usual, ...overTls] : [];
}

/** Returns the endpoint that stands for one server of the domain. Its host stays the domain, which the certificate is verified for. */
export function endpointAt(
  endpoint: CheckedEndpoint,
  { name, port, isDirect }: DomainServer,
): CheckedEndpoint {
  const service: Protocol = serviceOf(endpoint);
  const { schemes, direct } = factsOf(service);
  const [usualPort = endpoint.port] = Object.values((isDirect ? direct?.schemes : schemes) ?? {});
  return {
    host: endpoint.host,
    port: usualPort,
    protocol: isDirect ? 'tls' : service,
    target: writeTarget({ ...readTarget(endpoint.target), connect_to: `${name}:${port}` }),
  };
}

/** Returns how an address is named in findings: with its port if an SRV record led to it, as one address may have several servers. */
export function addressLabel({ address, server }: { address: string; server?: DomainServer }): string {
  if (server === undefined) return address;
  return `${address.includes(':') ? `[${address}]` : address}:${server.port}`;
}
