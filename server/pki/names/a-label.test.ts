import { domainToASCII } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isALabel } from './a-label.ts';

describe('A-labels', () => {
  it.each(['xn--n3h', 'xn--bcher-kva', 'xn--nxasmq6b', 'xn--4gbrim', 'XN--BCHER-KVA', 'xn--a-b-qma'])(
    'include %s',
    (label) => {
      expect(isALabel(label)).toBe(true);
    },
  );

  it.each([
    'xn--',
    'xn---',
    'xn--a-',
    'xn--99999999',
    'xn--n3',
    'xn--a_b',
    'example',
    'xn--zzzzzzzzzzzzzzzzz',
  ])('do not include %s', (label) => expect(isALabel(label)).toBe(false));

  it('include every label that Node encodes', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', '7', 'é', 'ß', 'я', '語', '한'),
          minLength: 1,
          maxLength: 12,
        }),
        (text) => {
          const label = domainToASCII(text);
          if (label.startsWith('xn--')) expect(isALabel(label)).toBe(true);
        },
      ),
    );
  });
});
