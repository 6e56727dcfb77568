import { describe, expect, it } from 'vitest';
import { createTextMeasure, cutToFit } from './text-measure.ts';

const fonts: string[] = [];
const measure = createTextMeasure({ mono: 'Mono', sans: 'Sans' }, (text, font) => {
  fonts.push(font);
  return text.length * 10;
});

describe('the width of a name on the horizon', () => {
  it("is computed from the mono font's metrics", () => {
    expect(measure.name('fjord.example', 12)).toBeCloseTo(13 * 7.056);
    expect(fonts).toEqual([]);
  });

  it('is measured by the browser if another font may draw some letters', () => {
    expect(measure.name('例え.テスト', 12)).toBeCloseTo(60 - 6 * 0.144);
    expect(measure.label('7 days')).toBe(60);
    expect(fonts).toEqual(['600 12px Mono', '560 12px Sans']);
  });
});

describe('a name that is too long', () => {
  const widthOf = (text: string) => Array.from(text).length * 7;

  it('is truncated with an ellipsis', () => {
    expect(cutToFit('a'.repeat(253), 70, widthOf)).toBe(`${'a'.repeat(9)}…`);
    expect(cutToFit('fjord.example', 91, widthOf)).toBe('fjord.example');
    expect(cutToFit('fjord.example', 0, widthOf)).toBe('…');
  });

  it('is not cut inside a character', () => {
    expect(cutToFit('😀😀😀', 14, widthOf)).toBe('😀…');
  });
});
