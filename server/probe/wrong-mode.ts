import type { SecureContext } from 'node:tls';
import { factsOf, type Protocol, PROTOCOL_NAMES } from '../../contract/protocols.ts';
import type { FailedObservation } from '../core/observation.ts';
import { protocolOfPort } from '../core/protocol.ts';
import { effectiveTarget } from '../core/target.ts';
import { openConnection } from '../egress/open-connection.ts';
import { withTimeout } from '../egress/with-timeout.ts';
import type { ConnectOptions, ConnectResult } from './handshake.ts';
import { LDAP_START_TLS } from './starttls/binary-protocols.ts';
import { dialogueOf, negotiateTls } from './starttls/negotiate-tls.ts';
import { openPlaintextSession, type Parser, StartTlsError } from './starttls/plaintext-session.ts';
import { legacyContext } from './tls-contexts.ts';

const MAX_BYTES = 16 * 1024;

type Refusal = Extract<ConnectResult, { ok: false }>;

/** `modeStepMs`: time limit in ms for each step of finding out whether a port starts with TLS or in plain text. */
export type ModeOptions = ConnectOptions & { modeStepMs: number };

/**
 * Returns what to say about a failed attempt: that the port expects TLS at once, that it starts in plain text, or else the failure
 * itself. Finds out with one more connection, and only if the failure may come from the wrong mode.
 */
export async function explainMode(
  { failure, mayExpectTls }: Refusal,
  options: ModeOptions,
  findTlsScheme: () => Promise<string | null>,
): Promise<Refusal['failure']> {
  const scheme = mayExpectTls ? await findTlsScheme() : await probePlaintextScheme(failure, options);
  if (scheme === null) return failure;
  const reason = mayExpectTls ? 'expects_tls' : 'not_tls';
  return { ...failure, reason, scheme };
}

const firstOf = (schemes: Readonly<Record<string, number>> = {}): string | null =>
  Object.keys(schemes)[0] ?? null;

/** Returns the scheme of the same service with direct TLS, if the server answers a ClientHello with TLS; else null. */
export async function probeTlsScheme(
  options: ModeOptions,
  connect: (approach: ConnectOptions, context: SecureContext) => Promise<ConnectResult>,
): Promise<string | null> {
  const scheme = firstOf(factsOf(options.endpoint.protocol).direct?.schemes);
  if (scheme === null) return null;
  const endpoint = { ...options.endpoint, protocol: 'tls' as const };
  const direct = await connect({ ...options, ...limits(options), endpoint }, legacyContext);
  if (direct.ok) await direct.close();
  return direct.ok || direct.failure.tlsAlert !== null ? scheme : null;
}

const limits = ({ connectTimeoutMs, handshakeTimeoutMs, modeStepMs }: ModeOptions) => ({
  connectTimeoutMs: Math.min(connectTimeoutMs, modeStepMs),
  handshakeTimeoutMs: Math.min(handshakeTimeoutMs, modeStepMs),
});

/** Returns the scheme of the protocol that a direct TLS port speaks in plain text; null if the server shows none. */
async function probePlaintextScheme(
  { stage, reason }: Pick<FailedObservation, 'stage' | 'reason'>,
  options: ModeOptions,
): Promise<string | null> {
  const isSuspect = stage === 'handshake' && ['not_tls', 'closed', 'reset'].includes(reason);
  if (options.endpoint.protocol !== 'tls' || !isSuspect) return null;
  const { address, policy, signal } = options;
  const { connectTo, verifyName } = effectiveTarget(options.endpoint);
  const { connectTimeoutMs: timeoutMs, handshakeTimeoutMs: ms } = limits(options);
  const opened = await openConnection({
    address,
    port: connectTo.port,
    policy,
    signal,
    timeoutMs,
    maxBytes: MAX_BYTES,
  });
  if (!opened.ok) return null;
  const usual = protocolOfPort(connectTo.port);
  const dialogue = dialogueOf(usual);
  try {
    if (dialogue !== undefined && dialogue.greeting === undefined) {
      const { ok } = await negotiateTls(opened.socket, usual, {
        domain: verifyName,
        limits: { greetingMs: ms, dialogueMs: ms },
        signal,
      });
      return ok ? firstOf(factsOf(usual).schemes) : null;
    }
    const session = openPlaintextSession(opened.socket);
    const hear = (parse: Parser<string>): Promise<string | null> =>
      withTimeout(session.take(parse).catch(nothingHeard), { ms, signal }, null);
    const greeting = await hear(firstLine);
    if (greeting === null) session.send(LDAP_START_TLS);
    const answer = greeting ?? (await hear(firstElement));
    session.end();
    const protocol = answer === null ? undefined : protocolSaying(answer, usual);
    return protocol === undefined ? null : firstOf(factsOf(protocol).schemes);
  } finally {
    opened.socket.destroy();
  }
}

/** Number of bytes from a server in which we look for signs of its protocol. */
const WORDS_BYTES = 512;

const wordsUntil =
  (isComplete: (words: string) => boolean): Parser<string> =>
  (seen) => {
    const words = seen.toString('latin1', 0, WORDS_BYTES);
    return isComplete(words) || seen.length >= WORDS_BYTES ? { value: words, length: seen.length } : null;
  };

const firstLine = wordsUntil((words) => words.includes('\n'));
/** Parser that waits for the first bytes of a BER element, or for an XML stream up to the end of its start tag. */
const firstElement = wordsUntil((words) => {
  const stream = words.indexOf('<stream:stream');
  return words.startsWith('0') ? words.length > 9 : stream !== -1 && words.includes('>', stream);
});

function nothingHeard(error: unknown): null {
  if (error instanceof StartTlsError) return null;
  throw error;
}

/**
 * Returns the protocol whose servers send this greeting. If it begins with 220, which several protocols use: the protocol of the port, else the one
 * that the greeting names, else SMTP.
 */
function protocolSaying(words: string, usual: Protocol): Protocol | undefined {
  const candidates = PROTOCOL_NAMES.filter((name) => {
    const { greeting, answersLdap } = dialogueOf(name) ?? {};
    return greeting?.test(words) ?? answersLdap?.(words) ?? false;
  });
  const isNamed = (name: Protocol): boolean => words.toUpperCase().includes(name.toUpperCase());
  return candidates.includes(usual) ? usual : (candidates.find(isNamed) ?? candidates[0]);
}
