import { line } from './lines.ts';
import { refused, wrongProtocol } from './talk.ts';
import type { Parser, Talk } from './talk.ts';

/** RFC 9051 §6.2.1. */
export async function imap(talk: Talk): Promise<void> {
  const greeting = await talk.take(line);
  if (/^\* (?:BYE|PREAUTH)\b/i.test(greeting)) throw refused('the greeting leaves no room for STARTTLS');
  if (!/^\* OK\b/i.test(greeting)) throw wrongProtocol('no greeting of IMAP');
  const capabilities = (await runCommand(talk, 'a', 'CAPABILITY')).filter((text) =>
    /^\* CAPABILITY /i.test(text),
  );
  if (!capabilities.some((text) => / STARTTLS(?: |$)/i.test(text))) throw refused('STARTTLS is not offered');
  await runCommand(talk, 'b', 'STARTTLS');
}

/** Sends a command and returns the untagged lines before its tagged answer. */
async function runCommand(talk: Talk, tag: string, command: string): Promise<string[]> {
  talk.send(`${tag} ${command}\r\n`);
  const untagged: string[] = [];
  for (;;) {
    const text = await talk.take(line);
    if (text.startsWith(`${tag} `)) {
      if (!/^\S+ OK\b/i.test(text)) throw refused(`${command} is refused`);
      return untagged;
    }
    if (!text.startsWith('* ')) throw wrongProtocol('no answer of IMAP');
    untagged.push(text);
  }
}

/** RFC 2595 §4. */
export async function pop3(talk: Talk): Promise<void> {
  await expectOk(talk, 'the greeting');
  talk.send('STLS\r\n');
  await expectOk(talk, 'STLS');
}

async function expectOk(talk: Talk, what: string): Promise<void> {
  const text = await talk.take(line);
  if (/^-ERR\b/i.test(text)) throw refused(`${what} is an error`);
  if (!/^\+OK\b/i.test(text)) throw wrongProtocol('no answer of POP3');
}

/** ManageSieve, RFC 5804 §2.2. */
export async function sieve(talk: Talk): Promise<void> {
  const capabilities = await readSieveAnswer(talk, 'the greeting');
  if (!capabilities.some((text) => /^"STARTTLS"/i.test(text))) throw refused('STARTTLS is not offered');
  talk.send('STARTTLS\r\n');
  await readSieveAnswer(talk, 'STARTTLS');
}

/** Reads the lines before an OK. A string may be sent as a literal, whose bytes are not lines of the answer. */
async function readSieveAnswer(talk: Talk, what: string): Promise<string[]> {
  const lines: string[] = [];
  let isContinued = false;
  for (;;) {
    const text = await talk.take(line);
    const literal = /\{(\d{1,5})\+?\}$/.exec(text)?.[1];
    if (!isContinued && literal === undefined) {
      if (/^OK\b/i.test(text)) return lines;
      if (/^(?:NO|BYE)\b/i.test(text)) throw refused(`${what} is a refusal`);
      if (!text.startsWith('"')) throw wrongProtocol('no answer of ManageSieve');
    }
    if (!isContinued) lines.push(text);
    isContinued = literal !== undefined;
    if (literal !== undefined) await talk.take(bytes(Number(literal)));
  }
}

const bytes =
  (count: number): Parser<null> =>
  (seen) =>
    seen.length < count ? null : { value: null, length: count };
