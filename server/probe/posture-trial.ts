import type { SecureContext } from 'node:tls';
import { connectTls } from './address-probe.ts';
import type { ConnectOptions, ConnectResult, HandshakeEvidence } from './handshake.ts';

/**
 * Result of one extra handshake; `unknown` if it shows nothing about the tested feature, for example after a timeout.
 */
export type Trial =
  { state: 'accepted'; evidence: HandshakeEvidence } | { state: 'refused' } | { state: 'unknown' };
export type Attempt = (context: SecureContext, alpn?: Pick<ConnectOptions, 'alpn'>) => Promise<Trial>;

export const UNKNOWN: Trial = { state: 'unknown' };

/** Performs one extra handshake, each step of which may take `limitMs`. */
export async function attemptHandshake(
  approach: ConnectOptions,
  context: SecureContext,
  limitMs: number,
): Promise<Trial> {
  const { connectTimeoutMs, handshakeTimeoutMs } = approach;
  const secured = await connectTls(
    {
      ...approach,
      connectTimeoutMs: Math.min(connectTimeoutMs, limitMs),
      handshakeTimeoutMs: Math.min(handshakeTimeoutMs, limitMs),
      dialogue: { limits: { greetingMs: limitMs, dialogueMs: limitMs } },
    },
    context,
  );
  if (!secured.ok) return { state: isRejection(secured) ? 'refused' : 'unknown' };
  await secured.close();
  return { state: 'accepted', evidence: secured.evidence };
}

/** Returns whether the handshake failed for a reason that counts as a rejection: any but a timeout or too many bytes. */
function isRejection({ failure }: Extract<ConnectResult, { ok: false }>): boolean {
  return failure.stage === 'handshake' && failure.reason !== 'timeout' && failure.reason !== 'too_large';
}
