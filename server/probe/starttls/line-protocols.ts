import {
  type Dialogue,
  type Parser,
  startTlsRefused,
  type PlaintextSession,
  wrongProtocol,
} from './plaintext-session.ts';

/** TLS negotiation in the protocols whose messages are lines of text. */
export const LINE_PROTOCOLS = {
  smtp: { startTls: smtp },
  imap: { startTls: imap },
  pop3: { startTls: pop3 },
  ftp: { startTls: ftp },
  nntp: { startTls: nntp },
  sieve: { startTls: sieve },
} satisfies Record<string, Dialogue>;

/**
 * Our name in EHLO (RFC 5321 §4.1.1.1). It is a reserved name (RFC 6761 §6.4), because our address would reveal the
 * structure of the operator's network to strangers.
 */
const EHLO_NAME = 'certlantern.invalid';

/** Negotiates TLS with STARTTLS in SMTP (RFC 3207). Rejects with StartTlsError on failure. */
async function smtp(session: PlaintextSession): Promise<void> {
  await expectGreeting(session, [220]);
  session.send(`EHLO ${EHLO_NAME}\r\n`);
  const { code, lines } = await reply(session);
  if (code !== 250) throw startTlsRefused(`The server answered EHLO with code ${code}.`);
  if (!lines.some((text) => text.trim().toUpperCase() === 'STARTTLS'))
    throw startTlsRefused('The server does not offer STARTTLS.');
  await runCommand(session, 'STARTTLS', 220);
}

/** Negotiates TLS with AUTH TLS in FTP (RFC 4217). Rejects with StartTlsError on failure. */
async function ftp(session: PlaintextSession): Promise<void> {
  await expectGreeting(session, [220]);
  await runCommand(session, 'AUTH TLS', 234);
}

/** Negotiates TLS with STARTTLS in NNTP (RFC 4642). Rejects with StartTlsError on failure. */
async function nntp(session: PlaintextSession): Promise<void> {
  await expectGreeting(session, [200, 201]);
  await runCommand(session, 'STARTTLS', 382);
}

async function expectGreeting(session: PlaintextSession, expected: readonly number[]): Promise<void> {
  const { code } = await reply(session);
  if (!expected.includes(code)) throw startTlsRefused(`The server greeted us with code ${code}.`);
}

async function runCommand(session: PlaintextSession, text: string, expected: number): Promise<void> {
  session.send(`${text}\r\n`);
  const { code } = await reply(session);
  if (code !== expected) throw startTlsRefused(`The server answered ${text} with code ${code}.`);
}

/** A numbered reply as in FTP and SMTP: three digits per line, followed by a hyphen while more lines follow. */
interface Reply {
  code: number;
  /** Text of each line without the digits. */
  lines: string[];
}

/** Reads a reply (RFC 5321 §4.2.1). In FTP (RFC 959 §4.2) lines between the first and the last may lack the digits. */
async function reply(session: PlaintextSession): Promise<Reply> {
  const first = await session.take(line);
  const [, digits = '', mark] = /^([1-5]\d\d)([ -]|$)/.exec(first) ?? [];
  if (digits === '') throw wrongProtocol('The server sent a line that does not start with a reply code.');
  const lines = [first.slice(4)];
  let more = mark === '-';
  while (more) {
    const next = await session.take(line);
    const isNumbered = next.startsWith(digits);
    lines.push(isNumbered ? next.slice(4) : next);
    more = !isNumbered || next[3] === '-';
  }
  return { code: Number(digits), lines };
}

/** Negotiates TLS with STARTTLS in IMAP (RFC 9051 §6.2.1). Rejects with StartTlsError on failure. */
async function imap(session: PlaintextSession): Promise<void> {
  const greeting = await session.take(line);
  if (/^\* (?:BYE|PREAUTH)\b/i.test(greeting))
    throw startTlsRefused('The server greeted us with BYE or PREAUTH, after which STARTTLS is not possible.');
  if (!/^\* OK\b/i.test(greeting))
    throw wrongProtocol('The server sent a first line that is not an IMAP greeting.');
  const capabilities = (await runImapCommand(session, 'a', 'CAPABILITY')).filter((text) =>
    /^\* CAPABILITY /i.test(text),
  );
  if (!capabilities.some((text) => / STARTTLS(?: |$)/i.test(text)))
    throw startTlsRefused('The server does not offer STARTTLS.');
  await runImapCommand(session, 'b', 'STARTTLS');
}

