import type { Socket } from 'node:net';

import type { Protocol, ReachFailure } from '../core/index.ts';
import { within } from '../egress/index.ts';
import { mysql, postgres } from './starttls/databases.ts';
import { ldap } from './starttls/ldap.ts';
import { imap, pop3, sieve } from './starttls/mailboxes.ts';
import { ftp, nntp, smtp } from './starttls/numbered-replies.ts';
import { startTalk, TalkFailed } from './starttls/talk.ts';
import type { Talk } from './starttls/talk.ts';
import { xmpp } from './starttls/xmpp.ts';

export type ChangeOver = { ok: true } | { ok: false; reason: ReachFailure; detail: string | null };

export interface ChangeOverOptions {
  /** A-labels or an IP address. */
  host: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Each says what it has to and returns when the peer has agreed; it throws `TalkFailed` where that cannot be. */
const PREAMBLES: Partial<
  Record<Protocol, (talk: Talk, peer: { host: string; port: number }) => Promise<void>>
> = { smtp, imap, pop3, ftp, nntp, sieve, xmpp, ldap, postgres, mysql };

/**
 * Talks a plain connection over to TLS; on success the next bytes on the socket are those of a handshake. On failure the
 * caller destroys the socket.
 */
export async function changeOver(
  socket: Socket,
  protocol: Protocol,
  { host, timeoutMs, signal }: ChangeOverOptions,
): Promise<ChangeOver> {
  const preamble = PREAMBLES[protocol];
  if (preamble === undefined) return { ok: true };
  const talk = startTalk(socket);
  const changed = preamble(talk, { host, port: socket.remotePort ?? 0 }).then(() => talk.expectSilence());
  try {
    const late: ChangeOver = { ok: false, reason: 'timeout', detail: null };
    return await within(
      changed.then((): ChangeOver => ({ ok: true })),
      { ms: timeoutMs, signal },
      late,
    );
  } catch (error) {
    if (!(error instanceof TalkFailed)) throw error;
    return { ok: false, reason: error.reason, detail: error.detail };
  } finally {
    talk.end();
  }
}
