import { expect } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { createAuthenticatorApp } from '../kit/providers/one-time-codes.ts';
import { createPasskeyDevice } from '../kit/providers/passkey-device.ts';
import { type Client, createClient, type Person, type Send } from '../kit/product/people.ts';

type Kind = 'verify_email' | 'reset_password' | 'password_changed';

/** Returns the mails of a kind that are queued for an address, oldest first. */
export async function mailsTo(store: Store, recipient: string, kind: Kind) {
  return store.db
    .selectFrom('mails')
    .selectAll()
    .where('recipient', '=', recipient)
    .where('kind', '=', kind)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Returns the token of the newest mailed link. */
export async function mailedToken(
  store: Store,
  recipient: string,
  kind: Exclude<Kind, 'password_changed'>,
): Promise<string> {
  const mail = (await mailsTo(store, recipient, kind)).at(-1);
  if (!mail) throw new Error(`No ${kind} mail for ${recipient}`);
  return new URL((JSON.parse(mail.data ?? '{}') as { url: string }).url).hash.slice(1);
}

/** Requests a password reset and follows the link. */
export async function resetPassword(
  { send, store }: { send: Send; store: Store },
  email: string,
  password: string,
): Promise<void> {
  const client = createClient(send);
  expect((await client.ask(CALLS.requestPasswordReset, { body: { email } })).status).toBe(200);
  const token = await mailedToken(store, email, 'reset_password');
  expect((await client.ask(CALLS.resetPassword, { body: { token, password } })).status).toBe(200);
}

/** Signs in at the identity provider only, which changes of passkeys and one-time codes require. */
export async function signInAtProvider(send: Send, { email, password }: Person): Promise<Client> {
  const client = createClient(send);
  expect((await client.ask(CALLS.signIn, { body: { email, password } })).status).toBe(200);
  return client;
}

/** Switches one-time codes on. The returned app has used up one code. */
export async function useCodes(client: Client, { password }: { password: string }) {
  const { totpURI, backupCodes } = (await client.ask(CALLS.enableTotp, { body: { password } })).ok;
  const app = createAuthenticatorApp(totpURI);
  expect((await client.ask(CALLS.verifyTotp, { body: { code: app.next() } })).status).toBe(200);
  return { app, backupCodes };
}

/** Adds a passkey of a new device and returns the device. */
export async function addPasskey(client: Client, { origin, name }: { origin: string; name?: string }) {
  const device = createPasskeyDevice(origin);
  const options = (await client.ask(CALLS.newPasskeyOptions)).ok;
  const body = { response: device.create(options), ...(name !== undefined && { name }) };
  expect((await client.ask(CALLS.addPasskey, { body })).status).toBe(200);
  return device;
}

/** Tries to sign in with a device's passkey. */
export async function askWithPasskey(client: Client, device: ReturnType<typeof createPasskeyDevice>) {
  const options = (await client.ask(CALLS.passkeySignInOptions)).ok;
  return client.ask(CALLS.passkeySignIn, { body: { response: device.get(options) } });
}

/** Exchanges the provider's session for ours and returns the account's id. */
export async function enter(client: Client): Promise<string> {
  const { token } = (await client.ask(CALLS.identityToken)).ok;
  return (await client.ask(CALLS.openSession, { body: { token } })).ok.data.id;
}
