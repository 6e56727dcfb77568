import { randomInt } from 'node:crypto';
import { Packet } from 'dns2';

/** Record types that we ask for or follow (https://www.iana.org/assignments/dns-parameters). */
const TYPES = { A: 1, NS: 2, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, DNAME: 39, CAA: 257 } as const;
type RecordType = keyof typeof TYPES;

/** Response codes (RFC 1035 §4.1.1). */
export const RCODE = {
  noError: 0,
  formatError: 1,
  servFail: 2,
  noName: 3,
  notImplemented: 4,
  refused: 5,
} as const;

/** One property of a CAA record (RFC 8659 §4.1). `flags` has all eight bits. Tag and value are unvalidated text of the zone. */
export interface CaaRecord {
  flags: number;
  tag: string;
  value: string;
}

/** The records of each type that we ask for. TXT: its strings joined. NS and SOA: the name of the name server. */
export interface DnsRecords {
  A: string;
  CNAME: string;
  AAAA: string;
  CAA: CaaRecord;
  TXT: string;
  NS: string;
  SOA: string;
}
export type DnsType = keyof DnsRecords;

export interface DnsQuestion {
  /** In lower case, without a dot at the end. The root is the empty text. */
  name: string;
  type: DnsType;
}

export interface DnsQuery extends DnsQuestion {
  id: number;
  bytes: Buffer;
}

export interface DnsRecord {
  /** In lower case, without a dot at the end. */
  name: string;
  type: RecordType;
  ttlSeconds: number;
  /** A CAA record, or the text of a record of another type. */
  value: string | CaaRecord;
}

export interface DnsResponse {
  rcode: number;
  isTruncated: boolean;
  /** The AD bit: the resolver has validated every record of the answer (RFC 6840 §5.8). */
  isAuthentic: boolean;
  /** The AA bit. A resolver that is authoritative for a zone does not validate it. */
  isAuthoritative: boolean;
  offersRecursion: boolean;
  answers: DnsRecord[];
  /** How long the absence of a record may be cached (RFC 2308 §5), in seconds; null if the response has no SOA record. */
  negativeTtlSeconds: number | null;
  /** Size of the message in bytes. */
  size: number;
}

/** Largest UDP response that we accept, so that none is fragmented (RFC 9715 §3.2). */
const UDP_BYTES = 1_232;
const RECURSION_DESIRED = 0x01_00;
const AUTHENTIC_DATA = 0x00_20;
const CHECKING_DISABLED = 0x00_10;
const CLASS_IN = 1;

/** Encodes a query with a random id. `withEdns` sets the DO bit and the size of UDP responses (RFC 6891, RFC 3225). */
export function encodeQuery(
  question: DnsQuestion,
  { withEdns, disableChecking }: { withEdns: boolean; disableChecking: boolean },
): DnsQuery {
  const id = randomInt(0x1_00_00);
  const packet = new Packet(new Packet.Header({ id }));
  packet.questions.push(new Packet.Question(question.name, TYPES[question.type], CLASS_IN));
  if (withEdns)
    packet.additionals.push(Packet.Resource.EDNS([], { doFlag: true, udpPayloadSize: UDP_BYTES }));
  const bytes = packet.toBuffer();
  bytes.writeUInt16BE(RECURSION_DESIRED | AUTHENTIC_DATA | (disableChecking ? CHECKING_DISABLED : 0), 2);
  return { ...question, id, bytes };
}

/**
 * Reads the response to a query. `foreign`: the message does not answer this query, so it may be forged. `malformed`: it does, as far as
 * can be seen, but cannot be read as a whole. Never throws.
 */
export function readResponse(message: Buffer, query: DnsQuery): DnsResponse | 'foreign' | 'malformed' {
  if (message.length < 2 || message.readUInt16BE(0) !== query.id) return 'foreign';
  const packet = parse(message);
  if (packet === null) return 'malformed';
  const { header, questions, errors } = packet;
  if (header.qr !== 1 || header.opcode !== 0) return 'foreign';
  const [question] = questions;
  // Servers that cannot read a query need not repeat its question.
  const isUnread =
    header.qdcount === 0 && (header.rcode === RCODE.formatError || header.rcode === RCODE.notImplemented);
  if (!isUnread) {
    if (question === undefined || questions.length !== 1) return 'malformed';
    const isSame = lowerCase(question.name) === query.name && question.type === TYPES[query.type];
    if (!isSame || question.class !== CLASS_IN) return 'foreign';
  }
  // The last record of a truncated response may be incomplete.
  if (errors.length > 0 && header.tc !== 1) return 'malformed';
  return {
    rcode: header.rcode,
    isTruncated: header.tc === 1,
    isAuthentic: (message.readUInt16BE(2) & AUTHENTIC_DATA) !== 0,
    isAuthoritative: header.aa === 1,
    offersRecursion: header.ra === 1,
    answers: packet.answers.flatMap(readRecord),
    negativeTtlSeconds: negativeTtl(packet.authorities),
    size: message.length,
  };
}

type Resource = Packet['answers'][number];

function parse(message: Buffer): Packet | null {
  try {
    return Packet.parse(message);
  } catch {
    return null;
  }
}

const NAMES = new Map<number, RecordType>(
  Object.entries(TYPES).map(([name, type]) => [type, name as RecordType]),
);

/** Returns a record as a list of one; an empty list for records of types that we did not ask for, such as signatures. */
function readRecord(resource: Resource): DnsRecord[] {
  const type = NAMES.get(resource.type);
  const value = type === undefined || resource.class !== CLASS_IN ? null : readValue(type, resource);
  if (type === undefined || value === null) return [];
  return [{ name: lowerCase(resource.name), type, ttlSeconds: resource.ttl, value }];
}

function readValue(type: RecordType, resource: Resource): string | CaaRecord | null {
  const { address, domain, ns, primary, data, flags, tag, value } = resource;
  switch (type) {
    case 'A':
    case 'AAAA':
      return address ?? null;
    case 'CNAME':
      return domain === undefined ? null : lowerCase(domain);
    case 'NS':
      return ns === undefined ? null : lowerCase(ns);
    case 'SOA':
      return primary === undefined ? null : lowerCase(primary);
    case 'TXT':
      return Array.isArray(data) ? data.join('') : null;
    case 'DNAME':
      return Buffer.isBuffer(data) ? readName(data) : null;
    default:
      return flags === undefined || tag === undefined || value === undefined ? null : { flags, tag, value };
  }
}

/** Reads the target of a DNAME record, which is never compressed (RFC 6672 §2.5). dns2 does not read such records. */
function readName(bytes: Buffer): string | null {
  try {
    return lowerCase(Packet.Name.decode(bytes));
  } catch {
    return null;
  }
}

function negativeTtl(authorities: readonly Resource[]): number | null {
  const soa = authorities.find(({ type }) => type === TYPES.SOA);
  return soa?.minimum === undefined ? null : Math.min(soa.ttl, soa.minimum);
}

/** Converts ASCII letters to lower case. DNS ignores the case of no others (RFC 4343 §3). */
function lowerCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
