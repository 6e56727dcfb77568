import { describe, expect, it } from 'vitest';
import { printable, printableJson } from './printable.ts';

const HOSTILE = 'a\u001b[31m\u009bb\u202e\r\u2028\u{e0041}c\u007f\0';

describe('untrusted text in the terminal output', () => {
  it('has no control characters, but keeps its line breaks', () => {
    expect(printable(`one\n${HOSTILE}`)).toMatch(/^one\na \[31m b +c +$/);
    expect(printable('Bücher → 例え 😀')).toBe('Bücher → 例え 😀');
  });

  it('is escaped in JSON and can be parsed back unchanged', () => {
    const text = printableJson({ HOSTILE });
    expect(text).toMatch(/^[\n\x20-\x7e]*$/);
    expect(JSON.parse(text)).toEqual({ HOSTILE });
  });
});
