import { expect, it } from 'vitest';
import { TAG_MAX_LENGTH } from './words.ts';
import { tagSchema } from './domain.ts';
import { importSchema } from './domain-import.ts';

const parseEntry = (entry: { tags?: string[]; notes?: string }) =>
  importSchema.parse({ entries: [{ host: 'shop.example', ...entry }] }).entries[0];
const belowLimit = 'x'.repeat(TAG_MAX_LENGTH - 1);

it.each([
  ['a word too many, without the blank before it', `${belowLimit} y`, belowLimit],
  ['a character of two halves, as a whole', `${belowLimit}😀`, belowLimit],
  ['one that just fits', `${belowLimit.slice(1)}😀z`, `${belowLimit.slice(1)}😀`],
  ['half a character that stood there before', 'web \ud83d', 'web \ufffd'],
  ['blanks and commas', ' , Web,\tShop ', 'web  shop'],
])('a tag is cut to one that could be typed: %s', (_, tag, expected) => {
  expect(parseEntry({ tags: [tag] })?.tags).toEqual([expected]);
  expect(tagSchema.parse(expected)).toBe(expected);
});

it('tags that are the same when cut are one', () => {
  expect(parseEntry({ tags: [`${belowLimit} y`, `${belowLimit} z`, ' '] })?.tags).toEqual([belowLimit]);
});

it('notes are cut the same way', () => {
  const max = 'x'.repeat(1_999);
  expect(parseEntry({ notes: `${max}😀` })?.notes).toBe(max);
  expect(parseEntry({ notes: `${max}\ny` })?.notes).toBe(max);
});
