import { describe, expect, it } from 'vitest';
import { withTypedTags } from './typed-tags.ts';

describe('typed tags', () => {
  it('are added in lower case, each once, however many the line has', () => {
    expect(withTypedTags(['prod'], ' Shop, prod ,, EU ')).toEqual({ ok: true, tags: ['prod', 'shop', 'eu'] });
    expect(withTypedTags(['prod'], ' , ')).toEqual({ ok: true, tags: ['prod'] });
  });

  it('are refused with a reason', () => {
    expect(withTypedTags([], 'a'.repeat(41))).toEqual({
      ok: false,
      error: 'A tag has at most 40 characters',
    });
    expect(withTypedTags([], 'a\u0007b')).toEqual({
      ok: false,
      error: 'Please leave out control characters',
    });
    const twenty = Array.from({ length: 20 }, (_, index) => `tag ${index}`);
    expect(withTypedTags(twenty, 'one more')).toEqual({ ok: false, error: 'A domain has at most 20 tags' });
  });
});
