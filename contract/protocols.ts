/**
 * All facts about each protocol, except its dialogue before TLS, which is in `server/probe/starttls`. Every folder may import
 * this file, so it imports nothing.
 */

/**
 * Time limits in ms of the dialogue before TLS. They count from the connection on, in wall-clock time, so that a peer gains nothing by
 * trickling bytes.
 */
export interface DialogueLimits {
  /** Limit for the server's complete first message: its greeting, or its first answer if clients speak first. */
  readonly greetingMs: number;
  /** Limit for the whole dialogue. */
  readonly dialogueMs: number;
}

/**
 * Limits for servers that make clients wait on purpose, as postscreen and tarpits do. RFC 5321 §4.5.3.2.1 lets SMTP clients
 * wait five minutes for the greeting; we wait one. A dialogue has up to three replies; its limit leaves almost 30 s for each.
 */
const LATE_REPLIES: DialogueLimits = { greetingMs: 60_000, dialogueMs: 90_000 };

interface ProtocolFacts {
  /** Short name for lists; null for https, which needs none. */
  readonly name: string | null;
  /** Full name, for the panel of a domain. */
  readonly title: string;
  /** Schemes that select the protocol, with their default ports. The first one has the protocol's own name. */
  readonly schemes: Readonly<Record<string, number>>;
  /** Further ports at which the protocol is usual. */
  readonly otherPorts?: readonly number[];
  /** Protocols that clients offer by ALPN (RFC 7301), the preferred one first. Default: no ALPN. */
  readonly alpn?: readonly string[];
  /**
   * Set if the protocol has a dialogue before TLS. `openssl s_client -starttls` knows it by the protocol's own name; its code in
   * `server/probe/starttls` names its specification.
   */
  readonly startTls?: { readonly limits: DialogueLimits };
  /** How the same service offers TLS from the start (protocol `tls`): its schemes and usual ports. */
  readonly direct?: {
    readonly schemes: Readonly<Record<string, number>>;
    readonly otherPorts?: readonly number[];
    readonly alpn?: readonly string[];
    /** True if clients connect again without ALPN when a server refuses these names. */
    readonly isAlpnOptional?: true;
    readonly srv?: string;
  };
  /**
   * Prefix of the SRV records (RFC 2782) by which clients find the servers of a domain. We send the domain's name, not the
   * server's, to such a server (by SNI and in the dialogue), and its certificate must be valid for the domain.
   */
  readonly srv?: string;
  /** True for databases, which only verified accounts may check. */
  readonly isDatabase?: true;
  /**
   * True if servers keep counting failed handshakes of an address, without ever resetting the count, and block the address
   * after too many.
   */
  readonly countsFailures?: true;
}

/**
 * Protocols around the TLS handshake. `https`: TLS handshake, then one HTTP request; `tls`: TLS handshake only; the others start
 * in plain text and switch to TLS (STARTTLS).
 */
