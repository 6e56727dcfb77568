import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { spec } from '../../../../tests/spec/spec.ts';
import { createBuiltInIdentity } from './built-in.ts';

/** Stubs the server's routes below /api/identity. A number as the answer refuses the call with that status. */
function serve(answers: Record<string, object | number>): string[] {
  const calls: string[] = [];
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const route = path.slice('/api/identity'.length);
    calls.push(`${init.method} ${route} ${typeof init.body === 'string' ? init.body : ''}`.trim());
    const answer = answers[route] ?? 404;
    if (answer instanceof Response) return answer;
    return typeof answer === 'number' ? new Response('', { status: answer }) : Response.json(answer);
  });
  return calls;
}

const user = { id: 'u1', email: 'alice@fjord.example', name: 'Ålice' };
const claims = Buffer.from(JSON.stringify({ email: user.email, name: user.name })).toString('base64url');

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the built-in provider', () => {
  it('signs in with only a password', async () => {
    const calls = serve({ '/sign-in/email': { user } });
    expect(await createBuiltInIdentity().signIn(user.email, 'horse-77')).toBeNull();
    expect(calls).toEqual(['POST /sign-in/email {"email":"alice@fjord.example","password":"horse-77"}']);
  });

  it('asks for a code if the account has an authenticator app', async () => {
    const calls = serve({
      '/sign-in/email': { twoFactorRedirect: true },
      '/two-factor/verify-totp': {},
      '/two-factor/verify-backup-code': {},
    });
    const step = await createBuiltInIdentity().signIn(user.email, 'horse-77');
    await step?.enter('123456', 'app');
    await step?.enter('abc-def', 'backup');
    expect(calls.slice(1)).toEqual([
      'POST /two-factor/verify-totp {"code":"123456"}',
      'POST /two-factor/verify-backup-code {"code":"abc-def"}',
    ]);
  });

  it('resumes an interrupted sign-up if the password matches', async () => {
    const detail = 'This address already has an account.';
    const problem = {
      type: 'about:blank',
      title: 'Taken',
      status: 409,
      code: 'email_taken',
      request_id: 'r',
      detail,
    };
    const taken = Response.json(problem, { status: 409 });
    const person = {
      name: 'Ålice',
      email: user.email,
      password: 'horse-77',
      company: '',
      trial: false,
      invite: undefined,
    };
    const calls = serve({ '/sign-up/email': taken.clone(), '/sign-in/email': { user } });
    expect(await createBuiltInIdentity().signUp(person)).toBeNull();
    expect(calls.at(-1)).toBe('POST /sign-in/email {"email":"alice@fjord.example","password":"horse-77"}');

    serve({ '/sign-up/email': taken.clone(), '/sign-in/email': 401 });
    await expect(createBuiltInIdentity().signUp(person)).rejects.toThrow(
      'This address already has an account.',
    );
  });

  it("returns the ID token with the user's address and name", async () => {
    serve({ '/token': { token: `header.${claims}.signature` } });
    expect(await createBuiltInIdentity().proveSignIn()).toEqual({
      token: `header.${claims}.signature`,
      email: user.email,
      name: user.name,
    });
  });

  it('says that the server could not be reached or that its response was unexpected', async () => {
    const brokenOff = new ReadableStream({
      pull: (controller) => controller.error(new TypeError('network error')),
    });
    vi.stubGlobal('fetch', async () => new Response(brokenOff));
    const signIn = () => createBuiltInIdentity().signIn(user.email, 'horse-77');
    await expect(signIn()).rejects.toThrow('The server could not be reached');
    vi.stubGlobal('fetch', async () => new Response('<html>'));
    await expect(signIn()).rejects.toThrow('The server sent an unexpected response');
  });

  it('waits at most 30 s for every answer', async () => {
    const calls = serve({
      '/sign-in/email': { twoFactorRedirect: true },
      '/two-factor/verify-totp': {},
      '/two-factor/verify-backup-code': {},
      '/sign-up/email': { user },
      '/token': { token: `header.${claims}.signature` },
      '/request-password-reset': { data: null },
      '/sign-out': {},
    });
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    onTestFinished(() => timeout.mockRestore());
    const identity = createBuiltInIdentity();
    const { email, name } = user;
    const step = await identity.signIn(email, 'horse-77');
    await step?.enter('123456', 'app');
    await step?.enter('abc-def', 'backup');
    await identity.signUp({
      name,
      email,
      password: 'horse-77',
      company: '',
      trial: false,
      invite: undefined,
    });
    await identity.proveSignIn();
    await identity.requestPasswordReset(email);
    await identity.signOut();
    expect(calls).toHaveLength(7);
    expect(timeout.mock.calls.flat()).toEqual(calls.map(() => 30_000));
    spec('9.20', 'Calls to the identity provider end after 30 s, on phones too (decision 31)');
  });

  it('accepts a sign-out without a session, and reports a sign-out that failed', async () => {
    serve({ '/sign-out': 401 });
    await createBuiltInIdentity().signOut();
    serve({ '/sign-out': 503 });
    await expect(createBuiltInIdentity().signOut()).rejects.toThrow('Service Unavailable');
  });
});
