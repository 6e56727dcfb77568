import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PublicConfig } from '../../../contract/public-config.ts';
import type { Identity } from '../../lib/account/identity.ts';
import { AUTH_RECORD_KEY } from './auth-record.ts';
import { onOtherTabSession, type SessionChange } from './session.ts';
import { spec } from '../../../tests/spec/spec.ts';
import { browserTimeZone } from '../../lib/format.ts';

const alice = {
  id: 'a1',
  email: 'alice@fjord.example',
  full_name: 'Alice',
  photo_url: null,
  paddle_id: '',
  company_name: '',
};

type Answer = () => Response | Promise<Response>;
let answers: Record<string, Answer>;
let calls: string[];
const items = new Map<string, string>();

/** Simulates a page load: fresh modules and a fresh encryption key, with the same session storage. */
const loadPage = async () => {
  vi.resetModules();
  return await import('./session.ts');
};

beforeEach(() => {
  items.clear();
  calls = [];
  answers = {};
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  });
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const zone = new Headers(init.headers).get('time-zone') ?? '';
    calls.push(`${path} ${typeof init.body === 'string' ? init.body : ''} ${zone}`.trim());
    return answers[path]?.() ?? new Response('', { status: 404 });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const identity = (name: string) =>
  ({
    proveSignIn: async () => ({ token: 'id-token', email: alice.email, name }),
  }) as Partial<Identity> as Identity;

describe('the current user at the start of a page', () => {
  it('comes from the stored record, without a call, if the record can be decrypted', async () => {
    answers['/api/user/me'] = () => Response.json({ data: alice });
    const page = await loadPage();
    await page.checkCurrentUser();
    expect(await page.checkCurrentUser()).toMatchObject({ id: 'a1', fullName: 'Alice' });
    expect(calls).toEqual(['/api/user/me']);
    spec('4S.02', 'A record that decrypts gives the user back');
  });

  it('is requested if there is no record', async () => {
    answers['/api/user/me'] = () => Response.json({ data: alice });
    expect(await (await loadPage()).checkCurrentUser()).toMatchObject({ id: 'a1' });
    expect(calls).toEqual(['/api/user/me']);
    spec('4S.03', 'Without a record the server is asked');
  });

  it('is requested if the record is from an earlier page load, and the record is replaced', async () => {
    answers['/api/user/me'] = () => Response.json({ data: alice });
    await (await loadPage()).checkCurrentUser();
    const before = items.get(AUTH_RECORD_KEY);
    expect(await (await loadPage()).checkCurrentUser()).toMatchObject({ id: 'a1' });
    expect(calls).toHaveLength(2);
    expect(items.get(AUTH_RECORD_KEY)).not.toBe(before);
    spec('4S.04', 'A record that does not decrypt is removed, and the server asked');
    spec('4S.05', 'The record’s key is random and made at each page load');
  });

  it('is null if the server reports no user, and the record is removed', async () => {
    items.set(AUTH_RECORD_KEY, 'tampered.with');
    answers['/api/user/me'] = () => Response.json({ data: null });
    expect(await (await loadPage()).checkCurrentUser()).toBeNull();
    expect(items.has(AUTH_RECORD_KEY)).toBe(false);
  });

  it('is null if the request fails, which is logged', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    answers['/api/user/me'] = () => Promise.reject(new TypeError('offline'));
    expect(await (await loadPage()).checkCurrentUser()).toBeNull();
    expect(warn).toHaveBeenCalledOnce();
  });
});

describe('a refresh of the session', () => {
  const refreshed = { ...alice, full_name: 'Alice Berg' };

  /** Makes a call that is refused until the session has been refreshed. Returns the users that `followRefreshes` reported. */
  async function refreshOnce(refresh: Answer) {
    let isFresh = false;
    answers = {
      '/api/user/me': () => (isFresh ? Response.json({ data: null }) : new Response('', { status: 401 })),
      '/api/auth/refresh': () => {
        isFresh = true;
        return refresh();
      },
    };
    const page = await loadPage();
    const reported: unknown[] = [];
    onTestFinished(page.followRefreshes((user) => reported.push(user)));
    await page.fetchCurrentUser().catch(() => null);
    return { page, reported };
  }

  it('stores the user again, encrypted', async () => {
    const { page, reported } = await refreshOnce(() => Response.json({ data: refreshed }));
    expect(items.get(AUTH_RECORD_KEY)).toMatch(/^[A-Za-z0-9+/]{16}\.[A-Za-z0-9+/]+=*$/);
    const sent = calls.length;
    expect(await page.checkCurrentUser()).toMatchObject({ id: 'a1', fullName: 'Alice Berg' });
    expect(calls).toHaveLength(sent);
    spec('4S.08', 'After a refresh the user is stored again, encrypted');
    expect(reported).toMatchObject([{ fullName: 'Alice Berg' }]);
  });

  it('removes the stored record if the server refuses the refresh', async () => {
    items.set(AUTH_RECORD_KEY, 'of.before');
    const { reported } = await refreshOnce(() => new Response('', { status: 401 }));
    expect(items.has(AUTH_RECORD_KEY)).toBe(false);
    expect(reported).toEqual([null]);
  });
});

