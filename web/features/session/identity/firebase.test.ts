import { deleteApp, getApps } from 'firebase/app';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { Identity } from '../../../lib/account/identity.ts';
import { createFirebaseIdentity } from './firebase.ts';

/** The SDK captures `fetch` once when it loads. */
const network = vi.hoisted(() => {
  const before = globalThis.fetch;
  const network = { fetch: before, restore: () => void (globalThis.fetch = before) };
  globalThis.fetch = (...request) => network.fetch(...request);
  return network;
});
// Restore `fetch`, because the test files that follow run in the same process.
afterAll(network.restore);
// The SDK's Node build has no popups.
vi.mock('firebase/auth', async (load) => ({
  ...(await load<object>()),
  browserPopupRedirectResolver: undefined,
}));

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const idToken = `${part({ alg: 'none' })}.${part({ sub: 'u1', exp: Date.now() / 1000 + 3600 })}.`;

/** Stubs Firebase's HTTP API. `answers` is keyed by the last word of the path. */
function serve(answers: Record<string, object | { refusal: string }>): { path: string; body: unknown }[] {
  const calls: { path: string; body: unknown }[] = [];
  network.fetch = async (address, init) => {
    const path = new URL(typeof address === 'string' ? address : 'odd:').pathname.split(/[/:]/).at(-1) ?? '';
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : null;
    calls.push({ path, body });
    const answer = answers[path] ?? { refusal: `UNEXPECTED_${path}` };
    if ('refusal' in answer)
      return Response.json({ error: { code: 400, message: answer.refusal, errors: [] } }, { status: 400 });
    return Response.json(answer);
  };
  return calls;
}

const signedIn = { idToken, refreshToken: 'r', expiresIn: '3600', localId: 'u1' };
const person = { localId: 'u1', email: 'alice@fjord.example', displayName: 'Alice', emailVerified: false };
const known = { lookup: { users: [person] } };

function firebase(): Identity {
  return createFirebaseIdentity({
    provider: 'firebase',
    api_key: 'key',
    auth_domain: 'demo.example',
    project_id: 'demo-project',
    emulator_url: null,
  });
}

afterEach(async () => {
  await Promise.all(getApps().map(deleteApp));
});

describe('Firebase', () => {
  it('returns the ID token after a sign-in with the right password', async () => {
    serve({ ...known, signInWithPassword: signedIn });
    const identity = firebase();
    expect(await identity.signIn('alice@fjord.example', 'horse-77')).toBeNull();
    expect(await identity.proveSignIn()).toEqual({
      token: idToken,
      email: 'alice@fjord.example',
      name: 'Alice',
    });
  });

  it('maps refusals to messages', async () => {
    serve({ signInWithPassword: { refusal: 'INVALID_LOGIN_CREDENTIALS' } });
    const identity = firebase();
    await expect(identity.signIn('alice@fjord.example', 'wrong')).rejects.toThrow('Wrong email or password.');
  });

  it('reports that the sign-in service is not responding', async () => {
    network.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
    const identity = firebase();
    await expect(identity.signIn('alice@fjord.example', 'horse-77')).rejects.toThrow(
      'The sign-in service is not responding.',
    );
  });

  it('stores the name at sign-up and sends the verification email', async () => {
    const calls = serve({ ...known, signUp: signedIn, update: { ...signedIn, ...person }, sendOobCode: {} });
    const identity = firebase();
    await identity.signUp({
      name: 'Alice',
      email: 'alice@fjord.example',
      password: 'horse-77',
      company: '',
      trial: false,
      invite: undefined,
    });
    expect(calls.find(({ path }) => path === 'update')?.body).toMatchObject({ displayName: 'Alice' });
    expect(calls.find(({ path }) => path === 'sendOobCode')?.body).toMatchObject({
      requestType: 'VERIFY_EMAIL',
    });
  });

  it('resumes an interrupted sign-up if the password matches', async () => {
    const refusal = { refusal: 'EMAIL_EXISTS' };
    const alice = {
      name: 'Alice',
      email: 'alice@fjord.example',
      password: 'horse-77',
      company: '',
      trial: false,
      invite: undefined,
    };
    serve({ ...known, signUp: refusal, signInWithPassword: signedIn });
    const identity = firebase();
    expect(await identity.signUp(alice)).toBeNull();
    expect((await identity.proveSignIn()).token).toBe(idToken);

    serve({ signUp: refusal, signInWithPassword: { refusal: 'INVALID_LOGIN_CREDENTIALS' } });
    await expect(identity.signUp(alice)).rejects.toThrow(
      'This address already has an account. Log in instead.',
    );
  });

  it('completes a sign-up even if the verification email fails', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    serve({ ...known, signUp: signedIn, update: signedIn, sendOobCode: { refusal: 'QUOTA_EXCEEDED' } });
    const identity = firebase();
    await identity.signUp({
      name: 'Alice',
      email: 'a@fjord.example',
      password: 'horse-77',
      company: '',
      trial: false,
      invite: undefined,
    });
    expect((await identity.proveSignIn()).token).toBe(idToken);
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });

  it('accepts a password reset for an unknown address without an error', async () => {
    serve({ sendOobCode: { refusal: 'EMAIL_NOT_FOUND' } });
    await firebase().requestPasswordReset('nobody@fjord.example');
    serve({ sendOobCode: { refusal: 'TOO_MANY_ATTEMPTS_TRY_LATER' } });
    await expect(firebase().requestPasswordReset('nobody@fjord.example')).rejects.toThrow(
      'Too many attempts.',
    );
  });

  it('deletes the user who has just signed in, or accepts that the server already deleted the user', async () => {
    const calls = serve({ ...known, signInWithPassword: signedIn, delete: {} });
    const identity = firebase();
    await identity.signIn('alice@fjord.example', 'horse-77');
    await identity.deleteUser();
    expect(calls.at(-1)).toMatchObject({ path: 'delete', body: { idToken } });

    serve({ ...known, signInWithPassword: signedIn, delete: { refusal: 'USER_NOT_FOUND' } });
    await identity.signIn('alice@fjord.example', 'horse-77');
    await identity.deleteUser();
  });

  it('forgets the user after the sign-out', async () => {
    serve({ ...known, signInWithPassword: signedIn });
    const identity = firebase();
    await identity.signIn('alice@fjord.example', 'horse-77');
    await identity.signOut();
    await expect(identity.proveSignIn()).rejects.toThrow('Please log in again.');
  });
});
