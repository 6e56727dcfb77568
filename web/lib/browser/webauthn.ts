import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { CredentialJson } from '../../../contract/identity.ts';
import { SignInCancelled } from '../account/identity.ts';
import { loadChunk } from './load-chunk.ts';

/** Returns whether the browser has passkeys. They need a secure context. */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in globalThis;
}

const load = () => import('@simplewebauthn/browser');
const preload = () => void load().catch(() => undefined);

/**
 * Handlers for the button that opens the browser's passkey dialog. They load the code before the click, because browsers open
 * the dialog only shortly after a click.
 */
export const PASSKEY_PRELOAD = { onPointerEnter: preload, onFocus: preload };

/**
 * Maps a WebAuthn error to an error for the user. A closed dialog, a timeout and a missing passkey all become
 * SignInCancelled, because browsers report them alike.
 */
function refusalOf(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('The passkey could not be used.');
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') return new SignInCancelled();
  if (error.name === 'InvalidStateError')
    return new Error('This device already has a passkey for your account.');
  return error;
}

async function ask(run: (library: Awaited<ReturnType<typeof load>>) => Promise<CredentialJson>) {
  const library = await loadChunk(load).catch((error: unknown) => {
    throw new Error('The server could not be reached', { cause: error });
  });
  try {
    return await run(library);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Lets the user choose a passkey and returns its assertion; call it in a click handler. */
export function askForPasskey(optionsJSON: PublicKeyCredentialRequestOptionsJSON): Promise<CredentialJson> {
  return ask(async ({ startAuthentication }) => ({ ...(await startAuthentication({ optionsJSON })) }));
}

/** Lets the user create a passkey; call it in a click handler. */
export function makePasskey(optionsJSON: PublicKeyCredentialCreationOptionsJSON): Promise<CredentialJson> {
  return ask(async ({ startRegistration }) => ({ ...(await startRegistration({ optionsJSON })) }));
}
