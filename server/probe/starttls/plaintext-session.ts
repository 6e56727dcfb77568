import type { Socket } from 'node:net';
import { TooManyBytesError } from '../../egress/open-connection.ts';
import type { ReachFailure, Refusal } from '../../core/observation.ts';

/**
 * Error for a failed STARTTLS. `detail` is our own sentence or an error code; only `refusal` has text that the peer chose.
 */
export class StartTlsError extends Error {
  override name = 'StartTlsError';
  readonly reason: ReachFailure;
  readonly detail: string | null;
  readonly refusal: Refusal | null;

  constructor(reason: ReachFailure, detail: string | null = null, refusal: Refusal | null = null) {
    super(detail ?? reason);
    this.reason = reason;
    this.detail = detail;
    this.refusal = refusal;
  }
}

export const wrongProtocol = (detail: string): StartTlsError => new StartTlsError('wrong_protocol', detail);

/** An answer of a server in its protocol. `text` is Latin-1 and unescaped. */
export interface ServerAnswer {
  code: string | null;
  text: string;
}

/** Returns the error for a server without STARTTLS: one that does not list it, or whose `answer` says that it does not know the command. */
export function noStartTls(answer: ServerAnswer | null = null): StartTlsError {
  return new StartTlsError('no_starttls', null, answer && refusalOf(answer, false));
}

/** Returns the error for a server that offers TLS, or may offer it, but refused us. `isTemporary` as in `Refusal`. */
export function serverRefused(answer: ServerAnswer, isTemporary: boolean): StartTlsError {
  return new StartTlsError('server_refused', null, refusalOf(answer, isTemporary));
}

export function refusalOf({ code, text }: ServerAnswer, isTemporary: boolean): Refusal {
  return { code, text: printableExcerpt(text), isTemporary };
}

const MAX_EXCERPT_LENGTH = 200;

/** Returns the start of a Latin-1 text in printable ASCII, with other bytes as `\xNN`; null if the text is empty. */
function printableExcerpt(text: string): string | null {
  let excerpt = '';
  for (const character of text.slice(0, MAX_EXCERPT_LENGTH).trim()) {
    const shown = escaped(character);
    if (excerpt.length + shown.length > MAX_EXCERPT_LENGTH) break;
    excerpt += shown;
  }
  return excerpt === '' ? null : excerpt;
}

