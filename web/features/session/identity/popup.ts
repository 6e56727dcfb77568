import { z } from 'zod';
import { OIDC_FAILURES, type OidcFailure } from '../../../../contract/oidc-failure.ts';
import { type PopupOptions, SignInCancelled } from '../../../lib/account/identity.ts';

const CHANNEL_NAME = 'certlantern-sign-in';
const WINDOW = 'popup,width=480,height=680';
const POLL_MS = 500;

const messageSchema = z.discriminatedUnion('type', [
  /** Another tab has opened a sign-in window, which gets the next answer. */
  z.object({ type: z.literal('started') }),
  z.object({ type: z.literal('done') }),
  z.object({ type: z.literal('failed'), failure: z.string() }),
]);
export type SignInMessage = z.infer<typeof messageSchema>;

/** Returns the failure code in the URL. Anybody can craft the URL, so unknown codes are replaced by a general one. */
export function failureOf(code: string): OidcFailure {
  return Object.hasOwn(OIDC_FAILURES, code) ? (code as OidcFailure) : 'failed';
}

/** Tells the page that opened the sign-in window how it ended. */
export function broadcastSignIn(message: SignInMessage): void {
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.postMessage(message);
  channel.close();
}

/** Resolves to the message of /signed-in; null if aborted. */
function waitForAnswer(
  popup: Window,
  onClosed: () => void,
  signal: AbortSignal,
): Promise<SignInMessage | null> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(CHANNEL_NAME);
    const poll = setInterval(() => {
      if (!popup.closed) return;
      clearInterval(poll);
      onClosed();
    }, POLL_MS);
    const end = (answer: SignInMessage | null) => {
      clearInterval(poll);
      channel.close();
      resolve(answer);
    };
    channel.addEventListener('message', (event) => {
      const message = messageSchema.safeParse(event.data);
      if (message.success) end(message.data);
    });
    signal.addEventListener('abort', () => end(null));
  });
}

/**
 * Opens a window at once, because browsers allow it only right after the click, and redirects it to the URL that `addressOf` resolves
 * to. Resolves when /signed-in sends its message: the window may look closed before, if another site cut the reference to it.
 */
export async function signInByPopup(
  addressOf: () => Promise<string>,
  { onClosed = () => undefined, signal }: PopupOptions,
): Promise<void> {
  const popup = window.open('', '_blank', WINDOW);
  if (!popup)
    throw new Error('The browser blocked the sign-in window. Allow popups for this page and try again.');
  const over = new AbortController();
  // Sent before this tab listens, because it would receive its own message.
  broadcastSignIn({ type: 'started' });
  const answer = waitForAnswer(popup, onClosed, AbortSignal.any([over.signal, ...(signal ? [signal] : [])]));
  try {
    popup.location.href = await addressOf();
    const message = await answer;
    if (message?.type === 'done') return;
    const failure = message?.type === 'failed' ? failureOf(message.failure) : 'cancelled';
    throw failure === 'cancelled' ? new SignInCancelled() : new Error(OIDC_FAILURES[failure]);
  } catch (error) {
    popup.close();
    throw error;
  } finally {
    over.abort();
  }
}
