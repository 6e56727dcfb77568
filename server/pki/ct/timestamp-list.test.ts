import { assert, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  timestampEntry,
  timestampExtension,
  type TimestampFields,
  vector,
} from '../../../tests/kit/certificates/certificate-extensions.ts';
import { damaged } from '../../../tests/kit/certificates/damaged-bytes.ts';
import { octetString } from '../../../tests/kit/certificates/der-writer.ts';
import { leafIndexExtension } from '../../../tests/kit/certificates/mint-log.ts';
import { PkiError } from '../pki-error.ts';
import { parseTimestampList } from './timestamp-list.ts';

const LOG_ID = Buffer.alloc(32, 7);
const entry = (fields: Partial<TimestampFields> = {}): Buffer =>
  timestampEntry({ logId: LOG_ID, at: 1_753_920_000_123, signature: Buffer.of(1, 2, 3), ...fields });
const parse = (...entries: Uint8Array[]) => parseTimestampList(timestampExtension(entries).value);
const leafIndexOf = (extensions: Buffer) => parse(entry({ extensions })).timestamps[0]?.leafIndex;

describe('a list of certificate timestamps', () => {
  it('is read with every field', () => {
    const extensions = leafIndexExtension(2 ** 40 - 1);
    const { timestamps, unreadable } = parse(entry({ extensions, algorithms: [4, 1] }));
    expect(timestamps).toEqual([
      {
        logId: LOG_ID.toString('base64'),
        at: 1_753_920_000_123,
        extensions,
        leafIndex: 2 ** 40 - 1,
        hashAlgorithm: 4,
        signatureAlgorithm: 1,
        signature: Buffer.of(1, 2, 3),
      },
    ]);
    expect(unreadable).toBe(0);
  });

  it('is read up to its 20th entry; the others are counted', () => {
    const { timestamps, unreadable } = parse(...Array.from({ length: 25 }, (_, at) => entry({ at })));
    expect(timestamps.map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_, at) => at));
    expect(unreadable).toBe(5);
    expect(parse(...Array.from({ length: 32_767 }, () => Buffer.alloc(0)))).toEqual({
      timestamps: [],
      unreadable: 32_767,
    });
  });

  it('may have no entries', () => expect(parse()).toEqual({ timestamps: [], unreadable: 0 }));

  it.each<[string, Buffer]>([
    ['of a later version', entry({ version: 1 })],
    ['that is empty', Buffer.alloc(0)],
    ['that is shorter than the fields of a timestamp', entry({ signature: Buffer.alloc(0) }).subarray(0, -1)],
    ['that is cut off', entry().subarray(0, -1)],
    ['with bytes after its signature', Buffer.concat([entry(), Buffer.of(0)])],
    ['with a time of 2^64 − 1 ms', entry({ at: 2n ** 64n - 1n })],
  ])('is read without an entry %s, which is counted', (_, odd) => {
    const { timestamps, unreadable } = parse(odd, entry({ at: 9 }));
    expect(timestamps.map(({ at }) => at)).toEqual([9]);
    expect(unreadable).toBe(1);
  });

  it.each<[string, Buffer]>([
    ['no OCTET STRING', vector(vector(entry()))],
    ['no bytes', octetString(Buffer.alloc(0))],
    ['a length beyond its end', octetString(vector(vector(entry())).subarray(0, -1))],
    ['an entry beyond its end', octetString(vector(vector(entry()).subarray(0, -1)))],
    ['bytes after its end', octetString(Buffer.concat([vector(vector(entry())), Buffer.of(0)]))],
  ])('is refused with %s', (_, value) => {
    expect(() => parseTimestampList(value)).toThrow(PkiError);
  });
});

describe('the leaf index of a static log', () => {
  it.each<[string, Buffer, number | null]>([
    ['alone', leafIndexExtension(0), 0],
    ['beside another extension', Buffer.concat([Buffer.from('ff000100', 'hex'), leafIndexExtension(5)]), 5],
    ['absent', Buffer.alloc(0), null],
    ['with four bytes', Buffer.from('00000400000001', 'hex'), null],
    ['with six bytes', Buffer.from('000006000000000001', 'hex'), null],
    ['given twice', Buffer.concat([leafIndexExtension(1), leafIndexExtension(1)]), null],
    ['before bytes that are no extension', Buffer.concat([leafIndexExtension(1), Buffer.of(9)]), null],
  ])('that is %s is read', (_, extensions, index) => {
    expect(leafIndexOf(extensions)).toBe(index);
  });
});

it('10,000 damaged lists of timestamps only throw PkiError, and no list has more entries than fit into it', () => {
  const list = [entry(), entry({ extensions: leafIndexExtension(3) }), entry({ version: 1 })];
  const outcomes = { read: 0, refused: 0 };
  assert(
    property(damaged(timestampExtension(list).value), (bytes) => {
      try {
        const { timestamps, unreadable } = parseTimestampList(bytes);
        outcomes.read += 1;
        expect(timestamps.length + unreadable).toBeLessThanOrEqual(bytes.length / 2);
      } catch (error) {
        if (!(error instanceof PkiError)) throw error;
        outcomes.refused += 1;
      }
    }),
    { numRuns: 10_000, seed: 6_962 },
  );
  expect(outcomes.read).toBeGreaterThan(1_000);
  expect(outcomes.refused).toBeGreaterThan(1_000);
});
