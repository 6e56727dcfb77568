import type { ImapFlow, ImapFlowOptions } from 'imapflow';
import { mailServerTls } from './mail-server-tls.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;
/** Maximum number of bytes read of each mail: enough for the headers and the report, which come before the returned mail. */
const MAX_READ_BYTES = 64 * 1024;
const MAX_LITERAL_BYTES = 1024 * 1024;
/** Maximum number of mails per run. The next run reads the others. */
const MAX_BATCH = 200;

/** Result of processing a mail. `done`: the mail is deleted. `left`: the mail stays in the mailbox, marked as read. */
export type ReadOutcome = 'done' | 'left';

/**
 * Passes up to 200 unread mails to `take`. Returns the number that were `done`. Marks or deletes a mail after `take`, so that it stays
 * unread after a crash. `url`: imap(s):// with user, password and mailbox path. @throws Error if the mailbox cannot be used.
 */
export async function readMailbox(
  url: string,
  take: (raw: Buffer) => Promise<ReadOutcome>,
  signal: AbortSignal,
): Promise<number> {
  // Load the library on first use, because most deployments have no bounce mailbox and start faster without it.
  const imap = await import('imapflow');
  signal.throwIfAborted();
  const client = new imap.ImapFlow(connectionTo(new URL(url)));
  const close = () => client.close();
  signal.addEventListener('abort', close, { once: true });
  // Ignore the event, because the failed command rejects as well. Without a listener the event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect().catch(explainTlsFailure);
    const lock = await client.getMailboxLock(mailboxOf(new URL(url)));
    try {
      return await readUnread(client, take, signal);
    } finally {
      lock.release();
    }
  } finally {
    signal.removeEventListener('abort', close);
    if (client.usable) await client.logout().catch(close);
    else close();
  }
}

async function readUnread(
  client: ImapFlow,
  take: (raw: Buffer) => Promise<ReadOutcome>,
  signal: AbortSignal,
): Promise<number> {
  // The client returns false if the server refused the search or closed the connection.
  const unread = await client.search({ seen: false, deleted: false }, { uid: true });
  if (!unread) throw new Error('The mailbox could not be searched.');
  let done = 0;
  for (const uid of unread.slice(0, MAX_BATCH)) {
    if (signal.aborted) break;
    const found = await client.fetchOne(
      String(uid),
      { source: { maxLength: MAX_READ_BYTES } },
      { uid: true },
    );
    if (!found || !found.source) continue;
    const isDone = (await take(found.source)) === 'done';
    const isMarked = isDone
      ? await client.messageDelete(String(uid), { uid: true })
      : await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true });
    if (!isMarked) throw new Error('A mail could not be marked as read.');
    if (isDone) done += 1;
  }
  return done;
}

/** Throws an error that explains that STARTTLS failed, or rethrows an error with another cause. */
function explainTlsFailure(error: unknown): never {
  if (!(error instanceof Error) || !('tlsFailed' in error)) throw error;
  throw new Error(
    `The connection to the mail server could not be encrypted, so the password was not sent: ${error.message}`,
    { cause: error },
  );
}

function connectionTo(url: URL): ImapFlowOptions {
  const { hostname, port, username, password } = url;
  const { secure, requiresStartTls, tls } = mailServerTls(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 993 : 143) : Number(port),
    secure,
    // Without this option, the library uses STARTTLS only if the server offers it.
    ...(requiresStartTls && { doSTARTTLS: true }),
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    logger: false,
    disableAutoIdle: true,
    disableAutoEnable: true,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
    maxLineLength: MAX_LITERAL_BYTES,
    maxLiteralSize: MAX_LITERAL_BYTES,
    maxResponseSize: 2 * MAX_LITERAL_BYTES,
    tls,
  };
}

function mailboxOf({ pathname }: URL): string {
  return decodeURIComponent(pathname.slice(1)) || 'INBOX';
}
