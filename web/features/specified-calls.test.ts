import { focusManager, type QueryKey, QueryObserver, type QueryObserverOptions } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { spec } from '../../tests/spec/spec.ts';
import { exampleDomain } from '../../tests/kit/pages/example-domain.ts';
import { deleteUser } from '../../contract/calls/account.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import type { Call } from '../../contract/calls/call.ts';
import { removeDomain, setFrequency } from '../../contract/calls/domain.ts';
import { historyQuery, pageQuery } from '../domain/domain-queries.ts';
import { call, callForResponse } from '../lib/api-client.ts';
import { send } from '../lib/http.ts';
import { createQueryClient } from '../lib/query-client.ts';
import { productQuery } from './billing/products.ts';
import { currentUserOf } from '../lib/account/current-user.ts';
import { refreshSession } from '../lib/account/session-refresh.ts';
import { updateProfile } from './profile/update-profile.ts';
import { endServerSession, exchangeToken, fetchCurrentUser } from './session/session.ts';

const alice = { id: 'a1', email: 'alice@fjord.example', full_name: 'Alice', photo_url: null };

/** A request sent by the page. */
interface Sent {
  line: string;
  contentType: string | null;
  body: unknown;
  credentials: RequestCredentials | undefined;
}

let sent: Sent[];
let answer: () => Response;

