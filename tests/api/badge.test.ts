import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { disableAccount } from '../../server/store/accounts/account-administration.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';
import { addUnchecked, recordCheck } from './watched.ts';

const make = async (person: Person, id: string) => {
  const { data } = (await person.ask(CALLS.makeBadge, { params: { id } })).ok;
  return new URL(data?.url ?? '').pathname;
};
const visit = (api: TestApi, path: string, headers = {}) => api.sendFrom('203.0.113.5')(path, { headers });
const said = async (api: TestApi, path: string) =>
  /<title>Certificate: ([^<]*)</.exec(await (await visit(api, path)).text())?.[1];

describeAnyDatabase('The badge of a domain', (open) => {
  it('is an SVG at a secret address until it is switched off', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await addUnchecked(alice, 'shop.example.com');
    expect((await alice.ask(CALLS.domainBadge, { params: { id } })).ok.data).toBeNull();
    const path = await make(alice, id);
    expect(path).toMatch(/^\/badge\/[\w-]{22}\.svg$/);
    expect(await make(alice, id)).toBe(path);
    const answer = await visit(api, path);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': 'public, no-cache',
      // Lets pages of other sites embed the badge.
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers.getSetCookie()).toEqual([]);
    const etag = answer.headers.get('etag') ?? '';
    for (const known of [etag, `"old", W/${etag}`, '*'])
      expect((await visit(api, path, { 'if-none-match': known })).status).toBe(304);
    await alice.ask(CALLS.removeBadge, { params: { id } });
    expect((await visit(api, path, { 'if-none-match': etag })).status).toBe(404);
    // A new badge has another address.
    const next = await make(alice, id);
    expect(next).not.toBe(path);
    expect((await visit(api, path)).status).toBe(404);
  });

  it('shows the domain’s state: unknown, valid, expiring, untrusted, expired, down or paused', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await addUnchecked(alice, 'shop.example.com');
    const path = await make(alice, id);
    expect(await said(api, path)).toBe('not known yet');
    await recordCheck(api, id, { days: 54 });
    expect(await said(api, path)).toBe('valid, 54 days left');
    await recordCheck(api, id, { days: 14 });
    expect(await said(api, path)).toBe('expires in 14 days');
    await recordCheck(api, id, { trusted: false });
    expect(await said(api, path)).toBe('not trusted');
    for (const ahead of [60_000, 60_000]) {
      api.clock.advance(ahead);
      await recordCheck(api, id, { trusted: false, status: 503 });
    }
    // More urgent than an outage, as on the dashboard.
    expect(await said(api, path)).toBe('not trusted');
    expect((await alice.ask(CALLS.domain, { params: { id } })).ok.data).toMatchObject({
      attention: 'untrusted',
      uptime: { state: 'down' },
    });
    await recordCheck(api, id, { status: 503 });
    expect(await said(api, path)).toBe('the server is down');
    await recordCheck(api, id, { days: -2 });
    expect(await said(api, path)).toBe('expired');
    for (const ahead of [600_000, 60_000]) {
      api.clock.advance(ahead);
      await recordCheck(api, id, { status: 503 });
    }
    expect(await said(api, path)).toBe('the server is down');
    await alice.ask(CALLS.pauseDomain, { params: { id } });
    expect(await said(api, path)).toBe('not monitored at the moment');
  });

  it('does not name the host', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await addUnchecked(alice, 'intranet.example.com');
    await recordCheck(api, id);
    expect(await (await visit(api, await make(alice, id))).text()).not.toContain('intranet');
  });

  it('can be read, created and removed through the API by its owner only', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const id = await addUnchecked(alice, 'shop.example.com');
    const path = await make(alice, id);
    for (const call of [CALLS.makeBadge, CALLS.domainBadge, CALLS.removeBadge])
      expect((await charlie.ask(call, { params: { id } })).problem.code).toBe('not_found');
    expect((await visit(api, path)).status).toBe(200);
  });

  it('answers 404 after its domain is removed or its account is disabled', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const id = await addUnchecked(alice, 'shop.example.com');
    const path = await make(alice, id);
    await alice.ask(CALLS.removeDomain, { params: { id } });
    expect((await visit(api, path)).status).toBe(404);
    const other = await make(bob, await addUnchecked(bob, 'bob.example.com'));
    await disableAccount(api.store, bob.id, api.clock.now());
    expect((await visit(api, other)).status).toBe(404);
  });

  it('answers 429 with Retry-After above 1200 requests a minute', async () => {
    const api = await startApi(open);
    const left = Array.from({ length: 1_200 }, () => visit(api, '/badge/x.svg'));
    expect(new Set((await Promise.all(left)).map(({ status }) => status))).toEqual(new Set([404]));
    const over = await visit(api, '/badge/x.svg');
    expect(over.status).toBe(429);
    // The remaining time is less than a minute if the requests took a while.
    const seconds = Number(over.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(over.headers.get('cache-control')).toBe('no-store');
    expect(await over.text()).toBe(
      `The limit of 1200 pages a minute is reached. Try again in ${seconds} seconds.\n`,
    );
  });

  it('answers 404 at unknown addresses', async () => {
    const api = await startApi(open);
    for (const path of [
      '/badge/x.svg',
      `/badge/${'A'.repeat(22)}.svg`,
      `/badge/${'A'.repeat(22)}`,
      '/badge/',
    ])
      expect((await visit(api, path)).status).toBe(404);
  });
});
