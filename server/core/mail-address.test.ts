import { expect, it } from 'vitest';
import { normaliseAddress } from './mail-address.ts';

it.each([
  ['Alice@Example.COM', 'alice@example.com'],
  ['alice+trial@example.com', 'alice@example.com'],
  ['alice+one+two@example.com', 'alice@example.com'],
  ['a.li.ce@example.com', 'a.li.ce@example.com'],
  ['A.Li.Ce+x@gmail.com', 'alice@gmail.com'],
  ['alice@googlemail.com', 'alice@gmail.com'],
  ['"a@b"@example.com', '"a@b"@example.com'],
  ['+alice@example.com', '+alice@example.com'],
])('normaliseAddress maps %s to %s', (address, mailbox) => {
  expect(normaliseAddress(address)).toBe(mailbox);
  expect(normaliseAddress(mailbox)).toBe(mailbox);
});
