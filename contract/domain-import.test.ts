import { expect, it } from 'vitest';
import { TAG_MAX_LENGTH } from './words.ts';
import { tagSchema } from './domain.ts';
import { importSchema } from './domain-import.ts';

const parseEntry = (entry: { tags?: string[]; notes?: string }) =>
  importSchema.parse({ entries: [{ host: 'shop.example', ...entry }] }).entries[0];
const belowLimit = 'x'.repeat(TAG_MAX_LENGTH - 1);

it.each([
  ['one word too many, without the space before it', `${belowLimit} y`, belowLimit],
  ['a surrogate pair as a whole', `${belowLimit}😀`, belowLimit],
  ['a surrogate pair that just fits', `${belowLimit.slice(1)}😀z`, `${belowLimit.slice(1)}😀`],
  ['a lone surrogate, which is replaced', 'web \ud83d', 'web \ufffd'],
  ['spaces and commas', ' , Web,\tShop ', 'web  shop'],
])('an imported tag is cut to one that could be typed: %s', (_, tag, expected) => {
  expect(parseEntry({ tags: [tag] })?.tags).toEqual([expected]);
  expect(tagSchema.parse(expected)).toBe(expected);
});

it('imported tags that are equal after cutting become one', () => {
  expect(parseEntry({ tags: [`${belowLimit} y`, `${belowLimit} z`, ' '] })?.tags).toEqual([belowLimit]);
});

it('imported notes are cut to 2,000 characters without half a character or trailing space', () => {
  const max = 'x'.repeat(1_999);
  expect(parseEntry({ notes: `${max}😀` })?.notes).toBe(max);
  expect(parseEntry({ notes: `${max}\ny` })?.notes).toBe(max);
});
