import {
  type Dialogue,
  noStartTls,
  type Parser,
  type PlaintextSession,
  type ServerAnswer,
  serverRefused,
  type StartTlsError,
  wrongProtocol,
} from './plaintext-session.ts';

/** Reads the lines of an answer up to the first that matches `end`. */
const upTo =
  (end: RegExp) =>
  async (session: PlaintextSession): Promise<void> => {
    while (!end.test(await session.take(line)));
  };
const anyLine = upTo(/^/);

/** A login mechanism that no server has, so that nobody is logged in. */
const NO_MECHANISM = 'X-CERTLANTERN';

/** Dialogues of the protocols whose messages are lines of text. */
export const LINE_PROTOCOLS = {
  smtp: {
    greeting: /^220[ -]/,
    startTls: (session, _domain, name) => smtp(session, `EHLO ${name}`),
    goodbye: leave({
      logout: 'QUIT',
      read: reply,
      // Greetings of Postfix and Exim may name Dovecot, too, which then only verifies their logins.
      dovecot: { sign: /^220[ -](?!.*(?:Postfix|Exim)).*Dovecot|BURL imap/, login: `AUTH ${NO_MECHANISM}` },
    }),
  },
  // RFC 2033 §4.1
  lmtp: {
    greeting: /^220[ -]/,
    startTls: (session, _domain, name) => smtp(session, `LHLO ${name}`),
    goodbye: leave({ logout: 'QUIT', read: reply }),
  },
  imap: {
    greeting: /^\* (?:OK|PREAUTH|BYE)\b/i,
    startTls: imap,
    refusalIn: (text) => imapBye(imapStatus(text, '*')),
    goodbye: leave({
      logout: 'd LOGOUT',
      read: upTo(/^(?!\* )/),
      readGreeting: anyLine,
      dovecot: {
        sign: /Dovecot|LOGIN-REFERRALS ID ENABLE IDLE/,
        login: `c AUTHENTICATE ${NO_MECHANISM}`,
      },
    }),
  },
  pop3: {
    greeting: /^\+OK\b/i,
    startTls: pop3,
    refusalIn: (text) => pop3Refusal(pop3Error(text)),
    goodbye: leave({
      logout: 'QUIT',
      read: anyLine,
      dovecot: { sign: /Dovecot/, login: `AUTH ${NO_MECHANISM}` },
    }),
  },
  ftp: { greeting: /^220[ -]/, startTls: ftp, goodbye: leave({ logout: 'QUIT', read: reply }) },
  nntp: { greeting: /^20[01] /, startTls: nntp, goodbye: leave({ logout: 'QUIT', read: reply }) },
  sieve: {
    greeting: /^"IMPLEMENTATION"/i,
    startTls: sieve,
    refusalIn: (text) => (/^BYE\b/i.test(text) ? sieveRefusal('BYE', text.slice(3)) : null),
    goodbye: leave({
      logout: 'LOGOUT',
      read: upTo(/^(?:OK|NO|BYE)\b/i),
      // After STARTTLS the server sends its capabilities again (RFC 5804 §2.2).
      greetsTwice: true,
      dovecot: {
        sign: /Dovecot|fileinto reject envelope encoded-character/,
        login: `AUTHENTICATE "${NO_MECHANISM}"`,
      },
    }),
  },
} satisfies Record<string, Dialogue>;

interface Leave {
  logout: string;
  /** Reads an answer. */
  read: (session: PlaintextSession) => Promise<unknown>;
  /** Reads the greeting. Default: `read`. */
  readGreeting?: Leave['read'];
  /** Whether the server greets again after STARTTLS. */
  greetsTwice?: boolean;
  /**
   * Set if Dovecot speaks the protocol. `sign`: matches words that only Dovecot sends, in its greeting or in its capabilities, because owners may
   * change the greeting. `login`: a login that it refuses.
   */
  dovecot?: { sign: RegExp; login: string };
}

/** Returns a goodbye that reads any greeting, sends a command and reads the answer. */
function leave({ logout, read, readGreeting = read, greetsTwice, dovecot }: Leave): Dialogue['goodbye'] {
  return async (session, _domain, state) => {
    if (state === 'direct' || (state === 'upgraded' && greetsTwice)) await readGreeting(session);
    // Dovecot logs “no auth attempts” about a session without a login, and fail2ban in its aggressive mode blocks addresses for that. So we
    // try to log in with a mechanism that Dovecot does not support, which no filter matches. Other servers would log a failed login.
    if (dovecot?.sign.test(session.opening())) {
      session.send(`${dovecot.login}\r\n`);
      await read(session);
    }
    session.send(`${logout}\r\n`);
    await read(session);
  };
}

