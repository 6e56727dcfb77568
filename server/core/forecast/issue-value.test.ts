import { describe, expect, it } from 'vitest';
import { parameterValues, readIssueValue } from './issue-value.ts';

describe('values of CAA properties', () => {
  it.each([
    ['letsencrypt.org', 'letsencrypt.org', []],
    ['\t LetsEncrypt.org \t', 'LetsEncrypt.org', []],
    ['', '', []],
    [';', '', []],
    ['ca1.example.net; account=230123', 'ca1.example.net', [['account', '230123']]],
    [
      'ca.example;a = 1 ;b-c=x=y;',
      'ca.example',
      [
        ['a', '1'],
        ['b-c', 'x=y'],
      ],
    ],
    ['ca.example; empty=', 'ca.example', [['empty', '']]],
    ['; policy=ev', '', [['policy', 'ev']]],
  ] as const)('reads %j', (text, issuer, parameters) => {
    expect(readIssueValue(text)).toEqual({
      issuer,
      parameters: parameters.map(([tag, value]) => ({ tag, value })),
    });
  });

  it.each([
    '%%%%%',
    'letsencrypt.org.',
    '.example',
    'a..example',
    '-a.example',
    'a-.example',
    'two words.example',
    'ca.example; account',
    'ca.example; a b=1',
    'ca.example; a=1 2',
    'ca.example; a=1;;',
    'ca.example; a=ü',
    'bücher.example',
    'a'.repeat(5_000),
  ])('treats %j as malformed', (text) => {
    expect(readIssueValue(text)).toBeNull();
  });

  it('finds parameters by their tags in any case', () => {
    const value = readIssueValue('ca.example; AccountURI=a; x=1; accounturi=b');
    expect(value && parameterValues(value, 'accounturi')).toEqual(['a', 'b']);
  });
});
