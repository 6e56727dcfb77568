import { expect, test } from 'vitest';
import { typedTags } from './typed-tags.ts';

test('tags are parted by commas, in lower case and each once', () => {
  expect(typedTags(' Web, prod,, web ,two words')).toEqual({ tags: ['web', 'prod', 'two words'] });
  expect(typedTags('')).toEqual({ tags: [] });
});

test('what is no tag, and too many of them, are said', () => {
  expect(typedTags(`fine, ${'x'.repeat(41)}`)).toHaveProperty('error');
  expect(typedTags(Array.from({ length: 21 }, (_, index) => `t${index}`).join(','))).toEqual({
    error: 'A domain has at most 20 tags',
  });
});
