import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { userSchema } from '../../contract/account.ts';
import { api, ApiError } from './api-client.ts';
import { onRefresh } from './session-refresh.ts';
import { spec } from '../../tests/spec/spec.ts';

const alice = { id: 'a1', email: 'alice@fjord.example', full_name: 'Alice', photo_url: null };
const anything = z.unknown();

interface Server {
  calls: string[];
  /** Set by a successful refresh; every other call needs it. */
  fresh: boolean;
}

/** Stands in for the network: a server whose sessions have run out, and which refreshes as told. */
function serve(
  refresh: () => Response | Promise<Response>,
  answer = () => Response.json({ data: 'yes' }),
): Server {
  const server: Server = { calls: [], fresh: false };
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    server.calls.push(`${init.method} ${path}`);
    if (path === '/api/auth/refresh') {
      const response = await refresh();
      if (response.ok) server.fresh = true;
      return response;
    }
    return server.fresh ? answer() : problem(401, 'not_authenticated', 'Please sign in.');
  });
  return server;
}

function problem(status: number, code: string, detail: string): Response {
  return Response.json(
    { type: 'about:blank', title: 'Title', status, code, detail, request_id: 'r' },
    { status },
  );
}

const refreshes = () => Response.json({ data: alice });

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a call that is answered 401', () => {
  it('is made once more after a refresh', async () => {
    const server = serve(refreshes);
    const answer = await api('/domain/list', { schema: z.object({ data: z.string() }) });
    expect(answer).toEqual({ data: 'yes' });
    expect(server.calls).toEqual(['GET /api/domain/list', 'POST /api/auth/refresh', 'GET /api/domain/list']);
    spec('4S.09', 'The call is made once more after a refresh');
    spec('9.21', 'A session is renewed by the first call that finds it ended (decision 31)');
    spec('9.10', 'A call is made once more after a refresh');
  });

  it('shares the refresh with those that fail beside it', async () => {
    const server = serve(refreshes);
    await Promise.all(['/a', '/b', '/c'].map((path) => api(path, { schema: anything })));
    expect(server.calls.filter((call) => call.endsWith('/auth/refresh'))).toHaveLength(1);
    expect(server.calls).toHaveLength(7);
    spec('4S.06', 'A 401 starts one refresh that all share');
    spec('4S.07', 'Calls that are refused meanwhile wait for it');
  });

  it('waits until the refreshed user was taken in', async () => {
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
    await api('/a', { schema: anything });
    stop();
    expect(server.fresh).toBe(true);
    expect(order).toEqual(['Alice', 'repeated']);
    spec('4S.08', 'After a refresh the user is stored again, encrypted');
  });

  it('is not made a third time', async () => {
    const server = serve(refreshes, () => problem(401, 'not_authenticated', 'Please sign in.'));
    await expect(api('/a', { schema: anything })).rejects.toMatchObject({ status: 401 });
    expect(server.calls).toHaveLength(3);
  });

  it('fails for good when the refresh is refused, and says that the session is over', async () => {
    const ended = vi.fn();
    const stop = onRefresh({ refreshed: () => undefined, ended });
    const server = serve(() => problem(401, 'not_authenticated', 'Please sign in again.'));
    const failure = api('/a', { schema: anything });
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

  it('does not end the session when the server is merely out of reach', async () => {
    const ended = vi.fn();
    const stop = onRefresh({ refreshed: () => undefined, ended });
    serve(() => Promise.reject(new TypeError('fetch failed')));
    await expect(api('/a', { schema: anything })).rejects.toMatchObject({
      message: 'Unauthorized - Refresh token failed',
      status: 0,
    });
    stop();
    expect(ended).not.toHaveBeenCalled();
  });
});

describe('a call that is refused', () => {
  const answer = (response: Response) => vi.stubGlobal('fetch', () => Promise.resolve(response));

  it("carries the problem's sentence and code", async () => {
    answer(problem(402, 'limit_reached', 'Free accounts track 3 domains.'));
    const failure = api('/domain/add', { method: 'POST', body: { host: 'x' }, schema: anything });
    await expect(failure).rejects.toBeInstanceOf(ApiError);
    await expect(failure).rejects.toMatchObject({
      message: 'Free accounts track 3 domains.',
      status: 402,
      code: 'limit_reached',
    });
  });

  it('carries the standard phrase where the answer has no words', async () => {
    answer(new Response('<html>', { status: 502 }));
    await expect(api('/a', { schema: anything })).rejects.toMatchObject({
      message: 'Bad Gateway',
      code: null,
    });
    spec('8.24', 'Errors carry status text and status code');
  });

  it('carries the fixed text where one is specified', async () => {
    answer(problem(404, 'not_found', 'No such domain.'));
    await expect(api('/a', { schema: anything, failureText: 'Failed to get me.' })).rejects.toMatchObject({
      message: 'Failed to get me.',
      status: 404,
      code: 'not_found',
    });
  });

  it('is a failure too when the answer is not what was agreed', async () => {
    answer(Response.json({ data: 1 }));
    await expect(api('/a', { schema: z.object({ data: z.string() }) })).rejects.toBeInstanceOf(ApiError);
  });
});

describe('an answer that does not come to its end', () => {
  /** Begins an answer and fails as a browser does. */
  const breakOff = (error: Error) => {
    const body = new ReadableStream({ start: (stream) => stream.error(error) });
    vi.stubGlobal('fetch', async () => new Response(body));
  };

  it('is none: the server could not be reached', async () => {
    breakOff(new TypeError('network error'));
    await expect(api('/a', { schema: anything })).rejects.toMatchObject({
      message: 'The server could not be reached. Your monitoring keeps running.',
      status: 0,
    });
  });

  it('is none either when its time is over', async () => {
    breakOff(new DOMException('signal timed out', 'TimeoutError'));
    await expect(api('/a', { schema: anything })).rejects.toMatchObject({
      message: 'The server did not answer in time',
      status: 0,
    });
  });
});

describe('both casings of an answer', () => {
  it.each([
    { data: [{ hostName: 'a.example', lastCheckedAt: null }] },
    { data: [{ host_name: 'a.example', last_checked_at: null }] },
    { data: [{ hostname: 'a.example', last_checked_at: null }] },
  ])('read the same: %j', async (body) => {
    vi.stubGlobal('fetch', () => Promise.resolve(Response.json(body)));
    const schema = z.object({ data: z.array(z.object({ hostname: z.string(), last_checked_at: z.null() })) });
    expect(await api('/domain/list', { schema })).toEqual({
      data: [{ hostname: 'a.example', last_checked_at: null }],
    });
    spec('3.09', 'A domain is read in camel case and in snake case');
  });

  it('gives the same user for both', async () => {
    const read = async (body: object) => {
      vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ data: body })));
      return api('/user/me', { schema: z.object({ data: userSchema }) });
    };
    const { full_name: fullName, photo_url: photoUrl, ...same } = alice;
    expect(await read({ ...same, fullName, photoUrl })).toEqual(await read(alice));
    spec('3.01', 'The user is read in camel case and in snake case');
  });
});
