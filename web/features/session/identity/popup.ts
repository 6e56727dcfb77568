import { z } from 'zod';
import { OIDC_FAILURES } from '../../../../contract/oidc-failure.ts';
import type { OidcFailure } from '../../../../contract/oidc-failure.ts';
import { SignInCancelled } from '../../../lib/identity.ts';
import type { PopupOptions } from '../../../lib/identity.ts';

const CHANNEL_NAME = 'certlantern-sign-in';
const WINDOW = 'popup,width=480,height=680';
const LOOK_EVERY_MS = 500;

const messageSchema = z.discriminatedUnion('type', [
  /** Another tab has opened a window: the next answer is for that one. */
  z.object({ type: z.literal('started') }),
  z.object({ type: z.literal('done') }),
  z.object({ type: z.literal('failed'), failure: z.string() }),
]);
export type SignInMessage = z.infer<typeof messageSchema>;

/** Of the words in an address only the known ones: it may come from anybody. */
export function failureOf(code: string): OidcFailure {
  return Object.hasOwn(OIDC_FAILURES, code) ? (code as OidcFailure) : 'failed';
}

/** Tells the page that opened the sign-in window how it ended. */
export function announceSignIn(message: SignInMessage): void {
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.postMessage(message);
  channel.close();
}

/** What /signed-in tells; null when nobody waits any longer. */
function waitForAnswer(
  popup: Window,
  onClosed: () => void,
  signal: AbortSignal,
): Promise<SignInMessage | null> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(CHANNEL_NAME);
    const look = setInterval(() => {
      if (!popup.closed) return;
      clearInterval(look);
      onClosed();
    }, LOOK_EVERY_MS);
    const end = (answer: SignInMessage | null) => {
      clearInterval(look);
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
 * Opens a window, leads it to the address that `addressOf` resolves to, and waits for what the page /signed-in tells. The
 * window opens before the address is known, while the click still counts. Browsers may cut the tie to it on its way
 * through other sites, so that it looks closed: only /signed-in says how it ended.
 */
export async function signInByPopup(
  addressOf: () => Promise<string>,
  { onClosed = () => undefined, signal }: PopupOptions,
): Promise<void> {
  const popup = window.open('', '_blank', WINDOW);
  if (!popup)
    throw new Error('The browser blocked the sign-in window. Allow popups for this page and try again.');
  const over = new AbortController();
  // Before listening, as it would be heard here too.
  announceSignIn({ type: 'started' });
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
