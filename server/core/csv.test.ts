import * as fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { CSV_START, csvRecord } from './csv.ts';

const CALCULATED = /^[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠﹦﹢﹣﹫−]/u;

/** Returns the only cell of a record as another program reads it. */
const cellOf = (text: string) =>
  Papa.parse<string[]>(csvRecord([text]).slice(0, -2), { delimiter: ',' }).data[0];

describe('csvRecord', () => {
  it('separates cells by commas and records by CRLF, and quotes cells with separators', () => {
    expect(csvRecord(['shop.example', 443, -3, true, false, null, ''])).toBe(
      'shop.example,443,-3,true,false,,\r\n',
    );
    expect(csvRecord(['a,b', 'say "hi"', 'two\nlines', 'a;b', ' a '])).toBe(
      '"a,b","say ""hi""","two\nlines","a;b"," a "\r\n',
    );
    expect(CSV_START).toBe('\uFEFF');
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  =1', "'  =1"],
    ['\u00A0=1', "'\u00A0=1"],
    ['\u200B=1', "'\u200B=1"],
    ['＝1', "'＝1"],
    ['＠x', "'＠x"],
    ['−1', "'−1"],
    ['\tx', "'\tx"],
    ['\rx', "'\rx"],
    ['\n=1', "'\n'=1"],
    ['"=1"', `'"=1"`],
    ['a;=1', "a;'=1"],
    ['Todo:\n- renew', "Todo:\n'- renew"],
  ])('turns %j into text that is no formula', (text, read) => {
    expect(cellOf(text)).toEqual([read]);
  });

  it.each(['a=b', 'ops@example.com', 'x-y', '1+1', "'=1", 'prod, eu', 'Bücher', 'two\nlines'])(
    'leaves %j unchanged',
    (text) => {
      expect(cellOf(text)).toEqual([text]);
    },
  );

  const risky = fc.string({
    unit: fc.constantFrom(...Array.from('=+-@＝＋－＠;,"\'\t\r\n \u00A0\u200B\u0000ab1')),
    maxLength: 40,
  });

  /** Any UTF-16 text, including lone surrogates. */
  const anything = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));

  it('writes no formula, however a program splits the text, and loses no text', () => {
    fc.assert(
      fc.property(fc.oneof(risky, anything), (text) => {
        const [cell = ''] = cellOf(text) ?? [];
        expect(cell).not.toMatch(/^[\t\r\n]/);
        expect(cell.split(/[;\t\r\n]/).filter((part) => CALCULATED.test(part))).toEqual([]);
        expect(cell.replaceAll("'", '')).toBe(text.toWellFormed().replaceAll("'", ''));
      }),
    );
  });

  it('writes text that is parsed back into the same numbers of records and cells', () => {
    fc.assert(
      fc.property(fc.array(fc.array(risky, { minLength: 2, maxLength: 4 }), { minLength: 1 }), (records) => {
        const text = records.map(csvRecord).join('');
        const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',', newline: '\r\n' });
        expect(errors).toEqual([]);
        expect(data.slice(0, -1).map((cells) => cells.length)).toEqual(records.map((cells) => cells.length));
      }),
    );
  });
});
