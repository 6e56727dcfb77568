import { describe, expect, it } from 'vitest';
import { typedTags, withoutTags } from './typed-tags.ts';

describe('typed tags', () => {
  it('are in lower case and without duplicates', () => {
    expect(typedTags(' Web, prod,, web ,two words')).toEqual({
      ok: true,
      tags: ['web', 'prod', 'two words'],
    });
    expect(typedTags('')).toEqual({ ok: true, tags: [] });
  });

  it("are appended to the domain's tags", () => {
    expect(typedTags(' Shop, prod ,, EU ', ['prod'])).toEqual({ ok: true, tags: ['prod', 'shop', 'eu'] });
    expect(typedTags(' , ', ['prod'])).toEqual({ ok: true, tags: ['prod'] });
  });

  it('are refused with a reason', () => {
    expect(typedTags(`fine, ${'a'.repeat(41)}`)).toEqual({
      ok: false,
      error: 'A tag can have at most 40 characters',
    });
    expect(typedTags('a\u0007b')).toEqual({ ok: false, error: 'Please remove control characters' });
    const twenty = Array.from({ length: 20 }, (_, index) => `tag ${index}`);
    expect(typedTags(twenty.join(','))).toMatchObject({ ok: true });
    expect(typedTags('one more', twenty)).toEqual({ ok: false, error: 'A domain can have at most 20 tags' });
  });

  it('stay in the field if they were not stored', () => {
    expect(withoutTags('web', ['web'])).toBe('');
    expect(withoutTags('Web , pro', ['web'])).toBe('pro');
    expect(withoutTags('web pro', ['web'])).toBe('web pro');
    expect(withoutTags('web, ', ['web'])).toBe('');
  });
});
