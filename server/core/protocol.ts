import type { Protocol } from '../../contract/words.ts';

/** The port and protocol that the scheme before `://` selects. */
export interface Scheme {
  /** The default port. */
  port: number;
  /** Protocol of the scheme; null if the port decides. */
  protocol: Protocol | null;
}

const SCHEMES: Readonly<Record<string, Scheme>> = {
  https: { port: 443, protocol: 'https' },
  wss: { port: 443, protocol: 'https' },
  // Plain HTTP has no certificate, so the host is monitored at port 443 instead.
  http: { port: 443, protocol: null },
  tls: { port: 443, protocol: 'tls' },

  smtp: { port: 25, protocol: 'smtp' },
  submission: { port: 587, protocol: 'smtp' },
  imap: { port: 143, protocol: 'imap' },
  pop3: { port: 110, protocol: 'pop3' },
  ftp: { port: 21, protocol: 'ftp' },
  nntp: { port: 119, protocol: 'nntp' },
  sieve: { port: 4190, protocol: 'sieve' },
  xmpp: { port: 5222, protocol: 'xmpp' },
  'xmpp-server': { port: 5269, protocol: 'xmpp' },
  ldap: { port: 389, protocol: 'ldap' },
  postgres: { port: 5432, protocol: 'postgres' },
  postgresql: { port: 5432, protocol: 'postgres' },
  mysql: { port: 3306, protocol: 'mysql' },
  mariadb: { port: 3306, protocol: 'mysql' },

  smtps: { port: 465, protocol: 'tls' },
  submissions: { port: 465, protocol: 'tls' },
  imaps: { port: 993, protocol: 'tls' },
  pop3s: { port: 995, protocol: 'tls' },
  ftps: { port: 990, protocol: 'tls' },
  nntps: { port: 563, protocol: 'tls' },
  xmpps: { port: 5223, protocol: 'tls' },
  ldaps: { port: 636, protocol: 'tls' },
  ircs: { port: 6697, protocol: 'tls' },
  mqtts: { port: 8883, protocol: 'tls' },
  amqps: { port: 5671, protocol: 'tls' },
  rediss: { port: 6379, protocol: 'tls' },
};

const PROTOCOL_BY_PORT: ReadonlyMap<number, Protocol> = new Map([
  [443, 'https'],
  [8443, 'https'],
  [25, 'smtp'],
  [587, 'smtp'],
  [2525, 'smtp'],
  [143, 'imap'],
  [110, 'pop3'],
  [21, 'ftp'],
  [119, 'nntp'],
  [4190, 'sieve'],
  [5222, 'xmpp'],
  [5269, 'xmpp'],
  [389, 'ldap'],
  [3268, 'ldap'],
  [5432, 'postgres'],
  [3306, 'mysql'],
]);

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
  return SENSITIVE_PORTS.has(port) || protocol === 'postgres' || protocol === 'mysql';
}

/** Returns the scheme with this name in any case; null if its addresses cannot be monitored. */
export function schemeNamed(name: string): Scheme | null {
  const lower = name.toLowerCase();
  return Object.hasOwn(SCHEMES, lower) ? (SCHEMES[lower] ?? null) : null;
}

/** Protocols that clients of a direct TLS port offer by ALPN, by port: `sslnegotiation=direct` of libpq 17, and XEP-0368. */
const ALPN_BY_TLS_PORT: ReadonlyMap<number, readonly string[]> = new Map([
  [5223, ['xmpp-client']],
  [5432, ['postgresql']],
]);

/**
 * Returns the names that clients of an endpoint offer by ALPN (RFC 7301), the preferred one first; empty if they send no ALPN
 * extension. Browsers offer HTTP/2 and HTTP/1.1.
 */
export function offeredAlpn({ port, protocol }: { port: number; protocol: Protocol }): readonly string[] {
  if (protocol === 'https') return ['h2', 'http/1.1'];
  return (protocol === 'tls' ? ALPN_BY_TLS_PORT.get(port) : undefined) ?? [];
}

/** Returns the usual protocol of a port; `tls` if no other one is known. */
export function protocolOfPort(port: number): Protocol {
  return PROTOCOL_BY_PORT.get(port) ?? 'tls';
}
