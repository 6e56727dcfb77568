import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../tests/faults/random.ts';
import { FirstFlight, MAX_FLIGHT_BYTES } from './first-flight.ts';

const SEED = 49;
const bytes = (text: string): Buffer => Buffer.from(text, 'hex');
const record = (type: number, content: Buffer): Buffer => {
  const header = Buffer.from([type, 3, 3, 0, 0]);
  header.writeUInt16BE(content.length, 3);
  return Buffer.concat([header, content]);
};
const message = (type: number, body: Buffer): Buffer => {
  const header = Buffer.from([type, 0, 0, 0]);
  header.writeUIntBE(body.length, 1, 3);
  return Buffer.concat([header, body]);
};
/** A ServerHello with the value of its extensions. */
const hello = (extensions: string): Buffer => {
  const length = (extensions.length / 2).toString(16).padStart(4, '0');
  return message(2, bytes(`0303${'07'.repeat(32)}00c02f00${length}${extensions}`));
};
const TLS_1_3 = hello('002b00020304');
const TLS_1_2 = hello('ff01000100');
const CERTIFICATE = message(11, Buffer.alloc(40_000));
const DONE = message(14, Buffer.alloc(0));
const warning = (description: number) => record(21, Buffer.from([1, description]));
const EMPTY = record(22, Buffer.alloc(0));

/** Reads the bytes in chunks of a size. */
function read(all: Buffer, size = all.length): FirstFlight {
  const flight = new FirstFlight();
  for (let at = 0; at < all.length; at += size) flight.push(all.subarray(at, at + size));
  return flight;
}
/** Splits messages into records of a size. */
const inRecords = (messages: readonly Buffer[], size: number): Buffer => {
  const all = Buffer.concat(messages);
  const count = Math.ceil(all.length / size);
  return Buffer.concat(
    Array.from({ length: count }, (_, index) => record(22, all.subarray(index * size, (index + 1) * size))),
  );
};

describe('the first flight of a server', () => {
  it.each([1, 3, 100_000])('is read in chunks of %i bytes', (size) => {
    const flight = inRecords([TLS_1_2, CERTIFICATE, DONE], 16_000);
    expect(read(flight, size)).toMatchObject({ answer: 'hello', isComplete: true });
    expect(read(flight.subarray(0, -1), size)).toMatchObject({ answer: 'hello', isComplete: false });
  });

  it('ends with the ServerHello in TLS 1.3, because the rest is encrypted', () => {
    expect(read(inRecords([TLS_1_3], 16_000))).toMatchObject({ answer: 'hello', isComplete: true });
  });

  it('may have messages in many records and several messages in one', () => {
    for (const size of [1, 5, 50, 16_384])
      expect(read(inRecords([TLS_1_2, message(12, Buffer.alloc(300)), DONE], size))).toMatchObject({
        answer: 'hello',
        isComplete: true,
      });
  });

  it.each([
    ['a fatal alert', record(21, Buffer.from([2, 40])), 'alert'],
    ['the warning close_notify', warning(0), 'alert'],
    ['an alert without description', record(21, Buffer.from([1])), 'alert'],
    ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request'), 'not_tls'],
    ['a record of an unknown type', record(99, Buffer.alloc(3)), 'not_tls'],
    ['application data', record(23, Buffer.alloc(3)), 'not_tls'],
    ['another message than a ServerHello', inRecords([CERTIFICATE], 16_000), 'not_tls'],
    ['a ServerHello that is too short', inRecords([message(2, Buffer.alloc(37))], 16_000), 'not_tls'],
    ['an empty ServerHello', inRecords([message(2, Buffer.alloc(0))], 16_000), 'not_tls'],
    ['a ServerHello of 16 MB', record(22, bytes('02ffffff')), 'not_tls'],
    ['a record of 60 kB', bytes('160303ea60'), 'not_tls'],
    ['nothing', Buffer.alloc(0), null],
    ['a part of a ServerHello', record(22, TLS_1_3.subarray(0, 30)), null],
  ])('that is %s does not count as a ServerHello', (_name, all, answer) => {
    const flight = read(all);
    expect(flight.answer).toBe(answer);
    expect(flight.isComplete).toBe(answer !== null);
  });

  it('counts as answered by a ServerHello even if malformed bytes follow', () => {
    for (const odd of [record(21, Buffer.from([2, 40])), Buffer.from('HTTP/'), inRecords([TLS_1_2], 16_000)])
      expect(read(Buffer.concat([inRecords([TLS_1_2], 16_000), odd]))).toMatchObject({
        answer: 'hello',
        isComplete: true,
      });
  });

  it('records each warning alert once, and empty records at any position', () => {
    const [first, rest] = [inRecords([TLS_1_2], 16_000), inRecords([CERTIFICATE, DONE], 16_000)];
    expect(read(Buffer.concat([warning(112), warning(112), first, warning(90), EMPTY, rest]))).toMatchObject({
      answer: 'hello',
      warningAlerts: [112, 90],
      hasEmptyRecord: true,
    });
    expect(read(Buffer.concat([first, rest]))).toMatchObject({ warningAlerts: [], hasEmptyRecord: false });
  });

  it('records an empty ChangeCipherSpec, and counts any other one before the end as bytes that are not TLS', () => {
    const change = (...bytes: number[]) => Buffer.from([20, 3, 3, 0, bytes.length, ...bytes]);
    for (const hello of [TLS_1_3, TLS_1_2]) {
      const rest = inRecords([hello, DONE], 16_000);
      const flight = read(Buffer.concat([change(), rest]));
      expect(flight).toMatchObject({ answer: 'hello', hasEmptyChange: true, hasEmptyRecord: false });
      expect(read(Buffer.concat([change(1), rest]))).toMatchObject({ answer: 'not_tls' });
    }
  });

  it('ends after 256 kB', () => {
    const endless = Buffer.concat([
      inRecords([TLS_1_2], 16_000),
      inRecords([message(11, Buffer.alloc(MAX_FLIGHT_BYTES))], 16_000),
    ]);
    expect(read(endless, 1_000)).toMatchObject({ answer: 'hello', isComplete: true });
    const records = Buffer.concat(Array.from({ length: MAX_FLIGHT_BYTES / 5 + 1 }, () => EMPTY));
    expect(read(records, 65_536)).toMatchObject({ answer: 'not_tls', isComplete: true });
  });

  it(`never throws for malformed bytes, and keeps few of them (seed ${SEED})`, () => {
    const random = seededRandom(SEED);
    const below = (limit: number): number => Math.floor(random() * limit);
    const good = [
      inRecords([TLS_1_3], 16_000),
      inRecords([TLS_1_2, message(11, Buffer.alloc(700)), DONE], 50),
      Buffer.concat([warning(112), EMPTY, inRecords([TLS_1_2, DONE], 9)]),
    ];
    for (let round = 0; round < 4_000; round++) {
      const all = Buffer.from(good[below(good.length)] ?? EMPTY);
      for (let change = below(4); change >= 0; change--) all[below(all.length)] = below(256);
      const cut = all.subarray(0, below(all.length + 1));
      const flight = read(round % 3 === 0 ? cut : all, 1 + below(40));
      expect(flight.warningAlerts.length).toBeLessThanOrEqual(16);
      if (flight.isComplete) expect(flight.answer).not.toBeNull();
    }
  });
});
