import { expect, it } from 'vitest';
import { TAG_MAX_LENGTH } from './words.ts';
import { tagSchema } from './domain.ts';
import { importSchema } from './domain-import.ts';

const read = (entry: { tags?: string[]; notes?: string }) =>
  importSchema.parse({ entries: [{ host: 'shop.example', ...entry }] }).entries[0];
const almost = 'x'.repeat(TAG_MAX_LENGTH - 1);

it.each([
  ['a word too many, without the blank before it', `${almost} y`, almost],
  ['a character of two halves, as a whole', `${almost}😀`, almost],
  ['one that just fits', `${almost.slice(1)}😀z`, `${almost.slice(1)}😀`],
  ['half a character that stood there before', 'web \ud83d', 'web \ufffd'],
  ['blanks and commas', ' , Web,\tShop ', 'web  shop'],
])('a tag is cut to one that could be typed: %s', (_, tag, kept) => {
  expect(read({ tags: [tag] })?.tags).toEqual([kept]);
  expect(tagSchema.parse(kept)).toBe(kept);
});

it('tags that are the same when cut are one', () => {
  expect(read({ tags: [`${almost} y`, `${almost} z`, ' '] })?.tags).toEqual([almost]);
});

it('notes are cut the same way', () => {
  const max = 'x'.repeat(1_999);
  expect(read({ notes: `${max}😀` })?.notes).toBe(max);
  expect(read({ notes: `${max}\ny` })?.notes).toBe(max);
});
