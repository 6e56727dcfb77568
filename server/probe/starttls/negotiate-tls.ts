import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  type DialogueLimits,
  factsOf,
  type Protocol,
  PROTOCOLS,
  type StartTlsProtocol,
} from '../../../contract/protocols.ts';
import type { ReachFailure, Refusal } from '../../core/observation.ts';
import { serviceOf } from '../../core/protocol.ts';
import { type CheckedEndpoint, effectiveTarget } from '../../core/target.ts';
import { withTimeout } from '../../egress/with-timeout.ts';
import { BINARY_PROTOCOLS } from './binary-protocols.ts';
import { ehloName, type OwnNames } from './ehlo-name.ts';
import { LINE_PROTOCOLS } from './line-protocols.ts';
import {
  type Dialogue,
  openPlaintextSession,
  type PlaintextSession,
  type SessionState,
  StartTlsError,
} from './plaintext-session.ts';
import { XMPP_PROTOCOLS } from './xmpp.ts';

type StartTlsResult =
  /**
   * `opening`: first bytes of the dialogue in plain text; null if there was none. `code`: the reply code with which the server agreed, if
   * it is not the one of the standard.
   */
  | { ok: true; opening: string | null; code?: number }
  /** `mayExpectTls` is as in `PlaintextSession`. */
  | {
      ok: false;
      reason: ReachFailure;
      detail: string | null;
      refusal: Refusal | null;
      mayExpectTls: boolean;
    };

export interface DialogueTiming {
  /** Replacements for limits of the protocol. */
  limits?: Partial<DialogueLimits>;
  /** Calls `onSlow` when the dialogue has taken `afterMs`. It may then still take as long as its limits allow. */
  slow?: { afterMs: number; onSlow: () => void };
  /** If the server has sent nothing after `afterMs`, `speaksTls` is called. The dialogue ends if it resolves to true. */
  silence?: { afterMs: number; speaksTls: () => Promise<boolean> } | undefined;
}

interface StartTlsOptions extends DialogueTiming {
  /** As in `Dialogue`. */
  domain: string;
  /** How to introduce ourselves to mail servers. Default: with our address; behind NAT with a name that reveals nothing. */
  ownNames?: OwnNames | undefined;
  signal: AbortSignal;
}

const NO_NAMES: OwnNames = { ehloName: null, publicHost: 'localhost' };

/** The dialogue of each protocol that starts in plain text. */
const DIALOGUES: Record<StartTlsProtocol, Dialogue> = {
  ...LINE_PROTOCOLS,
  ...BINARY_PROTOCOLS,
  ...XMPP_PROTOCOLS,
};

/** Maximum time to wait for the end of a session in plain text, ms. */
const REFUSED_GOODBYE_MS = 1_000;
/** Maximum time of a goodbye inside TLS, ms. Some servers delay their greeting, for example to look our address up in block lists. */
const GOODBYE_MS = 10_000;
/** Maximum number of simultaneous goodbyes that may take as long as a slow greeting. It limits how many connections silent servers keep open. */
const MAX_PATIENT_GOODBYES = 256;
let patientGoodbyes = 0;

/**
 * Negotiates STARTTLS on a plain-text connection, if the protocol has it. On success the next bytes on the socket belong to the TLS
 * handshake. On failure the caller closes the socket; if the server has answered in its protocol, we have ended the session with a goodbye.
 */
export async function negotiateTls(
  socket: Socket,
  protocol: Protocol,
  { domain, ownNames = NO_NAMES, signal, limits, slow, silence }: StartTlsOptions,
): Promise<StartTlsResult> {
  if (!isStartTls(protocol)) return { ok: true, opening: null };
  const { greetingMs, dialogueMs } = { ...PROTOCOLS[protocol].startTls.limits, ...limits };
  const startedAt = performance.now();
  const slowTimer = slow && setTimeout(slow.onSlow, slow.afterMs);
  const dialogue = DIALOGUES[protocol];
  const session = openPlaintextSession(socket);
  const { promise: wrongMode, resolve: endDialogue, reject } = Promise.withResolvers<null>();
  const silenceTimer =
    silence &&
    setTimeout(() => {
      if (!session.mayExpectTls()) return;
      silence.speaksTls().then((isTls) => isTls && session.mayExpectTls() && endDialogue(null), reject);
    }, silence.afterMs);
  const negotiated = dialogue
    .startTls(session, domain, ehloName(socket, ownNames))
    .then(async (code): Promise<StartTlsResult> => {
      await session.expectSilence(dialogue.refusalIn);
      return { ok: true, opening: session.opening(), ...(typeof code === 'number' && { code }) };
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
    if ((await withTimeout(Promise.race([begun, wrongMode]), { ms: greetingMs, signal }, null)) === null)
      return late(session.awaitsGreeting() ? 'greeting_timeout' : 'timeout');
    const leftMs = dialogueMs - (performance.now() - startedAt);
    return (await withTimeout(negotiated, { ms: leftMs, signal }, null)) ?? late('timeout');
  } catch (error) {
    if (!(error instanceof StartTlsError)) throw error;
    const { reason, detail, refusal } = error;
    if (reason === 'no_starttls' || reason === 'server_refused')
      await endSession(dialogue, { session, domain, state: 'refused' }, { ms: REFUSED_GOODBYE_MS, signal });
    return { ok: false, reason, detail, refusal, mayExpectTls: session.mayExpectTls() };
  } finally {
    clearTimeout(slowTimer);
    clearTimeout(silenceTimer);
    session.end();
  }
}

/**
 * Says goodbye inside TLS, as clients of the endpoint's service do. `opening`: as `negotiateTls` returned it. Resolves when the connection
 * may be closed, after at most a minute. Never rejects.
 */
export async function sayGoodbye(
  tls: TLSSocket,
  { endpoint, opening }: { endpoint: CheckedEndpoint; opening: string | null },
  signal: AbortSignal,
): Promise<void> {
  const dialogue = dialogueOf(serviceOf(endpoint));
  if (dialogue === undefined) return;
  const session = openPlaintextSession(tls, opening ?? undefined);
  const { verifyName: domain } = effectiveTarget(endpoint);
  const state = opening === null ? 'direct' : 'upgraded';
  const isPatient = state === 'direct' && patientGoodbyes < MAX_PATIENT_GOODBYES;
  const { greetingMs = GOODBYE_MS } = factsOf(serviceOf(endpoint)).startTls?.limits ?? {};
  patientGoodbyes += Number(isPatient);
  await endSession(dialogue, { session, domain, state }, { ms: isPatient ? greetingMs : GOODBYE_MS, signal });
  patientGoodbyes -= Number(isPatient);
  session.end();
}

/** Ends a session. Ignores all errors, because the result of the check is already known. */
async function endSession(
  dialogue: Dialogue,
  { session, domain, state }: { session: PlaintextSession; domain: string; state: SessionState },
  limit: { ms: number; signal: AbortSignal },
): Promise<void> {
  const ended = dialogue.goodbye?.(session, domain, state).catch(() => undefined);
  await withTimeout(Promise.resolve(ended), limit, undefined);
}

/** Returns the dialogue of a protocol; undefined if it does not start in plain text. */
export function dialogueOf(protocol: Protocol): Dialogue | undefined {
  return isStartTls(protocol) ? DIALOGUES[protocol] : undefined;
}

function isStartTls(protocol: Protocol): protocol is StartTlsProtocol {
  return factsOf(protocol).startTls !== undefined;
}