describe('opening a session', () => {
  it('exchanges the token with the name from the form or the provider', async () => {
    answers['/api/auth/firebase'] = () => Response.json({ data: alice });
    const page = await loadPage();
    await page.openSession(identity('Alice G'), { method: 'google' });
    await page.openSession(identity(''), {
      method: 'password',
      name: 'Alice',
      company: 'Fjord',
      trial: true,
      invite: 'code',
    });
    expect(calls).toEqual([
      `/api/auth/firebase {"token":"id-token","name":"Alice G","company":null} ${browserTimeZone()}`,
      `/api/auth/firebase {"token":"id-token","name":"Alice","company":"Fjord","invite":"code"} ${browserTimeZone()}`,
    ]);
    spec('3.06', 'The exchange sends name and company');
    spec('7.17', 'A login goes to the provider, then to the exchange, and is stored');
  });

  it('starts the trial of a new account by a separate call, unless the provider stores the wish for a trial itself', async () => {
    answers['/api/auth/firebase'] = () => Response.json({ data: alice, created: true });
    answers['/api/user/trial'] = () => Response.json({ data: null });
    const page = await loadPage();
    const details = { method: 'google', trial: true };
    await page.openSession({ ...identity(''), keepsTrial: true }, details);
    expect(calls.splice(0)).toHaveLength(1);
    await page.openSession({ ...identity(''), keepsTrial: false }, details);
    expect(calls.map((each) => each.split(' ')[0])).toEqual(['/api/auth/firebase', '/api/user/trial']);

    answers['/api/user/trial'] = () => new Response('', { status: 409 });
    const signedIn = page.openSession({ ...identity(''), keepsTrial: false }, details);
    expect(await signedIn).toMatchObject({ id: 'a1' });
  });

  it('stores the encrypted record and notifies the other tabs', async () => {
    answers['/api/auth/firebase'] = () => Response.json({ data: alice });
    const heard: SessionChange[] = [];
    const stop = onOtherTabSession((change) => heard.push(change));
    await (await loadPage()).openSession(identity(''), { method: 'password' });
    expect(items.has(AUTH_RECORD_KEY)).toBe(true);
    await expect.poll(() => heard).toEqual([{ type: 'started', userId: 'a1' }]);
    stop();
  });

  it('reports why the server refused', async () => {
    const refusal = {
      type: 'about:blank',
      title: 'T',
      status: 403,
      code: 'account_disabled',
      request_id: 'r',
    };
    answers['/api/auth/firebase'] = () =>
      Response.json({ ...refusal, detail: 'This account is disabled.' }, { status: 403 });
    const opening = (await loadPage()).openSession(identity(''), { method: 'password' });
    await expect(opening).rejects.toMatchObject({
      message: 'This account is disabled.',
      code: 'account_disabled',
    });
    expect(items.has(AUTH_RECORD_KEY)).toBe(false);
  });
});

describe('a logout', () => {
  const builtIn: PublicConfig['identity'] = { provider: 'built-in', oidc: [] };

  it('ends the session at the server and the provider, and clears local data', async () => {
    answers = {
      '/api/user/me': () => Response.json({ data: alice }),
      '/api/auth/logout': () => Response.json({ data: null }),
      '/api/identity/sign-out': () => Response.json({ success: true }),
    };
    const page = await loadPage();
    await page.checkCurrentUser();
    await page.endSession(builtIn);
    expect(calls.slice(1)).toEqual(['/api/auth/logout', '/api/identity/sign-out']);
    expect(items.has(AUTH_RECORD_KEY)).toBe(false);
    spec('4S.11', 'A log-out removes the record and tells the server');
  });

  it('signs out at the provider and removes the record even if the server is unreachable', async () => {
    answers = {
      '/api/user/me': () => Response.json({ data: alice }),
      '/api/auth/logout': () => Promise.reject(new TypeError('offline')),
      '/api/identity/sign-out': () => Response.json({ success: true }),
    };
    const page = await loadPage();
    await page.checkCurrentUser();
    await expect(page.endSession(builtIn)).rejects.toThrow('The server could not be reached');
    expect(calls).toContain('/api/identity/sign-out');
    expect(items.has(AUTH_RECORD_KEY)).toBe(false);
  });

  it("does not load Firebase's SDK if nobody signed in with it", async () => {
    answers = { '/api/auth/logout': () => Response.json({ data: null }) };
    const firebase: PublicConfig['identity'] = {
      provider: 'firebase',
      api_key: 'k',
      auth_domain: 'd',
      project_id: 'p',
      emulator_url: null,
    };
    await (await loadPage()).endSession(firebase);
    expect(calls).toEqual(['/api/auth/logout']);
  });
});
