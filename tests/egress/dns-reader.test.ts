import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import dns from 'node:dns';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { createDnsReader, type DnsReaderOptions } from '../../server/egress/dns/dns-reader.ts';
import { type DnsEntry, type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { promise } from '../security/promise.ts';

const { signal } = new AbortController();
const ADDRESS = '192.0.2.1';
const UNKNOWN = 'not_known';
const BARE = { aliases: [], security: UNKNOWN };
let server: DnsServer;
let clock: number;

beforeEach(async () => {
  clock = Date.UTC(2026, 11, 1);
  server = await startDnsServer();
});
afterEach(() => server.stop());

function readerOf(options: Partial<DnsReaderOptions> = {}) {
  const reader = createDnsReader({ servers: [server.address], now: () => clock, ...options });
  return {
    ...reader,
    ask: <Type extends Parameters<typeof reader.query>[1]>(name: string, type: Type) =>
      reader.query(name, type, { signal }),
  };
}

const set = (entries: Readonly<Record<string, DnsEntry>>): void => {
  for (const [name, entry] of Object.entries(entries)) server.entries.set(name, entry);
};
/** Returns the questions without the one that shows whether the resolver validates. */
const questions = () => server.questions.filter((question) => question !== 'SOA ');
const records = (found: unknown[], aliases: string[] = []) => ({
  outcome: 'records',
  records: found,
  aliases,
  security: UNKNOWN,
});

describe('An answer', () => {
  it('has the records of each type', async () => {
    set({
      'site.example': {
        addresses: [ADDRESS, '2001:db8::1'],
        caa: [{ flags: 255, tag: '__proto__', value: 'x' }],
        txt: ['v=1', ''],
        ns: ['NS1.site.example'],
        negativeTtlSeconds: 60,
      },
    });
    const { ask } = readerOf();
    expect(await ask('site.example', 'A')).toEqual(records([ADDRESS]));
    expect(await ask('Site.Example.', 'AAAA')).toEqual(records(['2001:db8::1']));
    expect(await ask('site.example', 'CAA')).toEqual(records([{ flags: 255, tag: '__proto__', value: 'x' }]));
    expect(await ask('site.example', 'TXT')).toEqual(records(['v=1', '']));
    expect(await ask('site.example', 'NS')).toEqual(records(['ns1.site.example']));
    expect(await ask('site.example', 'SOA')).toEqual(records(['ns.site.example']));
  });

  it('tells a name without such records from a name that does not exist', async () => {
    set({ 'site.example': { addresses: [ADDRESS] } });
    const { ask } = readerOf();
    expect(await ask('site.example', 'TXT')).toEqual({ outcome: 'no_data', ...BARE });
    expect(await ask('www.site.example', 'TXT')).toEqual({ outcome: 'no_name', ...BARE });
  });

  it.each([
    ['refused', 'refused'],
    ['servfail', 'servfail'],
    ['silent', 'timeout'],
    ['garbage', 'timeout'],
  ] as const)('says that a server that sends %s gave none', async (answer, why) => {
    set({ 'site.example': { answer } });
    expect(await readerOf({ triesMs: [50, 50] }).ask('site.example', 'A')).toEqual({
      outcome: 'no_answer',
      why,
    });
  });

  it('is missing for IP addresses, local names and names that DNS cannot have, which are never asked', async () => {
    set({ 'site.example': { cname: 'printer.internal' } });
    const { ask } = readerOf();
    for (const name of ['192.0.2.7', '2001:db8::7', 'localhost', 'printer.internal', 'com'])
      expect(await ask(name, 'A')).toEqual({ outcome: 'no_answer', why: 'refused' });
    for (const name of ['a b.example', 'a..example', '', 'ä.example', `${'a'.repeat(64)}.example`])
      expect(await ask(name, 'A')).toMatchObject({ outcome: 'no_answer' });
    expect(questions()).toEqual([]);
    expect(await ask('site.example', 'A')).toEqual({ outcome: 'no_answer', why: 'refused' });
    expect(questions()).toEqual(['A site.example']);
  });

  it('is missing if the resolver fails at an alias to a local name, which is never asked', async () => {
    server.onQuestion = (type) =>
      set({ 'site.example': type === 'CNAME' ? { cname: 'printer.internal' } : { answer: 'servfail' } });
    expect(await readerOf().ask('site.example', 'A')).toEqual({ outcome: 'no_answer', why: 'servfail' });
    expect(questions().at(-1)).toBe('CNAME site.example');
  });
});

describe('Aliases', () => {
  it('are followed within a response, and by a new question if the response ends with an alias', async () => {
    set({
      'www.site.example': { cname: 'cdn.example', addresses: [ADDRESS] },
      'cdn.example': { cname: 'edge.example' },
      'edge.example': { txt: ['here'] },
    });
    const { ask } = readerOf();
    expect(await ask('www.site.example', 'A')).toEqual(records([ADDRESS], ['cdn.example']));
    expect(await ask('www.site.example', 'TXT')).toEqual(records(['here'], ['cdn.example', 'edge.example']));
    expect(questions()).toEqual([
      'A www.site.example',
      'TXT www.site.example',
      'TXT cdn.example',
      'TXT edge.example',
    ]);
  });

  it('may lead to a name that does not exist, or that has no such record', async () => {
    set({
      'gone.example': { cname: 'nowhere.example', isDangling: true },
      'bare.example': { cname: 'empty.example', negativeTtlSeconds: 60 },
    });
    const { ask } = readerOf();
    expect(await ask('gone.example', 'A')).toEqual({
      ...BARE,
      outcome: 'no_name',
      aliases: ['nowhere.example'],
    });
    expect(await ask('bare.example', 'A')).toEqual({
      ...BARE,
      outcome: 'no_data',
      aliases: ['empty.example'],
    });
    expect(questions()).toHaveLength(2);
  });

  it('by DNAME give the rest of the name to the target', async () => {
    set({
      'a.b.old.example': { dname: ['old.example', 'new.example'] },
      'a.b.new.example': { addresses: [ADDRESS] },
      'loop.example': { dname: ['example', 'loop.example'] },
    });
    const { ask } = readerOf();
    expect(await ask('a.b.old.example', 'A')).toEqual(records([ADDRESS], ['a.b.new.example']));
    expect(await ask('loop.example', 'A')).toEqual({ outcome: 'no_answer', why: 'alias_limit' });
  });

  it('may be eight, but not nine and not a loop', async () => {
    for (let index = 0; index < 9; index++)
      set({ [`n${index}.example`]: { cname: `n${index + 1}.example` } });
    set({
      'n9.example': { addresses: [ADDRESS] },
      'one.example': { cname: 'two.example' },
      'two.example': { cname: 'one.example' },
    });
    const { ask } = readerOf();
    expect(await ask('n1.example', 'A')).toMatchObject({ outcome: 'records', aliases: { length: 8 } });
    for (const name of ['n0.example', 'one.example'])
      expect(await ask(name, 'A')).toEqual({ outcome: 'no_answer', why: 'alias_limit' });
  });

  it('that lead back are found behind a resolver that answers SERVFAIL, as unbound does', async () => {
    const targets: Record<string, string> = { 'one.example': 'two.example', 'two.example': 'one.example' };
    server.onQuestion = (type, name) => {
      const cname = type === 'CNAME' ? targets[name] : undefined;
      server.entries.set(name, cname === undefined ? { answer: 'servfail' } : { cname });
    };
    const { ask } = readerOf();
    expect(await ask('one.example', 'A')).toEqual({ outcome: 'no_answer', why: 'alias_limit' });
    expect(await ask('broken.example', 'A')).toEqual({ outcome: 'no_answer', why: 'servfail' });
  });
});

describe('The transport', () => {
  const many = Array.from({ length: 60 }, (_, index) => ({ tag: 'issue', value: `ca${index}.example` }));

  it('asks by TCP after a truncated or unreadable response', async () => {
    set({ 'many.example': { caa: many }, 'odd.example': { addresses: [ADDRESS] } });
    const seen: string[] = [];
    server.onReply = (reply, transport, query) => {
      if (query.includes('many') || query.includes('odd')) seen.push(transport);
      return query.includes('odd') && transport === 'udp' ? [reply.subarray(0, -3)] : [reply];
    };
    const { ask } = readerOf();
    expect(await ask('many.example', 'CAA')).toMatchObject({ records: { length: 60 } });
    expect(await ask('odd.example', 'A')).toEqual(records([ADDRESS]));
    expect(seen).toEqual(['udp', 'tcp', 'udp', 'tcp']);
  });

  it('reads at most 16 kB', async () => {
    const caa = Array.from({ length: 100 }, (_, index) => ({ tag: 'issue', value: `${index}`.repeat(80) }));
    set({ 'huge.example': { caa } });
    expect(await readerOf().ask('huge.example', 'CAA')).toEqual({ outcome: 'no_answer', why: 'malformed' });
  });

  it('gives up on a server whose responses by TCP are unreadable too', async () => {
    set({ 'odd.example': { addresses: [ADDRESS] } });
    server.onReply = (reply) => [reply.subarray(0, -3)];
    expect(await readerOf().ask('odd.example', 'A')).toEqual({ outcome: 'no_answer', why: 'malformed' });
  });

  it('ignores responses with another id or question, and queries, and waits for the right one', async () => {
    set({ 'site.example': { addresses: [ADDRESS] } });
    server.onReply = (reply, _transport, query) => {
      const [otherId, otherName, noResponse] = Array.from({ length: 3 }, () =>
        Buffer.from(
          reply.toString('latin1').replace('\u00c0\u0000\u0002\u0001', '\u0001\u0001\u0001\u0001'),
          'latin1',
        ),
      );
      otherId?.writeUInt16BE(query.readUInt16BE(0) ^ 1);
      otherName?.write('x', 13);
      noResponse?.writeUInt8(0, 2);
      return [otherId, otherName, noResponse, reply].filter((message) => message !== undefined);
    };
    expect(await readerOf().ask('site.example', 'A')).toEqual(records([ADDRESS]));
    promise('forged-dns');
  });

  it('ignores responses from another address, and uses a new port and id for each question', async () => {
    const sockets = [createSocket('udp4'), createSocket('udp4')] as const;
    const [own, other] = sockets;
    onTestFinished(() => sockets.forEach((socket) => socket.close()));
    const clients = new Set<string>();
    own.on('message', (query, { port }) => {
      clients.add(`${port} ${query.readUInt16BE(0)}`);
      const refusal = Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x85]), query.subarray(4)]);
      const noName = Buffer.from(refusal);
      noName[3] = 0x83;
      other.send(refusal, port, '127.0.0.1', () => own.send(noName, port));
    });
    for (const socket of sockets) {
      socket.bind(0, '127.0.0.1');
      await once(socket, 'listening');
    }
    const { ask } = readerOf({ servers: [`127.0.0.1:${own.address().port}`], triesMs: [60_000] });
    for (const name of ['a.example', 'b.example', 'c.example'])
      expect(await ask(name, 'A')).toMatchObject({ outcome: 'no_name' });
    expect(clients.size).toBeGreaterThanOrEqual(3);
    promise('forged-dns');
  });

  it.each(['refused', 'servfail', 'silent'] as const)(
    'asks the next server if the first is %s',
    async (answer) => {
      const second = await startDnsServer({ 'site.example': { addresses: [ADDRESS] } });
      onTestFinished(() => second.stop());
      set({ 'site.example': { answer } });
      const { ask } = readerOf({ servers: [server.address, second.address], triesMs: [50, 50] });
      expect(await ask('site.example', 'A')).toEqual(records([ADDRESS]));
    },
  );

  it('asks again if a response was lost', async () => {
    set({ 'site.example': { addresses: [ADDRESS] } });
    let lost = 0;
    server.onReply = (reply) => (lost++ === 0 ? [] : [reply]);
    expect(await readerOf({ triesMs: [50, 60_000] }).ask('site.example', 'A')).toEqual(records([ADDRESS]));
  });

  it('takes a port that nobody listens at as a server that does not respond', async () => {
    const gone = await startDnsServer();
    await gone.stop();
    const { ask } = readerOf({ servers: [gone.address] });
    expect(await ask('site.example', 'A')).toEqual({ outcome: 'no_answer', why: 'timeout' });
  });

  it('asks without EDNS if the server does not know it', async () => {
    set({ 'site.example': { addresses: [ADDRESS] } });
    server.onReply = (reply, _transport, query) => {
      if (query.readUInt16BE(10) > 0) reply.writeUInt8((reply.readUInt8(3) & 0xf0) | 1, 3);
      return [reply];
    };
    expect(await readerOf().ask('site.example', 'A')).toEqual(records([ADDRESS]));
  });

  it('does not take a referral for the absence of a record', async () => {
    set({ 'site.example': {} });
    server.onReply = (reply) => {
      reply.writeUInt8(reply.readUInt8(3) & 0x7f, 3);
      return [reply];
    };
    expect(await readerOf().ask('site.example', 'A')).toEqual({ outcome: 'no_answer', why: 'refused' });
  });
});