/** Negotiates TLS with STARTTLS in SMTP (RFC 3207) or LMTP. Rejects with StartTlsError on failure. */
async function smtp(session: PlaintextSession, hello: string): Promise<void> {
  await expectReply(session, [220], SMTP_REFUSALS);
  session.send(`${hello}\r\n`);
  // 500 and 502: the server knows only HELO, so it has no extensions. 501 and 550 refuse our name instead.
  const { lines } = await expectReply(session, [250], { ...SMTP_REFUSALS, unknown: [500, 502] });
  if (!lines.some((text) => text.trim().toUpperCase() === 'STARTTLS')) throw noStartTls();
  session.send('STARTTLS\r\n');
  await expectReply(session, [220], { ...SMTP_REFUSALS, unknown: [500, 501, 502, 504] });
}

const is4xx = (code: number): boolean => code >= 400 && code < 500;
const SMTP_REFUSALS = { isTemporary: is4xx };

/** Negotiates TLS with AUTH TLS in FTP (RFC 4217). Rejects with StartTlsError on failure. */
async function ftp(session: PlaintextSession): Promise<number | void> {
  // 120: the service will be ready in some minutes.
  const isTemporary = (code: number): boolean => code === 120 || is4xx(code);
  await expectReply(session, [220], { isTemporary });
  session.send('AUTH TLS\r\n');
  // RFC 4217 specifies 234. Servers that answer 334 (RFC 2228) or 200 start TLS, too. vsftpd answers 530 if TLS is off.
  const unknown = [500, 501, 502, 504, 530];
  const { code } = await expectReply(session, [234, 334, 200], { isTemporary, unknown });
  if (code !== 234) return code;
}

/** Negotiates TLS with STARTTLS in NNTP (RFC 4642). Rejects with StartTlsError on failure. */
async function nntp(session: PlaintextSession): Promise<void> {
  // RFC 3977 §3.2.1: 400 is an overload or a shutdown, 403 an internal fault. 480 asks for a login.
  const isTemporary = (code: number): boolean => code === 400 || code === 403;
  await expectReply(session, [200, 201], { isTemporary });
  session.send('STARTTLS\r\n');
  await expectReply(session, [382], { isTemporary, unknown: [500, 501, 503] });
}

/**
 * Reads a reply and returns it if its code is expected; else rejects. `unknown`: codes of servers that do not know the command.
 */
async function expectReply(
  session: PlaintextSession,
  expected: readonly number[],
  { isTemporary, unknown = [] }: { isTemporary: (code: number) => boolean; unknown?: readonly number[] },
): Promise<Reply> {
  const answered = await reply(session);
  const { code, lines } = answered;
  if (expected.includes(code)) return answered;
  const answer = { code: String(code), text: lines.join(' ') };
  throw unknown.includes(code) ? noStartTls(answer) : serverRefused(answer, isTemporary(code));
}

/** A numbered reply as in FTP and SMTP: three digits per line, followed by a hyphen while more lines follow. */
interface Reply {
  code: number;
  /** Text of each line with the code, without the digits. */
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
    if (isNumbered) lines.push(next.slice(4));
    more = !isNumbered || next[3] === '-';
  }
  return { code: Number(digits), lines };
}

/** Negotiates TLS with STARTTLS in IMAP (RFC 9051 §6.2.1). Rejects with StartTlsError on failure. */
async function imap(session: PlaintextSession): Promise<void> {
  const greeting = await session.take(line);
  const answer = imapStatus(greeting, '*');
  const refusal = imapBye(answer);
  if (refusal !== null) throw refusal;
  // The connection is logged in already, and STARTTLS is only possible before that.
  if (answer?.code === 'PREAUTH') throw noStartTls(answer);
  if (answer?.code !== 'OK')
    throw wrongProtocol('The server sent a first line that is not an IMAP greeting.');
  const capabilities = (await runImapCommand(session, 'a', 'CAPABILITY')).filter((text) =>
    /^\* CAPABILITY /i.test(text),
  );
  if (!capabilities.some((text) => / STARTTLS(?: |$)/i.test(text))) throw noStartTls();
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
    const answer = imapStatus(text, tag);
    if (answer?.code === 'OK') return untagged;
    if (answer?.code === 'BAD' && command === 'STARTTLS') throw noStartTls(answer);
    if (answer !== null) throw serverRefused(answer, TEMPORARY_IN_IMAP.test(answer.text));
    const refusal = imapBye(imapStatus(text, '*'));
    if (refusal !== null) throw refusal;
    if (!text.startsWith('* ')) throw wrongProtocol('The server sent a line that is not an IMAP response.');
    untagged.push(text);
  }
}

