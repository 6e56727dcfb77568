import { Packet } from 'dns2';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeQuery, readResponse } from './dns-message.ts';

const query = encodeQuery({ name: 'site.example', type: 'CAA' }, { withEdns: true, disableChecking: false });

function response(): Buffer {
  const packet = new Packet(new Packet.Header({ id: query.id, qr: 1, rd: 1, ra: 1 }));
  packet.questions.push(new Packet.Question('site.example', 257, 1));
  const records = [
    { type: 5, domain: 'other.example' },
    { type: 257, flags: 128, tag: 'issue', value: 'ca.example' },
    { type: 39, data: Buffer.from('\u0003new\u0000') },
    { type: 16, data: ['text'] },
  ];
  for (const record of records)
    packet.answers.push(new Packet.Resource({ name: 'site.example', class: 1, ttl: 60, ...record }));
  return packet.toBuffer();
}

describe('A query', () => {
  it('asks for recursion, DNSSEC and the AD bit, with responses of up to 1,232 bytes', () => {
    const { header, questions, additionals } = Packet.parse(query.bytes);
    expect(header).toMatchObject({ id: query.id, qr: 0, rd: 1, ad: 1, cd: 0 });
    expect(questions).toEqual([{ name: 'site.example', type: 257, class: 1 }]);
    expect(additionals).toMatchObject([{ type: 41, class: 1232, doFlag: true }]);
  });

  it('can ask without validation and without EDNS', () => {
    const bare = encodeQuery({ name: '', type: 'SOA' }, { withEdns: false, disableChecking: true });
    const { header, questions, additionals } = Packet.parse(bare.bytes);
    expect(header).toMatchObject({ rd: 1, cd: 1 });
    expect(questions).toMatchObject([{ name: '', type: 6 }]);
    expect(additionals).toEqual([]);
  });
});

describe('A response', () => {
  it('is read with its aliases and records', () => {
    const records = [
      { type: 'CNAME', value: 'other.example' },
      { type: 'CAA', value: { flags: 128, tag: 'issue', value: 'ca.example' } },
      { type: 'DNAME', value: 'new' },
      { type: 'TXT', value: 'text' },
    ];
    expect(readResponse(response(), query)).toMatchObject({
      rcode: 0,
      offersRecursion: true,
      answers: records.map((record) => ({ name: 'site.example', ttlSeconds: 60, ...record })),
    });
  });

  it('of any bytes causes no error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1_232 }), (bytes) => {
        const message = Buffer.concat([query.bytes.subarray(0, 2), bytes]);
        expect(() => readResponse(message, query)).not.toThrow();
      }),
    );
  });

  it('with changed or missing bytes is read or refused without an error', () => {
    const whole = response();
    const change = fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), fc.nat({ max: whole.length }), (changes, length) => {
        const message = Buffer.from(whole.subarray(0, length));
        for (const [at, value] of changes) if (at < length) message[at] = value;
        const read = readResponse(message, query);
        if (typeof read === 'string') expect(['foreign', 'malformed']).toContain(read);
        else expect(read.answers.length).toBeLessThanOrEqual(4);
      }),
      { numRuns: 2_000 },
    );
  });
});
