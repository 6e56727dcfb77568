import { z } from 'zod';
import { identityMethodsSchema, totpSetupSchema } from '../../../../contract/identity.ts';
import type { IdentityMethodsWire } from '../../../../contract/identity.ts';
import { api } from '../../../lib/api-client.ts';
import { errorOf, send } from '../../../lib/http.ts';
import { makePasskey } from '../../../lib/webauthn.ts';

const methodsAnswer = z.object({ data: identityMethodsSchema });

/** How the signed-in user can sign in. */
export async function fetchSignInMethods(signal: AbortSignal): Promise<IdentityMethodsWire> {
  return (await api('/identity/methods', { schema: methodsAnswer, signal })).data;
}

/** With the provider's own cookie: a 401 means that one has to sign in with it again, not that the session ended. */
async function change(path: string, body?: object): Promise<unknown> {
  const response = await send(`/api/identity${path}`, body ? { method: 'POST', body } : {});
  if (!response.ok) throw await errorOf(response);
  return await response.json();
}

export interface AuthenticatorSetup {
  /** The `otpauth:` address that authenticator apps take. */
  address: string;
  /** Base32, as people type it. */
  secret: string;
  /** Each works once. */
  backupCodes: string[];
}

/** Begins with an authenticator app; nothing changes until a code of it was confirmed. */
export async function beginAuthenticator(password: string): Promise<AuthenticatorSetup> {
  const setup = totpSetupSchema.parse(await change('/two-factor/enable', { password }));
  const secret = new URL(setup.totpURI).searchParams.get('secret') ?? '';
  return { address: setup.totpURI, secret, backupCodes: setup.backupCodes };
}

/** From now on every login with the password asks for a code. */
export async function confirmAuthenticator(code: string): Promise<void> {
  await change('/two-factor/verify-totp', { code });
}

/** Logins with the password ask for nothing more; the backup codes are void. */
export async function removeAuthenticator(password: string): Promise<void> {
  await change('/two-factor/disable', { password });
}

/** Makes a passkey and keeps it under `name`; call it from a click. */
export async function addPasskey(name: string): Promise<void> {
  const options = await change('/passkey/generate-register-options');
  const response = await makePasskey(options as PublicKeyCredentialCreationOptionsJSON);
  await change('/passkey/verify-registration', { response, name });
}

/** Forgets a passkey; the device keeps its half, which opens nothing any more. */
export async function removePasskey(id: string): Promise<void> {
  await change('/passkey/delete-passkey', { id });
}