describe('DNSSEC', () => {
  const signed: DnsEntry = { addresses: [ADDRESS], signature: 'valid', negativeTtlSeconds: 60 };
  const security = async (name: string, reader = readerOf()) => {
    const answer = await reader.ask(name, 'A');
    return 'security' in answer ? answer.security : answer.why;
  };

  it('is known only from a resolver that sends the AD bit for a signed name', async () => {
    set({ 'signed.example': signed, 'plain.example': { addresses: [ADDRESS] } });
    expect(await security('signed.example')).toBe('not_known');
    expect(await readerOf().validates(signal)).toBe(false);
    set({ '': signed });
    const reader = readerOf();
    expect(await reader.validates(signal)).toBe(true);
    expect(await security('signed.example', reader)).toBe('secure');
    expect(await security('plain.example', reader)).toBe('insecure');
    expect(await security('nowhere.example', reader)).toBe('insecure');
    promise('forged-dns');
  });

  it('is that of the weakest part of a chain of aliases', async () => {
    set({
      '': signed,
      'www.signed.example': { cname: 'plain.example', signature: 'valid' },
      'plain.example': { addresses: [ADDRESS] },
    });
    expect(await security('www.signed.example')).toBe('insecure');
  });

  it('is not known of names for which the resolver itself is authoritative', async () => {
    set({ '': signed, 'own.example': { addresses: [ADDRESS] } });
    server.onReply = (reply, _transport, query) => {
      if (query.includes('own')) reply.writeUInt8(reply.readUInt8(2) | 0x04, 2);
      return [reply];
    };
    expect(await security('own.example')).toBe('not_known');
  });

  it('asks a resolver once a day whether it validates, and after an hour if it did not respond', async () => {
    const count = () => server.questions.filter((question) => question === 'SOA ').length;
    set({ '': signed, 'a.example': signed });
    const reader = readerOf({ triesMs: [50] });
    await Promise.all([security('a.example', reader), reader.validates(signal), reader.validates(signal)]);
    clock += DAY_MS - 1;
    expect(await reader.validates(signal)).toBe(true);
    expect(count()).toBe(1);
    set({ '': { answer: 'silent' } });
    clock += 1;
    expect(await reader.validates(signal)).toBe(false);
    set({ '': signed });
    clock += HOUR_MS - 1;
    expect(await reader.validates(signal)).toBe(false);
    expect(count()).toBe(2);
    clock += 1;
    expect(await reader.validates(signal)).toBe(true);
  });

  it('believes the system’s resolver if it is on loopback', async () => {
    const before = dns.getServers();
    onTestFinished(() => dns.setServers(before));
    dns.setServers([server.address]);
    set({ '': signed, 'signed.example': signed });
    expect(await security('signed.example', readerOf({ servers: [] }))).toBe('secure');
  });

  it('is bogus if the resolver answers only without validation', async () => {
    set({ 'bad.example': { ...signed, signature: 'bogus' } });
    expect(await security('bad.example')).toBe('bogus');
    expect(questions()).toEqual(['A bad.example', 'A bad.example', 'A bad.example']);
  });

  it('is not bogus if the resolver answers with validation on the second try', async () => {
    set({ 'slow.example': { ...signed, signature: 'bogus' } });
    server.onQuestion = () => {
      if (questions().length === 3) set({ 'slow.example': signed });
    };
    expect(await readerOf().ask('slow.example', 'A')).toEqual(records([ADDRESS]));
  });

  it('is not bogus if the resolver fails either way', async () => {
    set({ 'down.example': { answer: 'servfail' } });
    expect(await security('down.example')).toBe('servfail');
  });
});