/** Parses a status response (RFC 9051 §7.1) with this tag; null if the line is another one. */
function imapStatus(text: string, tag: string): ServerAnswer | null {
  if (!text.startsWith(`${tag} `)) return null;
  const [, code, rest = ''] = IMAP_STATUS.exec(text.slice(tag.length + 1)) ?? [];
  return code === undefined ? null : { code: code.toUpperCase(), text: rest.trim() };
}

/** Returns the error for BYE, with which a server ends the session; null for other answers. */
function imapBye(answer: ServerAnswer | null): StartTlsError | null {
  return answer?.code === 'BYE' ? serverRefused(answer, true) : null;
}

const IMAP_STATUS = /^(OK|NO|BAD|BYE|PREAUTH)\b(.*)$/i;
/** Response codes after which a later attempt may succeed (RFC 5530 §3). */
const TEMPORARY_IN_IMAP = /^\[(?:UNAVAILABLE|INUSE|LIMIT)\b/i;

/** Negotiates TLS with STLS in POP3 (RFC 2595 §4). Rejects with StartTlsError on failure. */
async function pop3(session: PlaintextSession): Promise<void> {
  await expectOk(session, { isGreeting: true });
  session.send('STLS\r\n');
  await expectOk(session, { isGreeting: false });
}

async function expectOk(session: PlaintextSession, { isGreeting }: { isGreeting: boolean }): Promise<void> {
  const text = await session.take(line);
  if (/^\+OK\b/i.test(text)) return;
  const error = pop3Error(text);
  // A server that knows STLS gives a reason for refusing it (RFC 3206); one without STLS calls the command unknown.
  if (error !== null && !isGreeting && !error.text.startsWith('[')) throw noStartTls(error);
  throw pop3Refusal(error) ?? wrongProtocol('The server sent a line that is not a POP3 response.');
}

function pop3Error(text: string): ServerAnswer | null {
  return /^-ERR\b/i.test(text) ? { code: '-ERR', text: text.slice(4).trim() } : null;
}

function pop3Refusal(error: ServerAnswer | null): StartTlsError | null {
  return error && serverRefused(error, TEMPORARY_IN_POP3.test(error.text));
}

/** Response codes after which a later attempt may succeed (RFC 3206, RFC 2449 §8.1). */
const TEMPORARY_IN_POP3 = /^\[(?:SYS\/TEMP|IN-USE|LOGIN-DELAY)\]/i;

/** Negotiates TLS with STARTTLS in ManageSieve (RFC 5804 §2.2). Rejects with StartTlsError on failure. */
async function sieve(session: PlaintextSession): Promise<void> {
  const capabilities = await readSieveAnswer(session);
  if (!capabilities.some((text) => /^"STARTTLS"/i.test(text))) throw noStartTls();
  session.send('STARTTLS\r\n');
  await readSieveAnswer(session);
}

/**
 * Returns the lines of an answer before its OK. Skips the bytes of literals, which are not lines. Rejects with
 * StartTlsError on failure, also after NO or BYE.
 */
async function readSieveAnswer(session: PlaintextSession): Promise<string[]> {
  const lines: string[] = [];
  let isContinued = false;
  for (;;) {
    const text = await session.take(line);
    const literal = /\{(\d{1,5})\+?\}$/.exec(text)?.[1];
    const [, refusal] = isContinued ? [] : (/^(NO|BYE)\b/i.exec(text) ?? []);
    if (refusal !== undefined) {
      const beforeLiteral = text.replace(/\{\d{1,5}\+?\}$/, '');
      const said = literal === undefined ? '' : await session.take(bytes(Number(literal)));
      throw sieveRefusal(refusal.toUpperCase(), `${beforeLiteral.slice(refusal.length)} ${said}`);
    }
    if (!isContinued && literal === undefined) {
      if (/^OK\b/i.test(text)) return lines;
      if (!text.startsWith('"'))
        throw wrongProtocol('The server sent a line that is not a ManageSieve response.');
    }
    if (!isContinued) lines.push(text);
    isContinued = literal !== undefined;
    if (literal !== undefined) await session.take(bytes(Number(literal)));
  }
}

function sieveRefusal(code: string, words: string): StartTlsError {
  const text = words.trim();
  return serverRefused({ code, text }, code === 'BYE' || /^\(TRYLATER\)/i.test(text));
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

/** Returns a parser of `count` bytes, which need not be lines, as Latin-1. */
const bytes =
  (count: number): Parser<string> =>
  (seen) =>
    seen.length < count ? null : { value: seen.toString('latin1', 0, count), length: count };
