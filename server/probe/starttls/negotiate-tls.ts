import type { Socket } from 'node:net';
import { factsOf, type Protocol, type StartTlsProtocol } from '../../../contract/protocols.ts';
import type { ReachFailure, Refusal } from '../../core/index.ts';
import { withTimeout } from '../../egress/index.ts';
import { BINARY_PROTOCOLS } from './binary-protocols.ts';
import { LINE_PROTOCOLS } from './line-protocols.ts';
import { type Dialogue, openPlaintextSession, StartTlsError } from './plaintext-session.ts';
import { XMPP_PROTOCOLS } from './xmpp.ts';

type StartTlsResult =
  /** `code`: the reply code with which the server agreed, if it is not the one of the standard. */
  | { ok: true; code?: number }
  /** `mayExpectTls` is as in `PlaintextSession`. */
  | {
      ok: false;
      reason: ReachFailure;
      detail: string | null;
      refusal: Refusal | null;
      mayExpectTls: boolean;
    };

interface StartTlsOptions {
  /** As in `Dialogue`. */
  domain: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** The dialogue of each protocol that starts in plain text. */
const DIALOGUES: Record<StartTlsProtocol, Dialogue> = {
  ...LINE_PROTOCOLS,
  ...BINARY_PROTOCOLS,
  ...XMPP_PROTOCOLS,
};

/**
 * Negotiates STARTTLS on a plain-text connection, if the protocol has it. On success the next bytes on the socket belong to
 * the TLS handshake. On failure the caller destroys the socket.
 */
export async function negotiateTls(
  socket: Socket,
  protocol: Protocol,
  { domain, timeoutMs, signal }: StartTlsOptions,
): Promise<StartTlsResult> {
  if (!isStartTls(protocol)) return { ok: true };
  const session = openPlaintextSession(socket);
  const negotiated = DIALOGUES[protocol]
    .startTls(session, domain)
    .then(async (code): Promise<StartTlsResult> => {
      await session.expectSilence();
      return { ok: true, ...(typeof code === 'number' && { code }) };
    });
  try {
    const agreed = await withTimeout(negotiated, { ms: timeoutMs, signal }, null);
    if (agreed !== null) return agreed;
    const mayExpectTls = session.mayExpectTls();
    return { ok: false, reason: 'timeout', detail: null, refusal: null, mayExpectTls };
  } catch (error) {
    if (!(error instanceof StartTlsError)) throw error;
    const { reason, detail, refusal } = error;
    return { ok: false, reason, detail, refusal, mayExpectTls: session.mayExpectTls() };
  } finally {
    session.end();
  }
}

/** Returns the dialogue of a protocol; undefined if it does not start in plain text. */
export function dialogueOf(protocol: Protocol): Dialogue | undefined {
  return isStartTls(protocol) ? DIALOGUES[protocol] : undefined;
}

function isStartTls(protocol: Protocol): protocol is StartTlsProtocol {
  return factsOf(protocol).startTls !== undefined;
}
