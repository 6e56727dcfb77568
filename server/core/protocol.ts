import { factsOf, portsOf, type Protocol, PROTOCOL_NAMES } from '../../contract/protocols.ts';

/** The port and protocol that the scheme before `://` selects. */
export interface Scheme {
  /** The default port. */
  port: number;
  /** Protocol of the scheme; null if the port decides. */
  protocol: Protocol | null;
}

const SCHEMES: ReadonlyMap<string, Scheme> = new Map([
  // Plain HTTP has no certificate, so the host is monitored at port 443 instead.
  ['http', { port: 443, protocol: null }],
  ...PROTOCOL_NAMES.flatMap((protocol) => {
    const { schemes, direct } = factsOf(protocol);
    return [...schemesOf(schemes, protocol), ...schemesOf(direct?.schemes, 'tls')];
  }),
]);

function schemesOf(
  ports: Readonly<Record<string, number>> | undefined,
  protocol: Protocol,
): [string, Scheme][] {
  return Object.entries(ports ?? {}).map(([name, port]) => [name, { port, protocol }]);
}

const PROTOCOL_BY_PORT: ReadonlyMap<number, Protocol> = new Map(
  PROTOCOL_NAMES.filter((name) => name !== 'tls').flatMap((name) =>
    portsOf(factsOf(name)).map((port) => [port, name] as const),
  ),
);

/** Services by the ports at which they usually start with TLS. */
const SERVICE_BY_TLS_PORT: ReadonlyMap<number, Protocol> = new Map(
  PROTOCOL_NAMES.flatMap((name) => portsOf(factsOf(name).direct).map((port) => [port, name] as const)),
);

/** Ports of databases, caches, message brokers, file sharing and remote administration. */
const SENSITIVE_PORTS: ReadonlySet<number> = new Set([
  // SSH, Telnet, RPC, NetBIOS, SMB, rexec, rlogin, rsh, IPMI, rsync, NFS
  22, 23, 111, 135, 137, 138, 139, 445, 512, 513, 514, 623, 873, 2049,
  // Alternative SSH port, RDP, VNC, WinRM, X11
  2222, 3389, 5900, 5901, 5985, 5986, 6000,
  // cPanel, WHM, Webmin, Proxmox, Cockpit, Portainer
  2082, 2083, 2086, 2087, 10_000, 8006, 9090, 9443,
  // ZooKeeper, Docker, Swarm, etcd, Nomad, Kubernetes and its nodes, Vault, Consul
  2181, 2375, 2376, 2377, 2379, 2380, 4646, 6443, 10_250, 10_255, 10_257, 10_259, 8200, 8500, 8501,
  // SQL Server, Oracle, MySQL, PostgreSQL, Redshift, PgBouncer, InfluxDB, ClickHouse, CockroachDB
  1433, 1434, 1521, 1522, 2483, 2484, 3306, 5432, 5433, 5439, 6432, 8086, 8123, 9440, 26_257,
  // Db2, Firebird, Kafka
  50_000, 3050, 9092,
  // CouchDB, Cassandra, Neo4j, ArangoDB, Elasticsearch and Kibana, MongoDB
  5984, 6984, 7000, 7001, 7199, 9042, 9142, 9160, 7473, 7474, 7687, 8529, 5601, 9200, 9300, 27_017, 27_018,
  27_019,
  // Redis, its cluster and its sentinels, memcached
  6379, 6380, 16_379, 26_379, 11_207, 11_211,
]);

/** Returns whether an endpoint has one of the `SENSITIVE_PORTS` or a database protocol. */
export function isSensitive({ port, protocol }: { port: number; protocol: Protocol }): boolean {
  return SENSITIVE_PORTS.has(port) || factsOf(protocol).isDatabase === true;
}

/** Returns the scheme with this name in any case; null if its addresses cannot be monitored. */
export function schemeNamed(name: string): Scheme | null {
  return SCHEMES.get(name.toLowerCase()) ?? null;
}

/** Returns the service of an endpoint: its protocol, or for direct TLS the protocol that usually has this port; else `tls`. */
export function serviceOf({ port, protocol }: { port: number; protocol: Protocol }): Protocol {
  return protocol === 'tls' ? (SERVICE_BY_TLS_PORT.get(port) ?? protocol) : protocol;
}

/**
 * Returns the names that clients of an endpoint offer by ALPN (RFC 7301), the preferred one first; empty if they send no ALPN
 * extension.
 */
export function offeredAlpn(endpoint: { port: number; protocol: Protocol }): readonly string[] {
  const facts = factsOf(serviceOf(endpoint));
  return (endpoint.protocol === 'tls' ? facts.direct?.alpn : facts.alpn) ?? [];
}

/** Returns whether clients of a direct TLS endpoint try again without ALPN if the server knows none of their names. */
export function isAlpnOptional(endpoint: { port: number; protocol: Protocol }): boolean {
  return endpoint.protocol === 'tls' && factsOf(serviceOf(endpoint)).direct?.isAlpnOptional === true;
}

/** Returns the usual protocol of a port; `tls` if no other one is known. */
export function protocolOfPort(port: number): Protocol {
  return PROTOCOL_BY_PORT.get(port) ?? 'tls';
}
