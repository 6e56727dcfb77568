import { expect, it } from 'vitest';
import { TAG_MAX_LENGTH } from './words.ts';
import { tagSchema } from './domain.ts';
import { importSchema } from './domain-import.ts';

const parseEntry = (entry: { tags?: string[]; notes?: string }) =>
  importSchema.parse({ entries: [{ host: 'shop.example', ...entry }] }).entries[0];
const belowLimit = 'x'.repeat(TAG_MAX_LENGTH - 1);

it.each([
  ['the space before a removed word is removed too', `${belowLimit} y`, belowLimit],
  ['a surrogate pair is removed as a whole', `${belowLimit}😀`, belowLimit],
  ['a surrogate pair that just fits is kept', `${belowLimit.slice(1)}😀z`, `${belowLimit.slice(1)}😀`],
  ['a lone surrogate is replaced', 'web \ud83d', 'web \ufffd'],
  ['surrounding spaces and commas are removed', ' , Web,\tShop ', 'web  shop'],
])('an imported tag is turned into a valid tag: %s', (_, tag, expected) => {
  expect(parseEntry({ tags: [tag] })?.tags).toEqual([expected]);
  expect(tagSchema.parse(expected)).toBe(expected);
});

it('imported tags that are equal after shortening are merged', () => {
  expect(parseEntry({ tags: [`${belowLimit} y`, `${belowLimit} z`, ' '] })?.tags).toEqual([belowLimit]);
});

it('imported notes are shortened to 2,000 characters, without half a surrogate pair or trailing whitespace', () => {
  const max = 'x'.repeat(1_999);
  expect(parseEntry({ notes: `${max}😀` })?.notes).toBe(max);
  expect(parseEntry({ notes: `${max}\ny` })?.notes).toBe(max);
});