/**
 * Sends a command and returns the untagged lines before its tagged answer. Rejects with StartTlsError on failure.
 */
async function runImapCommand(session: PlaintextSession, tag: string, command: string): Promise<string[]> {
  session.send(`${tag} ${command}\r\n`);
  const untagged: string[] = [];
  for (;;) {
    const text = await session.take(line);
    if (text.startsWith(`${tag} `)) {
      if (!/^\S+ OK\b/i.test(text)) throw startTlsRefused(`The server refused ${command}.`);
      return untagged;
    }
    if (!text.startsWith('* ')) throw wrongProtocol('The server sent a line that is not an IMAP response.');
    untagged.push(text);
  }
}

/** Negotiates TLS with STLS in POP3 (RFC 2595 §4). Rejects with StartTlsError on failure. */
async function pop3(session: PlaintextSession): Promise<void> {
  await expectOk(session, 'The server greeted us with an error.');
  session.send('STLS\r\n');
  await expectOk(session, 'The server answered STLS with an error.');
}

async function expectOk(session: PlaintextSession, refusal: string): Promise<void> {
  const text = await session.take(line);
  if (/^-ERR\b/i.test(text)) throw startTlsRefused(refusal);
  if (!/^\+OK\b/i.test(text)) throw wrongProtocol('The server sent a line that is not a POP3 response.');
}

/** Negotiates TLS with STARTTLS in ManageSieve (RFC 5804 §2.2). Rejects with StartTlsError on failure. */
async function sieve(session: PlaintextSession): Promise<void> {
  const capabilities = await readSieveAnswer(session, 'The server greeted us with a refusal.');
  if (!capabilities.some((text) => /^"STARTTLS"/i.test(text)))
    throw startTlsRefused('The server does not offer STARTTLS.');
  session.send('STARTTLS\r\n');
  await readSieveAnswer(session, 'The server refused STARTTLS.');
}

/**
 * Returns the lines of an answer before its OK. Skips the bytes of literals, which are not lines. Rejects with
 * StartTlsError on failure; its detail is `refusal` after NO or BYE.
 */
async function readSieveAnswer(session: PlaintextSession, refusal: string): Promise<string[]> {
  const lines: string[] = [];
  let isContinued = false;
  for (;;) {
    const text = await session.take(line);
    const literal = /\{(\d{1,5})\+?\}$/.exec(text)?.[1];
    if (!isContinued && literal === undefined) {
      if (/^OK\b/i.test(text)) return lines;
      if (/^(?:NO|BYE)\b/i.test(text)) throw startTlsRefused(refusal);
      if (!text.startsWith('"'))
        throw wrongProtocol('The server sent a line that is not a ManageSieve response.');
    }
    if (!isContinued) lines.push(text);
    isContinued = literal !== undefined;
    if (literal !== undefined) await session.take(skipBytes(Number(literal)));
  }
}

/** Maximum length of a line. The standards allow 512 bytes in SMTP and 8,192 for IMAP's capabilities. */
const MAX_LINE_BYTES = 8 * 1024;
const LINE_FEED = 10;

/** Parses one line as Latin-1 without its line break. Throws StartTlsError if it is too long. */
const line: Parser<string> = (seen) => {
  const end = seen.indexOf(LINE_FEED);
  if (end === -1 ? seen.length > MAX_LINE_BYTES : end > MAX_LINE_BYTES)
    throw wrongProtocol(`The server sent a line of more than ${MAX_LINE_BYTES} bytes.`);
  if (end === -1) return null;
  return { value: seen.toString('latin1', 0, end).replace(/\r$/, ''), length: end + 1 };
};

/** Returns a parser that skips `count` bytes, which need not be lines. */
const skipBytes =
  (count: number): Parser<null> =>
  (seen) =>
    seen.length < count ? null : { value: null, length: count };
