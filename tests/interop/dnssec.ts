import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { DnsAnswer } from '../../server/egress/dns/dns-lookup.ts';
import type { DnsType } from '../../server/egress/dns/dns-message.ts';
import { createDnsReader } from '../../server/egress/dns/dns-reader.ts';
import { BIND_PACKAGES, type BindZone, startBind } from '../kit/peers/bind.ts';
import { startUnbound, UNBOUND_PACKAGES } from '../kit/peers/unbound.ts';
import type { Outcome } from './check-server.ts';

export const DNSSEC = { name: 'dnssec', packages: [...BIND_PACKAGES, ...UNBOUND_PACKAGES] };

/** More records than a UDP response of 1,232 bytes holds. */
const MANY = Array.from({ length: 60 }, (_, index) => `ca${index}.example.net`);
const RECORDS = `www A 192.0.2.1
@ CAA 0 issue "ca.example.net"
odd CAA 129 critical "\\200"
many CAA 0 issue "${MANY.join('"\nmany CAA 0 issue "')}"
chain CNAME other
other CNAME www.unsigned.example.
*.wild TXT "one" "two"
tree DNAME target
x.target A 192.0.2.7
dangling CNAME nowhere
loop CNAME pool
pool CNAME loop
`;
const ZONES: BindZone[] = [
  { name: 'signed.example', records: RECORDS, signatures: 'valid' },
  { name: 'unsigned.example', records: RECORDS },
  { name: 'expired.example', records: RECORDS, signatures: 'expired' },
  { name: 'foreign.example', records: RECORDS, signatures: 'foreign_key' },
  { name: 'missing.example', records: RECORDS, signatures: 'missing' },
];

const SECURE: { aliases: string[]; security: 'secure' } = { aliases: [], security: 'secure' };
const NO_NAME = { outcome: 'no_name' as const, ...SECURE };
const BOGUS = { outcome: 'no_answer', why: 'bogus' } as const;
/** Bytes that are not UTF-8 are replaced. */
const ODD = { flags: 129, tag: 'critical', value: '\uFFFD' };
const ca = (value: string) => ({ flags: 0, tag: 'issue', value });

/** What the reader must say through unbound. */
const EXPECTED: [name: string, type: DnsType, answer: DnsAnswer<unknown>][] = [
  ['www.signed.example', 'A', { outcome: 'records', records: ['192.0.2.1'], ...SECURE }],
  ['signed.example', 'CAA', { outcome: 'records', records: [ca('ca.example.net')], ...SECURE }],
  ['signed.example', 'SOA', { outcome: 'records', records: ['ns.signed.example'], ...SECURE }],
  ['signed.example', 'NS', { outcome: 'records', records: ['ns.signed.example'], ...SECURE }],
  ['www.signed.example', 'CAA', { outcome: 'no_data', ...SECURE }],
  ['nowhere.signed.example', 'A', NO_NAME],
  ['www.unknown.example', 'A', NO_NAME],
  ['a.wild.signed.example', 'TXT', { outcome: 'records', records: ['onetwo'], ...SECURE }],
  ['many.signed.example', 'CAA', { outcome: 'records', records: MANY.map(ca), ...SECURE }],
  ['odd.signed.example', 'CAA', { outcome: 'records', records: [ODD], ...SECURE }],
  [
    'x.tree.signed.example',
    'A',
    { outcome: 'records', records: ['192.0.2.7'], aliases: ['x.target.signed.example'], security: 'secure' },
  ],
  [
    'chain.signed.example',
    'A',
    {
      outcome: 'records',
      records: ['192.0.2.1'],
      aliases: ['other.signed.example', 'www.unsigned.example'],
      security: 'insecure',
    },
  ],
  ['dangling.signed.example', 'A', { ...NO_NAME, aliases: ['nowhere.signed.example'] }],
  ['loop.signed.example', 'A', { outcome: 'no_answer', why: 'alias_limit' }],
  [
    'www.unsigned.example',
    'A',
    { outcome: 'records', records: ['192.0.2.1'], aliases: [], security: 'insecure' },
  ],
  ['nowhere.unsigned.example', 'A', { outcome: 'no_name', aliases: [], security: 'insecure' }],
  ...['expired', 'foreign', 'missing'].flatMap((zone): (typeof EXPECTED)[number][] => [
    [`www.${zone}.example`, 'A', BOGUS],
    [`${zone}.example`, 'CAA', BOGUS],
    [`nowhere.${zone}.example`, 'A', BOGUS],
  ]),
];

/**
 * Reads zones of BIND with right, wrong, expired and no signatures through unbound, which validates them, and one of them from BIND itself,
 * which does not validate. The outcome's fault is the first wrong answer.
 */
export async function checkDnssec(parent: string): Promise<Outcome> {
  const outcome = { server: DNSSEC.name, endpoint: null, seen: '' };
  const folders = ['bind-zones', 'unbound'].map((name) => join(parent, name));
  for (const folder of folders) mkdirSync(folder);
  const [bindFolder = '', unboundFolder = ''] = folders;
  const bind = await startBind(bindFolder, ZONES);
  try {
    const unbound = await startUnbound(unboundFolder, bind);
    try {
      const fault = (await faultOf(unbound.address)) ?? (await faultWithoutValidation(bind.address));
      return { ...outcome, seen: `${EXPECTED.length} answers of ${ZONES.length} zones`, fault };
    } finally {
      await unbound.stop();
    }
  } finally {
    await bind.stop();
  }
}

async function faultOf(server: string): Promise<string | null> {
  const reader = createDnsReader({ servers: [server], now: Date.now });
  const signal = AbortSignal.timeout(60_000);
  if (!(await reader.validates(signal))) return 'unbound is not known to validate';
  for (const [name, type, expected] of EXPECTED) {
    const answer = await reader.query(name, type, { signal });
    if (!isDeepStrictEqual(sorted(answer), sorted(expected)))
      return `${type} ${name} gave ${JSON.stringify(answer)}`;
  }
  return null;
}

async function faultWithoutValidation(server: string): Promise<string | null> {
  const reader = createDnsReader({ servers: [server], now: Date.now });
  const signal = AbortSignal.timeout(60_000);
  const answer = await reader.query('www.expired.example', 'A', { signal });
  const isBelieved = await reader.validates(signal);
  const isRight = !isBelieved && answer.outcome === 'records' && answer.security === 'not_known';
  return isRight ? null : `without validation, a zone with expired signatures gave ${JSON.stringify(answer)}`;
}

/** Sorts the records, which servers send in any order. */
const sorted = (answer: DnsAnswer<unknown>): object =>
  answer.outcome === 'records'
    ? { ...answer, records: answer.records.map((one) => JSON.stringify(one)).toSorted() }
    : answer;
