import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { updateUser } from '../../contract/calls/account.ts';
import { channelDeliveries } from '../../contract/calls/alert.ts';
import type { Call } from '../../contract/calls/call.ts';
import { publicConfig } from '../../contract/calls/deployment.ts';
import { addDomain, domain, exportDomains, listDomains, setFrequency } from '../../contract/calls/domain.ts';
import { enableTotp } from '../../contract/calls/identity.ts';
import { currentUser, logOut, openSession } from '../../contract/calls/session.ts';
import type { DomainWire } from '../../contract/domain.ts';
import { spec } from '../../tests/spec/spec.ts';
import { call, callForResponse } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { onRefresh } from './account/session-refresh.ts';

const alice = { id: 'a1', email: 'alice@fjord.example', full_name: 'Alice', photo_url: null };
const stored = { ...alice, paddle_id: '', company_name: '', time_zone: null };

/** A call for tests of the client itself. */
const anything = {
  method: 'get',
  path: '/a',
  access: 'session',
  summary: '',
  response: z.unknown(),
  status: 200,
  problems: [],
} as const satisfies Call;

interface Server {
  calls: string[];
  /** Set by a successful refresh; every other call needs it. */
  fresh: boolean;
}

/** Stubs fetch with a server whose sessions have expired. `refresh` answers the refresh call. */
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
    return server.fresh ? answer() : problem(401, 'not_authenticated', 'Please sign in.');
  });
  return server;
}

