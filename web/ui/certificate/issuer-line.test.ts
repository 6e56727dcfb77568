import { expect, it } from 'vitest';
import { issuerLine } from './issuer-line.ts';

it.each([
  ["Let's Encrypt", 'R13', "Let's Encrypt · R13"],
  ['DigiCert Inc', 'DigiCert TLS RSA 2020 CA1', 'DigiCert · TLS RSA 2020 CA1'],
  ['Sectigo Limited', 'Sectigo Public Server DV R36', 'Sectigo · Public Server DV R36'],
  ['GoDaddy.com, Inc.', 'Go Daddy Secure CA', 'GoDaddy.com · Go Daddy Secure CA'],
  ['Inc', 'Root', 'Inc · Root'],
  ['Test CA', 'Test CA', 'Test CA'],
  [null, 'Root', 'Root'],
  ['Acme', null, 'Acme'],
  [null, null, null],
])('the line for the authority %s and the issuer %s is: %s', (authority, issuer, line) => {
  expect(issuerLine(authority, issuer)).toBe(line);
});