describe('The cache', () => {
  const asked = async (entry: DnsEntry, ages: readonly number[]): Promise<number[]> => {
    set({ 'site.example': entry });
    const reader = readerOf({ triesMs: [50] });
    await reader.ask('site.example', 'A');
    const counts: number[] = [];
    for (const age of ages) {
      const start = clock;
      clock += age;
      await reader.ask('site.example', 'A');
      clock = start;
      counts.push(questions().length);
    }
    return counts;
  };

  it.each([
    ['an hour if the TTL is shorter', { addresses: [ADDRESS], ttlSeconds: 5 }, HOUR_MS],
    ['for its TTL', { addresses: [ADDRESS], ttlSeconds: 7_200 }, 2 * HOUR_MS],
    ['for a day if the TTL is longer', { addresses: [ADDRESS], ttlSeconds: 604_800 }, DAY_MS],
    ['for the time in the SOA record if there are no records', { negativeTtlSeconds: 7_200 }, 2 * HOUR_MS],
    ['for five minutes if there is none', { answer: 'servfail' }, 5 * MINUTE_MS],
  ] as const)('keeps an answer %s', async (_title, entry, keptMs) => {
    const [before, after] = await asked(entry, [keptMs - 1, keptMs]);
    expect(after).toBe(2 * (before ?? 0));
  });

  it('does not keep answers of a time to come, after the clock was set back', async () => {
    expect(await asked({ addresses: [ADDRESS], ttlSeconds: 7_200 }, [-1])).toEqual([2]);
  });

  it('asks equal questions that run at the same time once', async () => {
    set({ 'site.example': { addresses: [ADDRESS] } });
    const { ask } = readerOf();
    const answers = await Promise.all([
      ask('site.example', 'A'),
      ask('SITE.example', 'A'),
      ask('site.example', 'TXT'),
    ]);
    expect(answers.slice(0, 2)).toEqual([records([ADDRESS]), records([ADDRESS])]);
    expect(questions().toSorted()).toEqual(['A site.example', 'TXT site.example']);
  });

  it('keeps a question running for the others if one caller aborts', async () => {
    set({ 'site.example': { addresses: [ADDRESS] } });
    const reader = readerOf();
    const leaving = new AbortController();
    const left = reader.query('site.example', 'A', { signal: leaving.signal });
    const stayed = reader.ask('site.example', 'A');
    leaving.abort();
    expect(await left).toEqual({ outcome: 'no_answer', why: 'timeout' });
    expect(await stayed).toEqual(records([ADDRESS]));
  });

  it('keeps no answer of a question that all callers aborted', async () => {
    set({ 'site.example': { answer: 'silent' } });
    const reader = readerOf({ triesMs: [60_000] });
    const leaving = new AbortController();
    server.onQuestion = () => leaving.abort();
    expect(await reader.query('site.example', 'A', { signal: leaving.signal })).toMatchObject({
      why: 'timeout',
    });
    server.onQuestion = () => undefined;
    set({ 'site.example': { addresses: [ADDRESS] } });
    expect(await reader.ask('site.example', 'A')).toEqual(records([ADDRESS]));
  });

  it('ends a question at its time limit', async () => {
    set({ 'site.example': { answer: 'silent' } });
    const reader = readerOf({ triesMs: [3_600_000], timeoutMs: 50 });
    expect(await reader.ask('site.example', 'A')).toEqual({ outcome: 'no_answer', why: 'timeout' });
  });
});
