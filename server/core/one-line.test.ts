import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { oneLine } from './one-line.ts';

it.each([
  ['  DigiCert  TLS\tRSA ', 'DigiCert TLS RSA'],
  ['x\r\nBcc: victim@example.com', 'x Bcc: victim@example.com'],
  ['a\0b\u2028c\u202ed\u200be\ufefff', 'a b c d e f'],
  ['Ærlig Bøker 株式会社', 'Ærlig Bøker 株式会社'],
  ['é'.repeat(300), `${'é'.repeat(119)}…`],
  ['😀'.repeat(120), '😀'.repeat(120)],
])('oneLine turns %j into %j', (text, expected) => {
  expect(oneLine(text)).toBe(expected);
});

const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 500 })
  .map((codes) => String.fromCodePoint(...codes));

it('oneLine returns one line of at most 120 characters for any text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const line = oneLine(text);
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      expect(Array.from(line).length).toBeLessThanOrEqual(120);
    }),
  );
});
