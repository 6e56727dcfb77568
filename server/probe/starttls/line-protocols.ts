import { type Parser, startTlsRefused, type PlaintextSession, wrongProtocol } from './plaintext-session.ts';

/* STARTTLS in the protocols whose messages are lines of text. */

/**
 * Our name in EHLO (RFC 5321 §4.1.1.1). A reserved name (RFC 6761 §6.4), because our address would reveal the structure
 * of the operator's network to strangers.
 */
const EHLO_NAME = 'certlantern.invalid';

/** RFC 3207. */
export async function smtp(talk: PlaintextSession): Promise<void> {
  await expectGreeting(talk, [220]);
  talk.send(`EHLO ${EHLO_NAME}\r\n`);
  const { code, lines } = await reply(talk);
  if (code !== 250) throw startTlsRefused(`EHLO is answered with ${code}`);
  if (!lines.some((text) => text.trim().toUpperCase() === 'STARTTLS'))
    throw startTlsRefused('STARTTLS is not offered');
  await runCommand(talk, 'STARTTLS', 220);
}

/** RFC 4217. */
export async function ftp(talk: PlaintextSession): Promise<void> {
  await expectGreeting(talk, [220]);
  await runCommand(talk, 'AUTH TLS', 234);
}

/** RFC 4642. */
export async function nntp(talk: PlaintextSession): Promise<void> {
  await expectGreeting(talk, [200, 201]);
  await runCommand(talk, 'STARTTLS', 382);
}

async function expectGreeting(talk: PlaintextSession, expected: readonly number[]): Promise<void> {
  const { code } = await reply(talk);
  if (!expected.includes(code)) throw startTlsRefused(`the greeting is ${code}`);
}

async function runCommand(talk: PlaintextSession, text: string, expected: number): Promise<void> {
  talk.send(`${text}\r\n`);
  const { code } = await reply(talk);
  if (code !== expected) throw startTlsRefused(`${text} is answered with ${code}`);
}

/** A numbered reply as in FTP and SMTP: three digits per line, followed by a hyphen while more lines follow. */
interface Reply {
  code: number;
  /** Without the digits. */
  lines: string[];
}

/** Reads a reply (RFC 5321 §4.2.1). In FTP (RFC 959 §4.2) lines between the first and the last may lack the digits. */
async function reply(talk: PlaintextSession): Promise<Reply> {
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

/** RFC 9051 §6.2.1. */
export async function imap(talk: PlaintextSession): Promise<void> {
  const greeting = await talk.take(line);
  if (/^\* (?:BYE|PREAUTH)\b/i.test(greeting))
    throw startTlsRefused('the greeting leaves no room for STARTTLS');
  if (!/^\* OK\b/i.test(greeting)) throw wrongProtocol('no greeting of IMAP');
  const capabilities = (await runImapCommand(talk, 'a', 'CAPABILITY')).filter((text) =>
    /^\* CAPABILITY /i.test(text),
  );
  if (!capabilities.some((text) => / STARTTLS(?: |$)/i.test(text)))
    throw startTlsRefused('STARTTLS is not offered');
  await runImapCommand(talk, 'b', 'STARTTLS');
}

/** Sends a command and returns the untagged lines before its tagged answer. */
async function runImapCommand(talk: PlaintextSession, tag: string, command: string): Promise<string[]> {
  talk.send(`${tag} ${command}\r\n`);
  const untagged: string[] = [];
  for (;;) {
    const text = await talk.take(line);
    if (text.startsWith(`${tag} `)) {
      if (!/^\S+ OK\b/i.test(text)) throw startTlsRefused(`${command} is refused`);
      return untagged;
    }
    if (!text.startsWith('* ')) throw wrongProtocol('no answer of IMAP');
    untagged.push(text);
  }
}

/** RFC 2595 §4. */
export async function pop3(talk: PlaintextSession): Promise<void> {
  await expectOk(talk, 'the greeting');
  talk.send('STLS\r\n');
  await expectOk(talk, 'STLS');
}

async function expectOk(talk: PlaintextSession, what: string): Promise<void> {
  const text = await talk.take(line);
  if (/^-ERR\b/i.test(text)) throw startTlsRefused(`${what} is an error`);
  if (!/^\+OK\b/i.test(text)) throw wrongProtocol('no answer of POP3');
}

/** ManageSieve, RFC 5804 §2.2. */
export async function sieve(talk: PlaintextSession): Promise<void> {
  const capabilities = await readSieveAnswer(talk, 'the greeting');
  if (!capabilities.some((text) => /^"STARTTLS"/i.test(text)))
    throw startTlsRefused('STARTTLS is not offered');
  talk.send('STARTTLS\r\n');
  await readSieveAnswer(talk, 'STARTTLS');
}

/**
 * Reads an answer's lines before OK and skips the bytes of literals, which are not lines. Rejects with StartTlsError on NO, BYE or another
 * protocol.
 */
async function readSieveAnswer(talk: PlaintextSession, what: string): Promise<string[]> {
  const lines: string[] = [];
  let isContinued = false;
  for (;;) {
    const text = await talk.take(line);
    const literal = /\{(\d{1,5})\+?\}$/.exec(text)?.[1];
    if (!isContinued && literal === undefined) {
      if (/^OK\b/i.test(text)) return lines;
      if (/^(?:NO|BYE)\b/i.test(text)) throw startTlsRefused(`${what} is a refusal`);
      if (!text.startsWith('"')) throw wrongProtocol('no answer of ManageSieve');
    }
    if (!isContinued) lines.push(text);
    isContinued = literal !== undefined;
    if (literal !== undefined) await talk.take(bytes(Number(literal)));
  }
}

/** Far above what the standards allow: 512 bytes in SMTP, 8,192 for IMAP's capabilities. */
const MAX_LINE_BYTES = 8 * 1024;
const LINE_FEED = 10;

/** Parses one line, without its line break, as Latin-1. */
const line: Parser<string> = (seen) => {
  const end = seen.indexOf(LINE_FEED);
  if (end === -1 ? seen.length > MAX_LINE_BYTES : end > MAX_LINE_BYTES)
    throw wrongProtocol(`a line of more than ${MAX_LINE_BYTES} bytes`);
  if (end === -1) return null;
  return { value: seen.toString('latin1', 0, end).replace(/\r$/, ''), length: end + 1 };
};

/** Skips `count` bytes, which need not be lines. */
const bytes =
  (count: number): Parser<null> =>
  (seen) =>
    seen.length < count ? null : { value: null, length: count };
