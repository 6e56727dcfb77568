import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { channelDeliveries } from '../../contract/calls/alert.ts';
import type { Call } from '../../contract/calls/call.ts';
import { addDomain, domain, exportDomains, listDomains, setFrequency } from '../../contract/calls/domain.ts';
import { enableTotp } from '../../contract/calls/identity.ts';
import { currentUser, logOut, openSession } from '../../contract/calls/session.ts';
import type { DomainWire } from '../../contract/domain.ts';
import { spec } from '../../tests/spec/spec.ts';
import { call, callForResponse } from './api-client.ts';
import { ApiError } from './api-error.ts';

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

/** Stubs fetch with the same answer to every request. Returns the requests. */
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
  it("is returned without its envelope if the envelope's only field is `data`", async () => {
    answerWith(() => Response.json({ data: alice }));
    expect(await call(currentUser)).toEqual(stored);
    answerWith(() => Response.json({ data: null }));
    expect(await call(logOut)).toBeNull();
  });

  it('is returned whole if the contract has more fields than `data`, even if the answer omits them', async () => {
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

  it("throws an error with the refusal's status if the server sends an expected refusal with status 200", async () => {
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

  it("throws an ApiError with `failureText` instead of the refusal's sentence, if `failureText` is given", async () => {
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
