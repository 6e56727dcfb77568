import { expect, it } from 'vitest';
import { httpUrl } from './http-url.ts';

it.each([
  ['http://i.pki.goog/we1.crt', 'http://i.pki.goog/we1.crt'],
  ['https://cps.example/a b', 'https://cps.example/a%20b'],
  ['javascript:alert(1)', null],
  ['JaVaScRiPt://x/%0aalert(1)', null],
  ['data:text/html,x', null],
  ['ldap://directory.example', null],
  ['//cps.example', null],
  ['', null],
  [null, null],
])('httpUrl returns for %j: %j', (text, url) => {
  expect(httpUrl(text)).toBe(url);
});
