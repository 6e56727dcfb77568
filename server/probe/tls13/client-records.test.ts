import { describe, expect, it } from 'vitest';
import { mintAuthority } from '../../../tests/kit/certificates/mint.ts';
import { seededRandom } from '../../../tests/faults/random.ts';
import {
  extension,
  type Flight,
  framed,
  message,
  number,
  record,
  refusalOf,
  startClient,
  vector,
} from '../../../tests/kit/peers/tls13-flight.ts';
import { CONTENT } from './record-layer.ts';
import { Surprise } from './wire.ts';

const HANDSHAKE = CONTENT.handshake;
const leaf = mintAuthority().issue({ dnsNames: ['site.test'] });
const start = () => startClient(leaf);

/** Returns a NewSessionTicket with these extensions. */
const ticketWith = (...extensions: readonly Buffer[]): Buffer =>
  message(
    4,
    number(7_200, 4),
    number(1, 4),
    vector(1),
    vector(2, Buffer.from('ticket')),
    vector(2, ...extensions),
  );

/** Returns why the client refuses a flight with these records, or null if it accepts the flight. */
function refusal(frame: (flight: Flight) => Buffer): string | null {
  const { client, answer } = start();
  return refusalOf(client, frame(answer()));
}

describe('Our TLS 1.3 client, reading records,', () => {
  const clear = ({ serverHello }: Flight): Buffer => record(HANDSHAKE, serverHello);
  const change = record(CONTENT.changeCipherSpec, Buffer.of(1));
  const seal = (flight: Flight, ...contents: readonly Buffer[]): Buffer =>
    Buffer.concat(contents.map((content) => flight.handshake.seal(HANDSHAKE, content)));

  it.each<[string, (flight: Flight) => Buffer]>([
    [
      'each message in its own record',
      (flight) => Buffer.concat([clear(flight), seal(flight, ...flight.messages)]),
    ],
    [
      'messages that are cut anywhere',
      (flight) => {
        const whole = Buffer.concat(flight.messages);
        const parts = [
          whole.subarray(0, 3),
          whole.subarray(3, 7),
          whole.subarray(7, 500),
          whole.subarray(500),
        ];
        return Buffer.concat([clear(flight), change, seal(flight, ...parts)]);
      },
    ],
    [
      'a ServerHello in three records',
      (flight) => {
        const { serverHello: all } = flight;
        const parts = [all.subarray(0, 2), all.subarray(2, 50), all.subarray(50)];
        return Buffer.concat([
          ...parts.map((part) => record(HANDSHAKE, part)),
          seal(flight, ...flight.messages),
        ]);
      },
    ],
    [
      'padded records',
      (flight) => {
        const padded = Buffer.concat([
          Buffer.concat(flight.messages),
          Buffer.of(HANDSHAKE),
          Buffer.alloc(100),
        ]);
        return Buffer.concat([clear(flight), flight.handshake.seal(0, padded)]);
      },
    ],
  ])('accepts %s', (_name, frame) => {
    expect(refusal(frame)).toBeNull();
  });

  it.each<[string, string, (flight: Flight) => Buffer]>([
    ['an alert instead of a ServerHello', 'alert: number 40', () => record(CONTENT.alert, Buffer.of(2, 40))],
    ['a warning before the ServerHello', 'alert: number 112', () => record(CONTENT.alert, Buffer.of(1, 112))],
    [
      'a close_notify instead of a ServerHello',
      'alert: number 0',
      () => record(CONTENT.alert, Buffer.of(1, 0)),
    ],
    [
      'bytes that are not TLS',
      'malformed: not a TLS record',
      () => Buffer.from('HTTP/1.1 400 Bad Request\r\n'),
    ],
    [
      'an encrypted record before the ServerHello',
      'unexpected: encrypted record',
      () => record(CONTENT.applicationData, Buffer.alloc(64)),
    ],
    ['a ChangeCipherSpec before the ServerHello', 'unexpected: ChangeCipherSpec', () => change],
    [
      'a ChangeCipherSpec within a message',
      'unexpected: ChangeCipherSpec',
      (flight) =>
        Buffer.concat([clear(flight), seal(flight, Buffer.concat(flight.messages).subarray(0, 40)), change]),
    ],
    [
      'two ChangeCipherSpecs',
      'unexpected: ChangeCipherSpec',
      (flight) => Buffer.concat([clear(flight), change, change]),
    ],
    [
      'a ChangeCipherSpec with another value',
      'unexpected: ChangeCipherSpec',
      (flight) => Buffer.concat([clear(flight), record(CONTENT.changeCipherSpec, Buffer.of(2))]),
    ],
    [
      'a ChangeCipherSpec after the Finished',
      'unexpected: ChangeCipherSpec',
      (flight) => Buffer.concat([clear(flight), seal(flight, ...flight.messages), change]),
    ],
    [
      'messages in clear after the ServerHello',
      'unexpected: record in clear',
      (flight) => Buffer.concat([clear(flight), ...flight.messages.map((one) => record(HANDSHAKE, one))]),
    ],
    [
      'a message behind the ServerHello in its record',
      'unexpected: message across a change of keys',
      ({ serverHello, messages }) => record(HANDSHAKE, Buffer.concat([serverHello, ...messages.slice(0, 1)])),
    ],
    [
      'a message behind the Finished in its record',
      'unexpected: message across a change of keys',
      (flight) =>
        Buffer.concat([clear(flight), seal(flight, Buffer.concat([...flight.messages, message(4)]))]),
    ],
    [
      'an empty handshake record',
      'malformed: empty handshake record',
      (flight) => Buffer.concat([clear(flight), seal(flight, Buffer.alloc(0))]),
    ],
    [
      'an empty handshake record in clear',
      'malformed: empty handshake record',
      () => record(HANDSHAKE, Buffer.alloc(0)),
    ],
    [
      'a record that is only padding',
      'malformed: record that is only padding',
      (flight) => Buffer.concat([clear(flight), flight.handshake.seal(0, Buffer.alloc(20))]),
    ],
    [
      'an encrypted record without content',
      'malformed: encrypted record without content',
      (flight) => Buffer.concat([clear(flight), record(CONTENT.applicationData, Buffer.alloc(16))]),
    ],
    [
      'an encrypted record with another header',
      'malformed: not a TLS record',
      (flight) => Buffer.concat([clear(flight), Buffer.from('1702030011', 'hex')]),
    ],
    [
      'an encrypted alert during the handshake',
      'alert: number 80',
      (flight) => Buffer.concat([clear(flight), flight.handshake.seal(CONTENT.alert, Buffer.of(2, 80))]),
    ],
    [
      'application data during the handshake',
      'unexpected: content type',
      (flight) =>
        Buffer.concat([clear(flight), flight.handshake.seal(CONTENT.applicationData, Buffer.from('hello'))]),
    ],
    [
      'an alert within a message',
      'unexpected: record within a message',
      (flight) =>
        Buffer.concat([
          clear(flight),
          seal(flight, Buffer.of(8, 0)),
          flight.handshake.seal(CONTENT.alert, Buffer.of(1, 0)),
        ]),
    ],
    [
      'a missing EncryptedExtensions',
      'unexpected: handshake message 11',
      (flight) => Buffer.concat([clear(flight), seal(flight, ...flight.messages.slice(1))]),
    ],
    [
      'a missing CertificateVerify',
      'unexpected: handshake message 20',
      (flight) =>
        Buffer.concat([clear(flight), seal(flight, ...flight.messages.filter((_, index) => index !== 2))]),
    ],
    [
      'a Certificate twice',
      'unexpected: handshake message 11',
      (flight) => {
        const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = flight.messages;
        return Buffer.concat([clear(flight), seal(flight, first, second, second)]);
      },
    ],
    [
      'a request for a client certificate',
      'client_certificate: CertificateRequest',
      (flight) =>
        Buffer.concat([
          clear(flight),
          seal(flight, ...flight.messages.slice(0, 1), message(13, Buffer.alloc(9))),
        ]),
    ],
    [
      'a message above its limit before it arrives',
      'too_large: handshake message',
      (flight) =>
        Buffer.concat([
          clear(flight),
          seal(flight, ...flight.messages.slice(0, 1), Buffer.of(11, 1, 0x90, 1)),
        ]),
    ],
    [
      'an encrypted record with another version',
      'malformed: version of a record',
      (flight) => Buffer.concat([clear(flight), Buffer.from('1703010020', 'hex')]),
    ],
    [
      'a ChangeCipherSpec with another version',
      'malformed: version of a record',
      (flight) => Buffer.concat([clear(flight), Buffer.from('140301000101', 'hex')]),
    ],
    [
      'a record above its limit before it arrives',
      'too_large: record',
      (flight) => Buffer.concat([clear(flight), Buffer.from('1703034101', 'hex')]),
    ],
    ['a record in clear above its limit', 'too_large: record', () => Buffer.from('1603034001', 'hex')],
    [
      'a record whose content is above its limit',
      'too_large: content of a record',
      (flight) => Buffer.concat([clear(flight), flight.handshake.seal(HANDSHAKE, Buffer.alloc(2 ** 14 + 1))]),
    ],
    [
      'a flood of records',
      'too_large: number of records',
      (flight) => {
        const whole = Buffer.concat([
          message(8, vector(2)),
          message(11, vector(1), vector(3, Buffer.alloc(1_000))),
        ]);
        const parts = Array.from({ length: 600 }, (_, index) => whole.subarray(index, index + 1));
        return Buffer.concat([clear(flight), seal(flight, ...parts)]);
      },
    ],
  ])('refuses %s', (_name, reason, frame) => {
    expect(refusal(frame)).toBe(reason);
  });

  describe('after the handshake', () => {
    function open() {
      const { client, answer } = start();
      const flight = answer();
      client.push(framed(flight));
      const send = (type: number, content: Buffer) => client.push(flight.application.seal(type, content));
      return { client, send };
    }

    it('skips up to 16 session tickets, and refuses more', () => {
      const { send } = open();
      const ticket = ticketWith(extension(42, Buffer.alloc(4)), extension(0x1a1a));
      for (let count = 0; count < 16; count++) expect(send(HANDSHAKE, ticket)).toEqual([]);
      expect(() => send(HANDSHAKE, ticket)).toThrow('too_large: number of tickets');
    });

    it.each<[string, Buffer]>([
      ['without content', message(4)],
      ['that is empty', message(4, Buffer.alloc(8), vector(1), vector(2), vector(2))],
      [
        'with bytes behind it',
        message(4, Buffer.alloc(8), vector(1), vector(2, Buffer.of(1)), vector(2), Buffer.of(0)),
      ],
      ['with an extension of another message', ticketWith(extension(16, Buffer.of(0, 3, 2, 0x68, 0x32)))],
      ['with a wrong length of early data', ticketWith(extension(42, Buffer.of(1)))],
      ['with the same extension twice', ticketWith(extension(0x1a1a), extension(0x1a1a))],
    ])('refuses a session ticket %s, as OpenSSL does', (_name, ticket) => {
      expect(() => open().send(HANDSHAKE, ticket)).toThrow(Surprise);
    });

    it('skips up to 32 empty records, and refuses more', () => {
      const { send } = open();
      const empty = Buffer.alloc(0);
      for (let count = 0; count < 32; count++) expect(send(CONTENT.applicationData, empty)).toEqual([empty]);
      expect(() => send(CONTENT.applicationData, empty)).toThrow('too_large: number of empty records');
    });

    it('refuses KeyUpdate, and requests for a client certificate', () => {
      expect(() => open().send(HANDSHAKE, message(24, Buffer.of(0)))).toThrow('key_update: KeyUpdate');
      expect(() => open().send(HANDSHAKE, message(13, Buffer.of(0)))).toThrow('client_certificate');
      expect(() => open().send(HANDSHAKE, message(20, Buffer.alloc(32)))).toThrow('unexpected');
    });

    it('ignores data after close_notify, and refuses records with the keys of the handshake', () => {
      const { client, send } = open();
      expect(send(CONTENT.alert, Buffer.of(1, 0))).toEqual([]);
      expect(client.hasEnded).toBe(true);
      expect(send(CONTENT.applicationData, Buffer.from('late'))).toEqual([]);

      const { client: second, answer } = start();
      const flight = answer();
      second.push(framed(flight));
      const old = flight.handshake.seal(CONTENT.applicationData, Buffer.from('old'));
      expect(() => second.push(old)).toThrow('invalid: tag of a record');
    });

    it('refuses other alerts and repeated records, and accepts empty records', () => {
      expect(() => open().send(CONTENT.alert, Buffer.of(2, 116))).toThrow('alert: number 116');
      const { client, send } = open();
      expect(send(CONTENT.applicationData, Buffer.alloc(0))).toEqual([Buffer.alloc(0)]);
      const { client: second, answer } = start();
      const flight = answer();
      second.push(framed(flight));
      const one = flight.application.seal(CONTENT.applicationData, Buffer.from('one'));
      second.push(one);
      expect(() => second.push(one)).toThrow('invalid: tag of a record');
      expect(client.proof).not.toBeNull();
    });
  });

  const ROUNDS = Number(process.env.TLS13_FUZZ ?? 2_000);
  it(
    `throws nothing but a Surprise for ${ROUNDS} mutated flights, and believes none of them`,
    {
      // Enough for a million flights.
      timeout: 3_600_000,
    },
    () => {
      const random = seededRandom(48);
      const below = (limit: number): number => Math.floor(random() * limit);
      const mutated = (bytes: Buffer): Buffer => {
        const at = below(bytes.length);
        const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
        const junk = Buffer.from(Array.from({ length: 1 + below(4) }, () => below(256)));
        const ways = [
          () => Buffer.concat([before, junk, after.subarray(junk.length)]),
          () => Buffer.concat([before, Buffer.of((after[0] ?? 0) ^ (1 << below(8))), after.subarray(1)]),
          () => Buffer.concat([before, junk, after]),
          () => Buffer.concat([before, after.subarray(1 + below(64))]),
          () => Buffer.concat([before, bytes.subarray(below(bytes.length), at + below(64)), after]),
          () => before,
        ];
        return ways[below(ways.length)]?.() ?? bytes;
      };
      const outcomes = new Map<string, number>();
      let { again, flight, proof } = fuzzed();
      for (let round = 0; round < ROUNDS; round++) {
        if (round % 500 === 499) ({ again, flight, proof } = fuzzed());
        const { serverHello, messages } = flight;
        const client = again();
        const handshake = flight.handshakeAgain();
        // Mutations of what is encrypted get past the tag, to the readers of messages.
        const isDeep = below(4) > 0;
        const all = Buffer.concat(messages);
        const content = isDeep ? mutated(all) : all;
        const bytes = framed({ ...flight, serverHello, messages: [content], handshake });
        const sent = isDeep ? bytes : mutated(bytes);
        const cut = below(sent.length + 1);
        const result = refusalOf(client, sent.subarray(0, cut)) ?? 'accepted';
        const end = result === 'incomplete' ? (refusalOf(client, sent.subarray(cut)) ?? 'accepted') : result;
        outcomes.set(end, (outcomes.get(end) ?? 0) + 1);
        // Whether there is a ChangeCipherSpec has no meaning.
        if (client.proof !== null) expect(client.proof).toEqual(proof);
      }
      expect(outcomes.get('accepted') ?? 0).toBeLessThan(ROUNDS / 10);
      expect(outcomes.size).toBeGreaterThan(10);
    },
  );
});

/** A flight, and a function that returns clients that wait for it. */
function fuzzed() {
  const { client, answer, again } = start();
  const flight = answer();
  client.push(framed({ ...flight, handshake: flight.handshakeAgain() }));
  return { flight, again, proof: client.proof };
}
