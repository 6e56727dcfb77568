import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { addressBytes } from '../certificates/address-bytes.ts';

/**
 * Answer of the server about a name. `addresses` may mix IPv4 and IPv6. With `cname`, the answer has a CNAME record and the
 * records of its target. Queries for the target itself need an entry of their own.
 */
export type DnsEntry =
  | {
      addresses?: readonly string[];
      cname?: string;
      /** Owner and target of a DNAME record, which is all that the answer has. */
      dname?: readonly [owner: string, target: string];
      ttlSeconds?: number;
      caa?: readonly CaaEntry[];
      srv?: readonly SrvEntry[];
      txt?: readonly string[];
      ns?: readonly string[];
      /** TTL of negative answers (RFC 2308), as the SOA record of the name has it. Negative answers without it have no SOA record. */
      negativeTtlSeconds?: number;
      /** Whether the target of `cname` does not exist. */
      isDangling?: boolean;
      /** `valid`: the answer has the AD bit. `bogus`: the answer is SERVFAIL, except with CD=1. */
      signature?: 'valid' | 'bogus';
    }
  | { answer: 'nxdomain' | 'servfail' | 'refused' | 'silent' | 'garbage' };

export interface CaaEntry {
  flags?: number;
  tag: string;
  value: string;
}

/**
 * An SRV record. An empty `target` stands for the root, which says that the service is not available. Default of `priority`
 * and `weight`: 0.
 */
export interface SrvEntry {
  target: string;
  port: number;
  priority?: number;
  weight?: number;
}

export type Transport = 'udp' | 'tcp';

export interface DnsServer {
  /** `address:port`, the format of the resolver and of DNS_SERVERS. */
  address: string;
  /** Answers by name in lower case. The root has an SOA record. Other names get NXDOMAIN. Changes apply from the next query on. */
  entries: Map<string, DnsEntry>;
  /** All queries so far, oldest first: type and name, for example `A name`. For types not in `TYPES`, `other name`. */
  questions: string[];
  /** Called for each query before its answer is looked up, so that a test can change the entries between two queries. */
  onQuestion: (type: string, name: string) => void;
  /** Replaces a reply by the messages that are sent instead. */
  onReply: (reply: Buffer, transport: Transport, query: Buffer) => readonly Buffer[];
  stop(): Promise<void>;
}

const TYPES: Record<number, string> = {
  1: 'A',
  2: 'NS',
  5: 'CNAME',
  6: 'SOA',
  16: 'TXT',
  28: 'AAAA',
  33: 'SRV',
  257: 'CAA',
};
const CODES = { nxdomain: 3, servfail: 2, refused: 5 } as const;
/** The largest UDP response for a client without EDNS (RFC 1035 §4.2.1). */
const UDP_BYTES = 512;
const AUTHENTIC = 0x20;
const CHECKING_DISABLED = 0x10;

/** Starts a DNS server that answers from a map over UDP and TCP. `port` 0: a free port. */
export async function startDnsServer(
  entries: Readonly<Record<string, DnsEntry>> = {},
  port = 0,
  host = '127.0.0.1',
): Promise<DnsServer> {
  const udp = createSocket('udp4');
  const connections = new Set<Socket>();
  const server: DnsServer = {
    address: '',
    entries: new Map(Object.entries(entries)),
    questions: [],
    onQuestion: () => undefined,
    onReply: (reply) => [reply],
    async stop() {
      for (const connection of connections) connection.destroy();
      await Promise.all([
        new Promise<void>((done) => udp.close(() => done())),
        new Promise<void>((done) => tcp.close(() => done())),
      ]);
    },
  };

  udp.on('message', (query, peer) => {
    const reply = answer(server, query);
    if (reply === null) return;
    const fitting = reply.length > sizeLimit(query) ? truncated(query) : reply;
    for (const sent of server.onReply(fitting, 'udp', query)) udp.send(sent, peer.port, peer.address);
  });
  const tcp = createServer((connection) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
    connection.on('error', () => connection.destroy());
    let received = Buffer.alloc(0);
    connection.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const query = received.subarray(2, end);
        const reply = answer(server, query);
        received = received.subarray(end);
        if (reply === null) continue;
        for (const sent of server.onReply(reply, 'tcp', query))
          connection.write(Buffer.concat([uint16(sent.length), sent]));
      }
    });
  });

  server.address = `${host}:${await listenOnBoth(tcp, udp, { host, port })}`;
  return server;
}

/** Returns a port that is free for TCP and UDP. */
export async function freeDnsPort(): Promise<number> {
  const server = await startDnsServer();
  await server.stop();
  return Number(server.address.split(':')[1]);
}

/**
 * Listens with TCP and UDP on one port and returns the port. Tries up to ten times: when a free TCP port is found, its UDP
 * port may be in use.
 */
async function listenOnBoth(
  tcp: Server,
  udp: UdpSocket,
  wanted: { host: string; port: number },
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    tcp.listen(wanted.port, wanted.host);
    await once(tcp, 'listening');
    const { port } = tcp.address() as AddressInfo;
    udp.bind(port, wanted.host);
    try {
      await once(udp, 'listening');
      return port;
    } catch (error) {
      if (attempt === 10) throw error;
      tcp.close();
      await once(tcp, 'close');
    }
  }
}

