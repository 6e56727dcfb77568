import { wrongProtocol } from './talk.ts';
import type { Parser, Talk } from './talk.ts';

/** Far above what the standards allow: 512 bytes in SMTP, 8,192 for IMAP's capabilities. */
const MAX_LINE_BYTES = 8 * 1024;
const LINE_FEED = 10;

/** Parses one line, without its line break, as Latin-1. */
export const line: Parser<string> = (seen) => {
  const end = seen.indexOf(LINE_FEED);
  if (end === -1 ? seen.length > MAX_LINE_BYTES : end > MAX_LINE_BYTES)
    throw wrongProtocol(`a line of more than ${MAX_LINE_BYTES} bytes`);
  if (end === -1) return null;
  return { value: seen.toString('latin1', 0, end).replace(/\r$/, ''), length: end + 1 };
};

/** A numbered reply as in FTP and SMTP: three digits per line, followed by a hyphen while more lines follow. */
export interface Reply {
  code: number;
  /** Without the digits. */
  lines: string[];
}

/** Reads a reply (RFC 5321 §4.2.1). In FTP (RFC 959 §4.2) lines between the first and the last may lack the digits. */
export async function reply(talk: Talk): Promise<Reply> {
  const first = await talk.take(line);
  const [, digits = '', mark] = /^([1-5]\d\d)([ -]|$)/.exec(first) ?? [];
  if (digits === '') throw wrongProtocol('no reply code');
  const lines = [first.slice(4)];
  let more = mark === '-';
  while (more) {
    const next = await talk.take(line);
    const isNumbered = next.startsWith(digits);
    lines.push(isNumbered ? next.slice(4) : next);
    more = !isNumbered || next[3] === '-';
  }
  return { code: Number(digits), lines };
}
