import type { Socket } from 'node:net';
import {
  type DialogueLimits,
  factsOf,
  PROTOCOLS,
  type Protocol,
  type StartTlsProtocol,
} from '../../../contract/protocols.ts';
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

export interface DialoguePatience {
  /** Replacements for limits of the protocol. */
  limits?: Partial<DialogueLimits>;
  /** When to call `onSlow`: the dialogue then already takes `afterMs`, and may take as long as its limits allow. */
  slow?: { afterMs: number; onSlow: () => void };
}

interface StartTlsOptions extends DialoguePatience {
  /** As in `Dialogue`. */
  domain: string;
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
  { domain, signal, limits, slow }: StartTlsOptions,
): Promise<StartTlsResult> {
  if (!isStartTls(protocol)) return { ok: true };
  const { greetingMs, dialogueMs } = { ...PROTOCOLS[protocol].startTls.limits, ...limits };
  const startedAt = performance.now();
  const slowTimer = slow && setTimeout(slow.onSlow, slow.afterMs);
  const session = openPlaintextSession(socket);
  const negotiated = DIALOGUES[protocol]
    .startTls(session, domain)
    .then(async (code): Promise<StartTlsResult> => {
      await session.expectSilence();
      return { ok: true, ...(typeof code === 'number' && { code }) };
    });
  const late = (reason: ReachFailure): StartTlsResult => ({
    ok: false,
    reason: signal.aborted ? 'slow_answers' : reason,
    detail: null,
    refusal: null,
    mayExpectTls: !signal.aborted && session.mayExpectTls(),
  });
  try {
    const begun = Promise.race([session.firstMessage, negotiated]).then(() => 'begun' as const);
    if ((await withTimeout(begun, { ms: greetingMs, signal }, null)) === null)
      return late(session.awaitsGreeting() ? 'greeting_timeout' : 'timeout');
    const leftMs = dialogueMs - (performance.now() - startedAt);
    return (await withTimeout(negotiated, { ms: leftMs, signal }, null)) ?? late('timeout');
  } catch (error) {
    if (!(error instanceof StartTlsError)) throw error;
    const { reason, detail, refusal } = error;
    return { ok: false, reason, detail, refusal, mayExpectTls: session.mayExpectTls() };
  } finally {
    clearTimeout(slowTimer);
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
