import { expect, it } from 'vitest';
import { fileText } from './file-text.ts';

const TEXT = 'host;notes\nzürich.example;Büro – neu €\n';
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

it.each([
  ['UTF-8', Buffer.from(TEXT), 'UTF-8'],
  ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${TEXT}`), 'UTF-8'],
  ['little-endian UTF-16', utf16(TEXT), 'UTF-16'],
  ['little-endian UTF-16 with a byte order mark', utf16(`\uFEFF${TEXT}`), 'UTF-16'],
  ['big-endian UTF-16', utf16(TEXT).swap16(), 'UTF-16'],
  ['big-endian UTF-16 with a byte order mark', utf16(`\uFEFF${TEXT}`).swap16(), 'UTF-16'],
  ['Windows-1252', Buffer.from(TEXT.replace('–', '\x96').replace('€', '\x80'), 'latin1'), 'Windows-1252'],
])('fileText reads a file in %s', (_, bytes, encoding) => {
  expect(fileText(bytes)).toEqual({ text: TEXT, encoding });
});

it('fileText returns empty text for an empty file', () => {
  expect(fileText(new Uint8Array())).toEqual({ text: '', encoding: 'UTF-8' });
});

it.each([
  ['an image', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ['zeros', Buffer.alloc(64)],
  ['text with a zero', Buffer.from('host\0,notes\n')],
])('fileText returns null for %s', (_, bytes) => {
  expect(fileText(bytes)).toBeNull();
});