export const PROTOCOLS = {
  https: {
    name: null,
    title: 'HTTPS',
    schemes: { https: 443, wss: 443 },
    otherPorts: [8443],
    alpn: ['h2', 'http/1.1'],
  },
  tls: {
    name: 'TLS',
    title: 'Direct TLS',
    schemes: { tls: 443, ircs: 6697, mqtts: 8883, amqps: 5671, rediss: 6379 },
  },
  smtp: {
    name: 'SMTP',
    title: 'SMTP with STARTTLS',
    schemes: { smtp: 25, submission: 587 },
    otherPorts: [2525],
    startTls: { limits: LATE_REPLIES },
    direct: { schemes: { smtps: 465, submissions: 465 } },
  },
  lmtp: {
    name: 'LMTP',
    title: 'LMTP with STARTTLS',
    schemes: { lmtp: 24 },
    startTls: { limits: LATE_REPLIES },
  },
  imap: {
    name: 'IMAP',
    title: 'IMAP with STARTTLS',
    schemes: { imap: 143 },
    startTls: { limits: LATE_REPLIES },
    direct: { schemes: { imaps: 993 } },
  },
  pop3: {
    name: 'POP3',
    title: 'POP3 with STARTTLS',
    schemes: { pop3: 110 },
    startTls: { limits: LATE_REPLIES },
    direct: { schemes: { pop3s: 995 } },
  },
  ftp: {
    name: 'FTP',
    title: 'FTP with AUTH TLS',
    schemes: { ftp: 21 },
    startTls: { limits: LATE_REPLIES },
    direct: { schemes: { ftps: 990 } },
  },
  nntp: {
    name: 'NNTP',
    title: 'NNTP with STARTTLS',
    schemes: { nntp: 119 },
    startTls: { limits: LATE_REPLIES },
    direct: { schemes: { nntps: 563 } },
  },
  sieve: {
    name: 'Sieve',
    title: 'ManageSieve with STARTTLS',
    schemes: { sieve: 4190 },
    startTls: { limits: LATE_REPLIES },
  },
  xmpp: {
    name: 'XMPP',
    title: 'XMPP with STARTTLS',
    schemes: { xmpp: 5222 },
    startTls: { limits: LATE_REPLIES },
    srv: '_xmpp-client._tcp',
    // XEP-0368
    direct: {
      schemes: { xmpps: 5223 },
      alpn: ['xmpp-client'],
      isAlpnOptional: true,
      srv: '_xmpps-client._tcp',
    },
  },
  'xmpp-server': {
    name: 'XMPP s2s',
    title: 'XMPP between servers with STARTTLS',
    schemes: { 'xmpp-server': 5269 },
    startTls: { limits: LATE_REPLIES },
    srv: '_xmpp-server._tcp',
    direct: {
      schemes: { 'xmpps-server': 5270 },
      alpn: ['xmpp-server'],
      isAlpnOptional: true,
      srv: '_xmpps-server._tcp',
    },
  },
  ldap: {
    name: 'LDAP',
    title: 'LDAP with STARTTLS',
    schemes: { ldap: 389 },
    otherPorts: [3268],
    startTls: { limits: LATE_REPLIES },
    direct: { schemes: { ldaps: 636 }, otherPorts: [3269] },
  },
  postgres: {
    name: 'PostgreSQL',
    title: 'PostgreSQL with TLS',
    schemes: { postgres: 5432, postgresql: 5432 },
    startTls: { limits: LATE_REPLIES },
    // `sslnegotiation=direct` of libpq 17
    direct: { schemes: {}, otherPorts: [5432], alpn: ['postgresql'] },
    isDatabase: true,
  },
  mysql: {
    name: 'MySQL',
    title: 'MySQL with TLS',
    schemes: { mysql: 3306, mariadb: 3306 },
    startTls: { limits: LATE_REPLIES },
    isDatabase: true,
    // `max_connect_errors`
    countsFailures: true,
  },
} as const satisfies Readonly<Record<string, ProtocolFacts>>;

export type Protocol = keyof typeof PROTOCOLS;
export const PROTOCOL_NAMES = Object.keys(PROTOCOLS) as [Protocol, ...Protocol[]];

/** Protocols that start in plain text and switch to TLS. */
export type StartTlsProtocol = {
  [Name in Protocol]: (typeof PROTOCOLS)[Name] extends { startTls: object } ? Name : never;
}[Protocol];

/** Returns the facts about a protocol. */
export function factsOf(protocol: Protocol): ProtocolFacts {
  return PROTOCOLS[protocol];
}

interface Ports {
  readonly schemes: Readonly<Record<string, number>>;
  readonly otherPorts?: readonly number[];
}

/** Returns the usual ports of a protocol, or of its direct TLS, each once. */
export function portsOf({ schemes, otherPorts = [] }: Ports = { schemes: {} }): number[] {
  return [...new Set([...Object.values(schemes), ...otherPorts])];
}
