import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { updateUser } from '../../contract/calls/account.ts';
import { publicConfig } from '../../contract/calls/deployment.ts';
import { currentUser } from '../../contract/calls/session.ts';
import { spec } from '../../tests/spec/spec.ts';
import { onRefresh } from './account/session-refresh.ts';
import { call } from './api-client.ts';

const alice = { id: 'a1', email: 'alice@fjord.example', full_name: 'Alice', photo_url: null };
const stored = { ...alice, paddle_id: '', company_name: '', time_zone: null };

/** A call for tests of the client itself. */
const anything = { ...currentUser, path: '/a', response: z.unknown() } as const;

interface Server {
  calls: string[];
  /** True after a successful refresh. Every call but the refresh is answered 401 before. */
  fresh: boolean;
}

/** Stubs fetch with a server on which the session has expired. `refresh` answers the refresh call. */
function serve(
  refresh: () => Response | Promise<Response>,
  answer = () => Response.json({ data: alice }),
): Server {
  const server: Server = { calls: [], fresh: false };
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    server.calls.push(`${init.method} ${path}`);
    if (path === '/api/auth/refresh') {
      const response = await refresh();
      if (response.ok) server.fresh = true;
      return response;
    }
    return server.fresh ? answer() : refusal();
  });
  return server;
}

function refusal(): Response {
  const body = { type: 'about:blank', title: 'Title', status: 401, request_id: 'r' };
  return Response.json({ ...body, code: 'not_authenticated', detail: 'Please sign in.' }, { status: 401 });
}

const refreshes = () => Response.json({ data: alice });

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a call that is answered 401', () => {
  it('refreshes the session after a 401 and repeats the call', async () => {
    const server = serve(refreshes);
    expect(await call(currentUser)).toEqual(stored);
    expect(server.calls).toEqual(['GET /api/user/me', 'POST /api/auth/refresh', 'GET /api/user/me']);
    spec('4S.09', 'The call is made once more after a refresh');
    spec('9.21', 'A session is renewed by the first call that finds it ended (decision 31)');
    spec('9.10', 'A call is made once more after a refresh');
  });

  it('repeats the call with the same method and path after a refresh', async () => {
    const server = serve(refreshes);
    await call(updateUser, { body: { full_name: 'Alice' } });
    expect(server.calls).toEqual([
      'PATCH /api/user/update',
      'POST /api/auth/refresh',
      'PATCH /api/user/update',
    ]);
  });

  it('refreshes the session once for all calls that get a 401 during the refresh', async () => {
    const server = serve(refreshes);
    await Promise.all(['/a', '/b', '/c'].map((path) => call({ ...anything, path })));
    expect(server.calls.filter((line) => line.endsWith('/auth/refresh'))).toHaveLength(1);
    expect(server.calls).toHaveLength(7);
    spec('4S.06', 'A 401 starts one refresh that all share');
    spec('4S.07', 'Calls that are refused meanwhile wait for it');
  });

  it('reports the refreshed user before it repeats the call', async () => {
    const order: string[] = [];
    const server = serve(refreshes, () => {
      order.push('repeated');
      return Response.json({});
    });
    const stop = onRefresh({
      refreshed: async (user) => {
        await Promise.resolve();
        order.push(user.full_name);
      },
      ended: () => order.push('ended'),
    });
    await call(anything);
    stop();
    expect(server.fresh).toBe(true);
    expect(order).toEqual(['Alice', 'repeated']);
  });

  it('fails without another refresh if the repeated call gets a 401 too', async () => {
    const server = serve(refreshes, () => refusal());
    await expect(call(anything)).rejects.toMatchObject({ status: 401 });
    expect(server.calls).toHaveLength(3);
  });

  it('does not refresh the session after a 401 of a public call', async () => {
    const server = serve(refreshes);
    await expect(call(publicConfig)).rejects.toMatchObject({ status: 401, message: 'Please sign in.' });
    expect(server.calls).toEqual(['GET /api/config']);
  });

  it('fails and ends the session if the refresh is refused', async () => {
    const ended = vi.fn();
    const stop = onRefresh({ refreshed: () => undefined, ended });
    const server = serve(refusal);
    const failure = call(anything);
    await expect(failure).rejects.toMatchObject({
      message: 'Unauthorized - Refresh token failed',
      status: 401,
    });
    await expect(failure).rejects.toMatchObject({ cause: { message: 'Failed to fetch refresh token.' } });
    spec('4S.10', 'A refused refresh fails the call with its own words');
    spec('8.02', '“Failed to fetch refresh token.”');
    stop();
    expect(ended).toHaveBeenCalledOnce();
    expect(server.calls).toHaveLength(2);
  });

  it('does not end the session if the refresh gets no answer', async () => {
    const ended = vi.fn();
    const stop = onRefresh({ refreshed: () => undefined, ended });
    serve(() => Promise.reject(new TypeError('fetch failed')));
    await expect(call(anything)).rejects.toMatchObject({
      message: 'Unauthorized - Refresh token failed',
      status: 0,
    });
    stop();
    expect(ended).not.toHaveBeenCalled();
  });
});

it('a call refreshes the session first if the latest answer said that the access cookie has expired', async () => {
  const endingIn = (seconds: string) => () =>
    Response.json({ data: alice }, { headers: { 'session-expires-in': seconds } });
  const server = serve(endingIn('900'), endingIn('4'));
  server.fresh = true;
  await call(currentUser);
  await Promise.all([call(currentUser), call({ ...anything, path: '/b' })]);
  const refreshed = 'POST /api/auth/refresh';
  expect(server.calls).toEqual(['GET /api/user/me', refreshed, 'GET /api/user/me', 'GET /api/b']);
  // The refresh fails without a connection. The caller gets the error of the call itself.
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')));
  await expect(call(currentUser)).rejects.toThrow('The server could not be reached');
  serve(endingIn('900')).fresh = true;
  await call(currentUser);
});