/** Stubs fetch with one answer to everything. Returns the requests. */
function answerWith(answer: () => Response): { line: string; body: unknown; headers: Headers }[] {
  const requests: ReturnType<typeof answerWith> = [];
  vi.stubGlobal('fetch', async (path: string, { method, body, headers }: RequestInit) => {
    const sent: unknown = typeof body === 'string' ? JSON.parse(body) : body;
    requests.push({ line: `${method} ${path}`, body: sent, headers: new Headers(headers) });
    return answer();
  });
  return requests;
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

describe('the request of a call', () => {
  it('sends the method and path of the contract, with encoded path parameters', async () => {
    const requests = answerWith(() => Response.json({ data: [] }));
    await call(channelDeliveries, { params: { key: 'a/b c?d' } });
    expect(requests).toMatchObject([{ line: 'GET /api/channels/a%2Fb%20c%3Fd/deliveries', body: null }]);
  });

  it('sends the given query parameters, without undefined ones', async () => {
    const requests = answerWith(() => Response.json({ data: [], page: 1, page_size: 50, total: 0 }));
    await call(listDomains, { query: { page: 2, q: 'a&b=ü', status: undefined, sort: 'name' } });
    await call(listDomains, { query: { q: undefined } });
    await call(listDomains);
    expect(requests.map(({ line }) => line)).toEqual([
      'GET /api/domain/list?page=2&q=a%26b%3D%C3%BC&sort=name',
      'GET /api/domain/list',
      'GET /api/domain/list',
    ]);
  });

  it('sends the body as JSON, without undefined fields, and the given headers', async () => {
    const requests = answerWith(() => Response.json({ data: alice, created: true }));
    await call(openSession, {
      headers: { 'time-zone': 'Europe/Oslo' },
      body: { token: 't', name: undefined },
    });
    expect(requests).toMatchObject([{ line: 'POST /api/auth/firebase', body: { token: 't' } }]);
    expect(Object.keys(requests[0]?.body as object)).toEqual(['token']);
    expect(requests[0]?.headers.get('time-zone')).toBe('Europe/Oslo');
    expect(requests[0]?.headers.get('content-type')).toBe('application/json');
  });

  it('type-checks the input and the answer of a call with the contract', () => {
    // Never called: only the compiler reads it.
    const typed = async (): Promise<void> => {
      expectTypeOf(await call(domain, { params: { id: 'd1' } })).toEqualTypeOf<DomainWire>();
      expectTypeOf(await call(logOut)).toEqualTypeOf<null>();
      expectTypeOf(await call(openSession, { body: { token: 't' } })).toHaveProperty('created');
      // @ts-expect-error The path has a parameter.
      await call(domain);
      // @ts-expect-error The body has a host.
      await call(addDomain, { body: {} });
      // @ts-expect-error The interval is required.
      await call(setFrequency, { params: { id: 'd1' } });
      // @ts-expect-error There is no such order.
      await call(listDomains, { query: { sort: 'colour' } });
      // @ts-expect-error This call has no body.
      await call(currentUser, { body: {} });
    };
    expect(typed).toBeTypeOf('function');
  });
});

describe('the answer of a call', () => {
  it('is returned without its envelope if the envelope has no field but `data`', async () => {
    answerWith(() => Response.json({ data: alice }));
    expect(await call(currentUser)).toEqual(stored);
    answerWith(() => Response.json({ data: null }));
    expect(await call(logOut)).toBeNull();
  });

  it('is returned whole if the contract has more fields than `data`, even if these are omitted', async () => {
    answerWith(() => Response.json({ data: [] }));
    expect(await call(channelDeliveries, { params: { key: 'email' } })).toEqual({ data: [] });
  });

  it('is rejected with an ApiError if it does not match the contract', async () => {
    answerWith(() => Response.json({ data: { ...alice, email: 1 } }));
    const failure = call(currentUser);
    await expect(failure).rejects.toBeInstanceOf(ApiError);
    await expect(failure).rejects.toMatchObject({
      message: 'The server sent an unexpected response',
      status: 200,
    });
  });

  it('throws an ApiError if the answer is not JSON', async () => {
    answerWith(() => new Response('{"data":', { headers: { 'content-type': 'application/json' } }));
    await expect(call(currentUser)).rejects.toMatchObject({
      message: 'The server sent an unexpected response',
    });
  });

  it('callForResponse returns the answer unread', async () => {
    const requests = answerWith(() => new Response('a,b', { headers: { 'content-type': 'text/csv' } }));
    const response = await callForResponse(exportDomains, { query: { sort: 'name' } });
    expect(await response.text()).toBe('a,b');
    expect(requests).toMatchObject([{ line: 'GET /api/domain/export?sort=name' }]);
  });

  it.each([
    { ...alice, companyName: 'Fjord' },
    { ...alice, company_name: 'Fjord' },
  ])('may have a field in camel case or in snake case: %j', async (body) => {
    answerWith(() => Response.json({ data: body }));
    expect(await call(currentUser)).toEqual({ ...stored, company_name: 'Fjord' });
  });

  it('gives the same user in camel case and in snake case', async () => {
    const { full_name: fullName, photo_url: photoUrl, ...same } = alice;
    answerWith(() => Response.json({ data: { ...same, fullName, photoUrl } }));
    expect(await call(currentUser)).toEqual(stored);
    spec('3.01', 'The user is read in camel case and in snake case');
  });

  it.each([
    { data: [{ hostName: 'a.example', lastCheckedAt: null }] },
    { data: [{ host_name: 'a.example', last_checked_at: null }] },
    { data: [{ hostname: 'a.example', last_checked_at: null }] },
  ])('gives the same domain in camel case, in snake case and in lower case: %j', async (body) => {
    answerWith(() => Response.json(body));
    const response = z.object({
      data: z.array(z.object({ hostname: z.string(), last_checked_at: z.null() })),
    });
    expect(await call({ ...anything, response })).toEqual([{ hostname: 'a.example', last_checked_at: null }]);
    spec('3.09', 'A domain is read in camel case and in snake case');
  });

  it('keeps camelCase names if it is from the identity provider', async () => {
    const setup = { totpURI: 'otpauth://totp/a?secret=ABC', backupCodes: ['one'] };
    answerWith(() => Response.json(setup));
    expect(await call(enableTotp, { body: { password: 'horse-77' } })).toEqual(setup);
  });

  it('is an error with the status of the refusal, if the server sends an expected refusal with status 200', async () => {
    const refusal = problem(409, 'domain_exists', 'You already track this host.');
    const headers = { 'content-type': 'application/problem+json' };
    const requests = answerWith(() => new Response(refusal.body, { headers }));
    await expect(call(addDomain, { body: { host: 'a.example' } })).rejects.toMatchObject({
      status: 409,
      code: 'domain_exists',
      message: 'You already track this host.',
    });
    expect(requests[0]?.headers.get('prefer')).toBe('handling=lenient');
  });
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

  it('gives up after a second 401', async () => {
    const server = serve(refreshes, () => problem(401, 'not_authenticated', 'Please sign in.'));
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
    const server = serve(() => problem(401, 'not_authenticated', 'Please sign in again.'));
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
  // Without a connection, the call itself says so.
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')));
  await expect(call(currentUser)).rejects.toThrow('The server could not be reached');
  serve(endingIn('900')).fresh = true;
  await call(currentUser);
});

describe('a call that is refused', () => {
  it("throws an ApiError with the problem's sentence and code for a refusal", async () => {
    answerWith(() => problem(402, 'limit_reached', 'Free accounts track 3 domains.'));
    const failure = call(addDomain, { body: { host: 'x' } });
    await expect(failure).rejects.toBeInstanceOf(ApiError);
    await expect(failure).rejects.toMatchObject({
      message: 'Free accounts track 3 domains.',
      status: 402,
      code: 'limit_reached',
    });
  });

  it.each([
    { status: 409, code: 'domain_paused' },
    { status: 429, code: 'too_many_requests', retry_after: 40 },
    { status: 500, code: 'internal' },
  ])('throws an ApiError with the sentence and the waiting time of a $status', async (refusal) => {
    const body = { type: 'about:blank', title: 'Title', detail: 'Not now.', request_id: 'r', ...refusal };
    answerWith(() => Response.json(body, { status: refusal.status }));
    const { retry_after: retryAfterSeconds = null, ...rest } = refusal;
    await expect(call(anything)).rejects.toMatchObject({ message: 'Not now.', retryAfterSeconds, ...rest });
  });

  it('throws an ApiError with the standard phrase if a refusal has no words', async () => {
    answerWith(() => new Response('<html>', { status: 502 }));
    await expect(call(anything)).rejects.toMatchObject({ message: 'Bad Gateway', code: null });
    spec('8.24', 'Errors carry status text and status code');
  });

  it('throws an ApiError with `failureText` for a refusal if that is given', async () => {
    answerWith(() => problem(404, 'not_found', 'No such domain.'));
    await expect(call(anything, { failureText: 'Failed to get me.' })).rejects.toMatchObject({
      message: 'Failed to get me.',
      status: 404,
      code: 'not_found',
      cause: { message: 'No such domain.' },
    });
  });
});

describe('a call without an answer', () => {
  it.each([
    {
      error: new TypeError('Failed to fetch'),
      message: 'The server could not be reached. Your monitoring keeps running.',
    },
    {
      error: new DOMException('signal timed out', 'TimeoutError'),
      message: 'The server did not answer in time',
    },
  ])('throws an ApiError with status 0 that says “$message”', async ({ error, message }) => {
    vi.stubGlobal('fetch', () => Promise.reject(error));
    await expect(call(anything)).rejects.toMatchObject({ message, status: 0 });
  });
});

describe('a call whose answer breaks off', () => {
  /** Stubs fetch with an answer whose body fails as in a browser. */
  const breakOff = (error: Error) =>
    answerWith(() => new Response(new ReadableStream({ start: (stream) => stream.error(error) })));

  it('says that the server could not be reached if the answer breaks off', async () => {
    breakOff(new TypeError('network error'));
    await expect(call(anything)).rejects.toMatchObject({
      message: 'The server could not be reached. Your monitoring keeps running.',
      status: 0,
    });
  });

  it('says that the server did not answer in time if the answer times out', async () => {
    breakOff(new DOMException('signal timed out', 'TimeoutError'));
    await expect(call(anything)).rejects.toMatchObject({
      message: 'The server did not answer in time',
      status: 0,
    });
  });

  it('rethrows the AbortError if the caller aborts', async () => {
    const aborting = new AbortController();
    vi.stubGlobal('fetch', async (_path: string, { signal }: RequestInit) => {
      aborting.abort();
      signal?.throwIfAborted();
    });
    await expect(call(anything, { signal: aborting.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });
});