beforeEach(() => {
  sent = [];
  answer = () => Response.json({ data: alice });
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const { method, headers, body, credentials } = init;
    sent.push({
      line: `${method} ${path}`,
      contentType: new Headers(headers).get('content-type'),
      body: typeof body === 'string' ? (JSON.parse(body) as unknown) : body,
      credentials,
    });
    return answer();
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const refused = (status: number) => () => new Response('', { status });
const json = 'application/json';

it('exchangeToken sends token, name and company to POST /auth/firebase', async () => {
  const opened = await exchangeToken('t', { name: 'Alice', company: null });
  expect(sent).toMatchObject([
    {
      line: 'POST /api/auth/firebase',
      contentType: json,
      body: { token: 't', name: 'Alice', company: null },
    },
  ]);
  expect(Object.keys(sent[0]?.body as object)).toEqual(['token', 'name', 'company']);
  expect(opened.user).toMatchObject({ id: 'a1', fullName: 'Alice' });
  spec('7.01', 'POST /auth/firebase sends token, name and company in JSON, and answers with the user');
});

it('sends cookies with every call of the contract', async () => {
  for (const each of Object.values<Call>(CALLS)) await send(each);
  expect(sent.filter(({ credentials }) => credentials !== 'include')).toEqual([]);
  expect(sent).toHaveLength(Object.keys(CALLS).length);
  spec('6.10', 'All calls send cookies');
});

it('exchangeToken logs a refusal and throws an error', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  answer = refused(401);
  await expect(exchangeToken('t', { name: null, company: null })).rejects.toMatchObject({ status: 401 });
  expect(warn).toHaveBeenCalledOnce();
  spec('7.02', 'A refused exchange is logged, and nobody is signed in; the page says why (decision 31)');
});

it('session refresh and logout send no request body', async () => {
  answer = refused(401);
  await expect(refreshSession()).rejects.toMatchObject({
    cause: { message: 'Failed to fetch refresh token.' },
  });
  expect(sent).toMatchObject([{ line: 'POST /api/auth/refresh', body: null }]);
  spec('7.03', 'POST /auth/refresh sends nothing; a refusal is “Failed to fetch refresh token.”');
  answer = () => Response.json({ data: null });
  await endServerSession();
  expect(sent.slice(1)).toMatchObject([{ line: 'POST /api/auth/logout', contentType: json, body: null }]);
  spec('7.04', 'POST /auth/logout sends JSON’s content type and no body');
});

it('fetchCurrentUser returns null for an empty answer and throws “Failed to get me.” for a refusal', async () => {
  answer = () => Response.json({});
  expect(await fetchCurrentUser()).toBeNull();
  expect(sent).toMatchObject([{ line: 'GET /api/user/me' }]);
  answer = refused(400);
  await expect(fetchCurrentUser()).rejects.toThrow('Failed to get me.');
  spec('7.05', 'GET /user/me refused is “Failed to get me.”; without data there is no user');
});

it('updateProfile sends PATCH and deleteUser sends DELETE; a refusal throws an error with the HTTP status', async () => {
  await updateProfile(currentUserOf({ ...alice, paddle_id: '', company_name: '', time_zone: null }), {
    fullName: 'Alice Berg',
    company: '',
  });
  answer = () => Response.json({ data: null });
  await call(deleteUser);
  expect(sent).toMatchObject([
    { line: 'PATCH /api/user/update', body: { full_name: 'Alice Berg', company: null } },
    { line: 'DELETE /api/user/me', contentType: json },
  ]);
  answer = refused(503);
  const user = currentUserOf({ ...alice, paddle_id: '', company_name: '', time_zone: null });
  await expect(updateProfile(user, { fullName: 'A', company: '' })).rejects.toMatchObject({
    message: 'Service Unavailable',
    status: 503,
  });
  spec('7.07', 'PATCH /user/update sends full_name and company; a refusal has status and text');
  await expect(call(deleteUser)).rejects.toMatchObject({ status: 503 });
  spec('7.08', 'DELETE /user/me sends JSON’s content type; a refusal has its status');
});

it('removeDomain sends DELETE, and a change of the check frequency sends PATCH', async () => {
  for (const data of [exampleDomain(), null]) {
    answer = () => Response.json({ data });
    expect(await call(removeDomain, { params: { id: 'd 1' } })).toEqual(data);
  }
  expect(sent.map(({ line }) => line)).toEqual(['DELETE /api/domain/d%201', 'DELETE /api/domain/d%201']);
  spec('7.14', 'DELETE /domain/{id} answers with data or null');
  await callForResponse(setFrequency, { params: { id: 'd1' }, query: { check_frequency: 60 } });
  expect(sent[2]?.line).toBe('PATCH /api/domain/d1/frequency?check_frequency=60');
  spec('7.16', 'PATCH /domain/{id}/frequency takes check_frequency');
});

/**
 * Returns the requests that a read sends if it is shown at 0 s, 59.999 s and 60.001 s and the window then regains focus, and
 * the data of the last one.
 */
async function readAgain<Read, Shown, Key extends QueryKey>(
  query: QueryObserverOptions<Read, Error, Shown, Read, Key>,
) {
  vi.useFakeTimers();
  const queryClient = createQueryClient();
  const observer = new QueryObserver(queryClient, query);
  const lines: string[][] = [];
  const during = async (act: () => unknown) => {
    const before = sent.length;
    act();
    await vi.advanceTimersByTimeAsync(0);
    lines.push(sent.slice(before).map(({ line }) => line));
  };
  let hide = () => undefined as void;
  const show = () => (hide = observer.subscribe(() => undefined));
  await during(show);
  hide();
  await vi.advanceTimersByTimeAsync(59_999);
  await during(show);
  hide();
  await vi.advanceTimersByTimeAsync(2);
  await during(show);
  queryClient.mount();
  focusManager.setFocused(false);
  // Regaining focus refetches only stale data, and data is stale after 60 s.
  await vi.advanceTimersByTimeAsync(60_001);
  await during(() => focusManager.setFocused(true));
  focusManager.setFocused(undefined);
  queryClient.unmount();
  hide();
  const [first = [], at60s = [], after60s = [], onFocus = []] = lines;
  return { first, at60s, after60s, onFocus, shown: observer.getCurrentResult().data };
}

it('the page refetches products after 60 s and when the window regains focus, and offers the first product', async () => {
  const product = { product_id: 'p', price_id: 'first', unit_price: 499, currency: 'USD' };
  answer = () => Response.json({ data: [product, { ...product, price_id: 'last' }] });
  const line = 'GET /api/payment/products';
  const { shown, ...reads } = await readAgain(productQuery);
  expect(reads).toEqual({ first: [line], at60s: [], after60s: [line], onFocus: [line] });
  spec('7.10', 'GET /payment/products is kept for 60 seconds and read again on focus');
  spec('9.08', 'The plan and the products are old after 60 seconds');
  expect(shown).toEqual(product);
  spec('3.15', 'The first product that is offered counts');
});

it('the dashboard refetches a page of the list after 60 s, but not when the window regains focus', async () => {
  answer = () => Response.json({ data: [], page: 3, page_size: 50, total: 0 });
  const line = 'GET /api/domain/list?page=3';
  const { shown, ...reads } = await readAgain(pageQuery({ sort: 'newest' }, 3));
  expect(reads).toEqual({ first: [line], at60s: [], after60s: [line], onFocus: [] });
  expect(shown).toMatchObject({ page: 3 });
  spec('7.12', 'GET /domain/list takes a page, is kept for 60 seconds and not read again on focus');
});

it("the page refetches a domain's history after 60 s, but not when the window regains focus", async () => {
  answer = () => Response.json({ data: [] });
  const line = 'GET /api/domain/d1/history';
  const reads = await readAgain(historyQuery('d1'));
  expect(reads).toMatchObject({ first: [line], at60s: [], after60s: [line], onFocus: [] });
  spec('7.15', 'GET /domain/{id}/history is kept for 60 seconds and not read again on focus');
  spec('9.09', 'History and list are kept for 60 seconds');
});

it('an API call times out after 30 s', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  for (const each of Object.values<Call>(CALLS)) await send(each);
  await exchangeToken('t', { name: null, company: null });
  expect(timeout.mock.calls.flat()).toEqual(sent.map(() => 30_000));
});
