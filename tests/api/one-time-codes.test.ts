import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { createAuthenticatorApp } from '../kit/providers/one-time-codes.ts';
import { type Client, createClient, type Person, type Send, signUp } from '../kit/product/people.ts';
import { enter, resetPassword, signInAtProvider, useCodes } from './identity-acts.ts';
import { startApi } from './test-api.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

/** Does the first step of a sign-in to an account with one-time codes: sends the password. */
async function withPassword(send: Send, { email, password }: Pick<Person, 'email' | 'password'>) {
  const client = createClient(send);
  const answer = (await client.ask(CALLS.signIn, { body: { email, password } })).ok;
  expect(answer).toMatchObject({ twoFactorRedirect: true });
  return client;
}

const tryCode = (client: Client, code: string) => client.ask(CALLS.verifyTotp, { body: { code } });

describeEachDatabase('One-time codes', (open) => {
  it('are required at sign-in once their setup is confirmed', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const provider = await signInAtProvider(api.send, alice);
    const { totpURI, backupCodes } = (
      await provider.ask(CALLS.enableTotp, { body: { password: alice.password } })
    ).ok;
    expect(decodeURIComponent(totpURI)).toMatch(`otpauth://totp/Certlantern:${alice.email}?secret=`);
    expect(backupCodes).toHaveLength(10);
    const stored = JSON.stringify(await api.store.db.selectFrom('twoFactor').selectAll().execute());
    for (const code of backupCodes) {
      expect(code).toMatch(/^[a-zA-Z\d-]{21,}$/);
      expect(stored).not.toContain(code);
    }
    promise('6.5.2');
    promise('6.5.4');
    const app = createAuthenticatorApp(totpURI);
    expect((await tryCode(provider, app.wrong())).problem.code).toBe('invalid_code');
    await signInAtProvider(api.send, alice).then(enter);
    expect((await alice.ask(CALLS.identityMethods)).ok.data.totp).toBe(false);
    expect((await tryCode(provider, app.next())).status).toBe(200);
    expect((await alice.ask(CALLS.identityMethods)).ok.data.totp).toBe(true);

    const client = await withPassword(api.send, alice);
    expect((await client.ask(CALLS.identityToken)).problem.code).toBe('not_authenticated');
    expect((await client.ask(CALLS.newPasskeyOptions)).problem.code).toBe('not_authenticated');
    expect((await tryCode(client, app.wrong())).problem.code).toBe('invalid_code');
    const code = app.next();
    const body = { code: `${code.slice(0, 3)} ${code.slice(3)}`, trustDevice: true };
    expect((await client.ask(CALLS.verifyTotp, { body })).status).toBe(200);
    expect(await enter(client)).toBe(alice.id);
    // No device skips the code, even if it asks to be trusted.
    expect((await client.ask(CALLS.signIn, { body: alice })).ok).toMatchObject({ twoFactorRedirect: true });
  });

  it('one-time codes and backup codes work only once', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const { app, backupCodes } = await useCodes(await signInAtProvider(api.send, alice), alice);
    const code = app.next();
    expect((await tryCode(await withPassword(api.send, alice), code)).status).toBe(200);
    const again = await tryCode(await withPassword(api.send, alice), code);
    expect(again.problem.code).toBe('invalid_code');

    const spend = async () => {
      const client = await withPassword(api.send, alice);
      return client.ask(CALLS.verifyBackupCode, { body: { code: backupCodes[3] ?? '' } });
    };
    expect((await spend()).status).toBe(200);
    expect((await spend()).problem.code).toBe('invalid_code');
    promise('guessing');
    promise('6.4.4');
    promise('6.5.1');
  });

  it('allow five wrong codes per sign-in and ten per account', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const { app } = await useCodes(await signInAtProvider(api.send, alice), alice);
    const guess = (client: Client, index: number) => tryCode(client, String(900_000 + index));

    const first = await withPassword(api.send, alice);
    for (let index = 0; index < 5; index++)
      expect((await guess(first, index)).problem.code).toBe('invalid_code');
    // After five attempts the sign-in has ended.
    expect((await guess(first, 5)).problem.code).toBe('not_authenticated');
    for (let index = 6; index < 10; index++)
      await guess(await withPassword(api.sendFrom(`203.0.${index}.1`), alice), index);
    const last = await withPassword(api.sendFrom('203.0.113.1'), alice);
    const limited = await tryCode(last, app.next());
    expect(limited.problem.code).toBe('too_many_requests');
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(800);
    // The sign-ins of other accounts still work.
    await useCodes(await signInAtProvider(api.sendFrom('203.0.113.1'), bob), bob);
  });

  it('are enabled and disabled only with the password, in a fresh provider session', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const { password } = alice;
    expect((await alice.ask(CALLS.enableTotp, { body: { password } })).problem.code).toBe(
      'not_authenticated',
    );
    const provider = await signInAtProvider(api.send, alice);
    const wrong = { body: { password: 'wrong horse' } };
    expect((await provider.ask(CALLS.enableTotp, wrong)).problem.code).toBe('invalid_credentials');
    await useCodes(provider, alice);
    expect((await provider.ask(CALLS.disableTotp, wrong)).problem.code).toBe('invalid_credentials');
    expect((await alice.ask(CALLS.disableTotp, { body: { password } })).problem.code).toBe(
      'not_authenticated',
    );
    expect((await provider.ask(CALLS.disableTotp, { body: { password } })).status).toBe(200);
    expect((await alice.ask(CALLS.identityMethods)).ok.data.totp).toBe(false);
    const client = createClient(api.send);
    await client.ask(CALLS.signIn, { body: { email: alice.email, password } });
    expect(await enter(client)).toBe(alice.id);
    promise('7.5.1');
  });

  it('cannot be set up for 15 minutes after ten wrong passwords', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    const provider = await signInAtProvider(api.send, alice);
    const attempt = (password: string) => provider.ask(CALLS.enableTotp, { body: { password } });
    for (let index = 0; index < 10; index++) expect((await attempt('wrong horse')).status).toBe(401);
    expect((await attempt(alice.password)).status).toBe(429);
    api.clock.advance(15 * MINUTE_MS);
    expect((await attempt(alice.password)).status).toBe(200);
  });

  it('stay enabled when a verified person resets the password', async () => {
    const api = await startApi(open);
    const alice = await signUp(api.send, { name: 'Alice' });
    await resetPassword(api, alice.email, 'a staple of a battery');
    const reset = { ...alice, password: 'a staple of a battery' };
    const { app } = await useCodes(await signInAtProvider(api.send, reset), reset);
    api.clock.advance(MINUTE_MS);
    await resetPassword(api, alice.email, 'another battery of staples');
    const client = await withPassword(api.send, { ...alice, password: 'another battery of staples' });
    expect((await client.ask(CALLS.identityToken)).problem.code).toBe('not_authenticated');
    expect((await tryCode(client, app.next())).status).toBe(200);
    expect(await enter(client)).toBe(alice.id);
    promise('6.4.3');
  });
});