const ROOT: DnsEntry = { negativeTtlSeconds: 86_400 };

function answer(server: DnsServer, query: Buffer): Buffer | null {
  const { name, type, end } = question(query);
  server.questions.push(`${type} ${name}`);
  server.onQuestion(type, name);
  const entry = server.entries.get(name) ?? (name === '' ? ROOT : { answer: 'nxdomain' });
  const asked = query.subarray(12, end);
  if ('answer' in entry) {
    if (entry.answer === 'silent') return null;
    if (entry.answer === 'garbage')
      return Buffer.concat([query.subarray(0, 2), Buffer.from('not a DNS message')]);
    return Buffer.concat([header(query, CODES[entry.answer], 0), asked]);
  }
  if (entry.signature === 'bogus' && (query.readUInt16BE(2) & CHECKING_DISABLED) === 0)
    return Buffer.concat([header(query, CODES.servfail, 0), asked]);
  const records = recordsOf(entry, name, type);
  const ttl = entry.negativeTtlSeconds;
  const soa = ttl === undefined ? [] : [record(name, 6, ttl, soaOf(name, ttl))];
  const answers = type === 'SOA' ? soa : records;
  const authorities = answers.length > 0 && !answers.every(isAlias) ? [] : soa;
  const code = entry.isDangling === true ? CODES.nxdomain : 0;
  const flags = code | (entry.signature === 'valid' ? AUTHENTIC : 0);
  return Buffer.concat([
    header(query, flags, answers.length, authorities.length),
    asked,
    ...answers,
    ...authorities,
  ]);
}

type Records = Exclude<DnsEntry, { answer: string }>;

function recordsOf(entry: Records, name: string, type: string): Buffer[] {
  const { addresses = [], cname, dname, ttlSeconds = 0, caa = [], srv = [], txt = [], ns = [] } = entry;
  if (dname !== undefined) return [record(dname[0], 39, ttlSeconds, encodeName(dname[1]))];
  const owner = cname ?? name;
  const alias = cname === undefined ? [] : [record(name, 5, ttlSeconds, encodeName(cname))];
  const all = (number: number, data: readonly Buffer[]): Buffer[] => [
    ...alias,
    ...data.map((one) => record(owner, number, ttlSeconds, one)),
  ];
  const ofFamily = (isIpv6: boolean): Buffer[] =>
    addresses.filter((address) => address.includes(':') === isIpv6).map(addressBytes);
  switch (type) {
    case 'A':
      return all(1, ofFamily(false));
    case 'AAAA':
      return all(28, ofFamily(true));
    case 'NS':
      return all(2, ns.map(encodeName));
    case 'TXT':
      return all(
        16,
        txt.map((text) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])),
      );
    case 'CAA':
      return all(
        257,
        caa.map(({ flags = 0, tag, value }) =>
          Buffer.concat([Buffer.from([flags, tag.length]), Buffer.from(tag + value, 'latin1')]),
        ),
      );
    case 'SRV':
      return all(
        33,
        srv.map(({ priority = 0, weight = 0, port, target }) =>
          Buffer.concat([uint16(priority), uint16(weight), uint16(port), encodeName(target)]),
        ),
      );
    default:
      return alias;
  }
}

/** Returns whether a record is an alias: the type stands after its name. */
const isAlias = (bytes: Buffer): boolean => [5, 39].includes(bytes.readUInt16BE(bytes.indexOf(0) + 1));

function soaOf(name: string, minimum: number): Buffer {
  const times = Buffer.alloc(20);
  times.writeUInt32BE(minimum, 16);
  return Buffer.concat([encodeName(`ns.${name}`), encodeName(`root.${name}`), times]);
}

function question(query: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), type: TYPES[query.readUInt16BE(at + 1)] ?? 'other', end: at + 5 };
}

function header(query: Buffer, codeAndFlags: number, answers: number, authorities = 0): Buffer {
  // The flags QR and RA, and RD as in the query. Then the counts of the sections: one question, the answers, the authorities, no other
  // records.
  const flags = 0x8080 | (query.readUInt16BE(2) & 0x0100) | codeAndFlags;
  const counts = [uint16(1), uint16(answers), uint16(authorities), uint16(0)];
  return Buffer.concat([query.subarray(0, 2), uint16(flags), ...counts]);
}

/** Returns how large a UDP response may be: what the OPT record says (RFC 6891 §6.1.2), which is the only record of a query. */
function sizeLimit(query: Buffer): number {
  return query.readUInt16BE(10) === 0 ? UDP_BYTES : query.readUInt16BE(question(query).end + 3);
}

function truncated(query: Buffer): Buffer {
  const reply = Buffer.concat([header(query, 0, 0), query.subarray(12, question(query).end)]);
  reply.writeUInt16BE(reply.readUInt16BE(2) | 0x0200, 2);
  return reply;
}

function record(owner: string, type: number, ttlSeconds: number, data: Buffer): Buffer {
  const ttl = Buffer.alloc(4);
  ttl.writeUInt32BE(ttlSeconds);
  return Buffer.concat([encodeName(owner), uint16(type), uint16(1), ttl, uint16(data.length), data]);
}

function encodeName(name: string): Buffer {
  const labels = name
    .split('.')
    .filter((label) => label !== '')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255]);
}