function escaped(character: string): string {
  if (character === '\\') return '\\\\';
  if (/^[ -~]$/.test(character)) return character;
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/**
 * Parses one message at the start of the unread bytes. Returns its value and length in bytes, or null while it is
 * incomplete. Throws `StartTlsError` if the bytes can never become a message.
 */
export type Parser<T> = (seen: Buffer) => { value: T; length: number } | null;

/** An exchange of messages over a connected socket: in plain text before TLS, or inside TLS. */
export interface PlaintextSession {
  /** Sends bytes, unless the connection has ended. */
  send(text: string | Uint8Array): void;
  /** Returns the first bytes from the peer as Latin-1, at most 1 KiB, also if they came in an earlier session of the connection. */
  opening(): string;
  /**
   * Reads the peer's next message. Rejects with `StartTlsError` if the connection ends first, the peer sends too much or
   * `parse` throws it.
   */
  take<T>(parse: Parser<T>): Promise<T>;
  /**
   * Rejects with `StartTlsError` if the peer sent anything after its last message or the connection ended. Call this just
   * before the handshake. `refusalIn` is as in `Dialogue`.
   */
  expectSilence(refusalIn?: Dialogue['refusalIn']): Promise<void>;
  /** Returns whether the peer may speak TLS from the first byte: it has sent nothing at all, or a TLS alert (RFC 8446 §5.1). */
  mayExpectTls(): boolean;
  /** Resolves when the client sends something after a message of the server: the server's first message is complete then. */
  firstMessage: Promise<void>;
  /** Returns whether the server has to speak first: nothing was sent to it yet. */
  awaitsGreeting(): boolean;
  /** Removes all listeners and pauses the socket, so that the TLS layer reads the next bytes. */
  end(): void;
}

/** How a protocol gets from plain text to TLS, and how its clients end a session. */
export interface Dialogue {
  /** How the server's first line begins; absent if the client speaks first. */
  greeting?: RegExp;
  /**
   * Returns whether bytes (Latin-1) are the answer of a server of this protocol to LDAP's request for TLS, which we send to find out the protocol
   * of a port. Only for protocols in which the client speaks first; absent if their servers close the connection instead.
   */
  answersLdap?: (words: string) => boolean;
  /**
   * Resolves when the peer has agreed to start TLS, with its reply code if that is not the one of the standard; else rejects with
   * `StartTlsError`. `domain`: name in A-labels, or IP address, that the certificate must be valid for. `ehloName`: ours, for EHLO.
   */
  startTls(session: PlaintextSession, domain: string, ehloName: string): Promise<number | void>;
  /**
   * Returns the error for a line that refuses us right after the server agreed to start TLS; null for other lines. Dovecot sends one
   * if it cannot use its certificate.
   */
  readonly refusalIn?: (line: string) => StartTlsError | null;
  /**
   * Ends the session as clients do, because servers log or count other ends as errors. Resolves when the connection may be closed.
   * Rejects with `StartTlsError` if the server does not take part. Absent if clients just close the connection.
   */
  goodbye?(session: PlaintextSession, domain: string, state: SessionState): Promise<void>;
}

/**
 * Where a session stands before the goodbye. `refused`: in plain text, after the server did not agree to start TLS. `upgraded`: inside
 * TLS, which the dialogue started. `direct`: inside TLS, which started the connection, so that any greeting is still to be read.
 */
export type SessionState = 'refused' | 'upgraded' | 'direct';

/** Maximum bytes received in a session. Real servers send a few kilobytes of greeting and capabilities. */
const MAX_BYTES = 64 * 1024;

/** Content type "alert" and the higher byte of the version, as Latin-1. */
const ALERT_HEAD = '\x15\x03';
const OPENING_BYTES = 1024;

/** Opens a session. `opening`: the result of `opening()` of an earlier session of the same connection. */
export function openPlaintextSession(socket: Socket, opening?: string): PlaintextSession {
  let first = '';
  let unread: Buffer = Buffer.alloc(0);
  let received = 0;
  let sent = 0;
  let taken = 0;
  let ended = socket.destroyed ? new StartTlsError('closed') : null;
  const { promise: firstMessage, resolve: markFirstMessage } = Promise.withResolvers<void>();
  let wake = (): void => undefined;

  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    if (first.length < OPENING_BYTES) first += chunk.toString('latin1', 0, OPENING_BYTES - first.length);
    // Do not buffer beyond the limit: a hostile peer could send until the timeout.
    if (received <= MAX_BYTES) unread = Buffer.concat([unread, chunk]);
    wake();
  };
  const stop = (failure: StartTlsError): void => {
    ended ??= failure;
    wake();
  };
  const onEnd = (): void => stop(new StartTlsError('closed'));
  const onError = (error: NodeJS.ErrnoException): void =>
    stop(new StartTlsError(error instanceof TooManyBytesError ? 'too_large' : 'reset', error.code ?? null));
  socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError);

  return {
    firstMessage,
    awaitsGreeting: () => sent === 0,
    send(text) {
      sent += 1;
      if (taken > 0) markFirstMessage();
      if (ended === null) socket.write(text);
    },
    opening: () => opening ?? first,
    async take(parse) {
      for (;;) {
        if (received > MAX_BYTES)
          throw wrongProtocol(`The server sent more than ${MAX_BYTES} bytes before TLS.`);
        const message = parse(unread);
        if (message !== null) {
          taken += 1;
          unread = unread.subarray(message.length);
          return message.value;
        }
        if (ended !== null) throw ended;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    async expectSilence(refusalIn) {
      // Let the event loop deliver bytes that have already arrived.
      await nextIteration();
      await nextIteration();
      const [line = ''] = unread.toString('latin1', 0, OPENING_BYTES).split(/\r?\n/);
      if (received > MAX_BYTES || unread.length > 0)
        throw refusalIn?.(line) ?? new StartTlsError('starttls_injection');
      if (ended !== null) throw ended;
    },
    mayExpectTls: () => received === 0 || first.startsWith(ALERT_HEAD),
    end() {
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError);
      socket.pause();
    },
  };
}

function nextIteration(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
