import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { MAX_SHOWN, type StatusPageChange } from '../../contract/status-page.ts';
import { disableAccount, enableAccount } from '../../server/store/accounts/account-administration.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { addUnchecked, goDown, recordCheck } from './watched.ts';

const SLUG = 'fjord-systems';
const save = (person: Person, body: StatusPageChange) => person.ask(CALLS.saveStatusPage, { body });
const publish = async (person: Person, change: StatusPageChange = {}) =>
  (await save(person, { title: 'Fjord', slug: SLUG, enabled: true, ...change })).ok.data;
const visit = (api: TestApi, slug = SLUG, headers = {}) =>
  api.sendFrom('203.0.113.5')(`/api/status/${slug}`, { headers });

/** Returns what a visitor sees once the page's cache has expired. */
async function view(api: TestApi, slug = SLUG) {
  api.clock.advance(5_000);
  const answer = await visit(api, slug);
  expect(answer.status).toBe(200);
  return CALLS.publicStatus.response.parse(await answer.json()).data;
}

describeAnyDatabase('A status page', (open) => {
  it('is public only while its owner has it switched on', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const before = (await alice.ask(CALLS.statusPage)).ok.data;
    expect(before).toMatchObject({ enabled: false, slug: null, url: null });
    expect((await visit(api)).status).toBe(404);
    const saved = (await save(alice, { title: 'Fjord', slug: SLUG })).ok.data;
    expect(saved).toMatchObject({ enabled: false, url: `http://localhost:8080/status/${SLUG}` });
    expect((await visit(api)).status).toBe(404);
    await save(alice, { enabled: true });
    expect(await view(api)).toMatchObject({ title: 'Fjord', state: 'unknown', domains: [], incidents: [] });
    await save(alice, { enabled: false });
    expect((await visit(api)).status).toBe(404);
    expect((await alice.ask(CALLS.statusPage)).ok.data).toMatchObject({ enabled: false, title: 'Fjord' });
  });

  it('shows state, days left, uptime and incidents of the account’s domains', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const shop = await addUnchecked(alice, 'shop.example.com');
    const www = await addUnchecked(alice, 'www.example.com');
    await recordCheck(api, await addUnchecked(bob, 'bob.example.com'));
    await recordCheck(api, www, { days: 5 });
    await recordCheck(api, shop);
    await publish(alice, { domains: [{ id: shop, label: 'The shop' }] });
    const before = await view(api);
    // Midnight may have passed since the checks.
    const yesterday = expect.toBeOneOf([null, 0]) as unknown;
    expect(before).toMatchObject({ state: 'up', window_days: 7, more: 0, incidents: [] });
    expect(before.domains).toMatchObject([
      { name: 'www.example.com', state: 'up', certificate: { state: 'critical', days_left: 5 } },
      {
        name: 'The shop',
        state: 'up',
        certificate: { state: 'ok', days_left: 60 },
        uptime: { percent: 100, down_minutes: [null, null, null, null, null, yesterday, 0] },
      },
    ]);
    for (const ahead of [600_000, 60_000]) {
      api.clock.advance(ahead);
      await recordCheck(api, shop, { status: 503 });
    }
    const after = await view(api);
    expect(after.state).toBe('down');
    const shopAfter = after.domains.find(({ name, state }) => name === 'The shop' && state === 'down');
    expect(shopAfter?.uptime?.percent).toBeLessThan(100);
    expect(after.incidents).toEqual([
      {
        id: expect.stringMatching(/^[\w-]{27}$/) as string,
        name: 'The shop',
        started_at: shopAfter?.down_since,
        ended_at: null,
      },
    ]);
  });

  it('lists domains by their reason for attention, then unknown, fine and paused ones', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await api.store.db.updateTable('accounts').set({ granted_at: 1, plan: 'premium' }).execute();
    const watch = async (host: string, seenAs: Parameters<typeof recordCheck>[2]) =>
      recordCheck(api, await addUnchecked(alice, host), seenAs);
    await watch('a-fine.example.com', {});
    await alice.ask(CALLS.pauseDomain, { params: { id: await addUnchecked(alice, 'b-paused.example.com') } });
    await watch('c-soon.example.com', { days: 10 });
    await watch('d-critical.example.com', { days: 5 });
    await watch('d-more-critical.example.com', { days: 1 });
    await watch('e-untrusted.example.com', { trusted: false });
    await watch('e-without-intermediate.example.com', { isComplete: false });
    await watch('e-x-expired.example.com', { days: -1 });
    await goDown(api, await addUnchecked(alice, 'f-down.example.com'));
    await goDown(api, await addUnchecked(alice, 'f-down-and-critical.example.com'), { days: 2 });
    await addUnchecked(alice, 'g-unknown.example.com');
    await publish(alice);
    const names = (await view(api)).domains.map(({ name }) => name.split('.')[0]);
    expect(names.slice(0, 4)).toEqual(['e-x-expired', 'e-untrusted', 'f-down-and-critical', 'f-down']);
    expect(names.slice(4, 6)).toEqual(['d-more-critical', 'd-critical']);
    expect(names.slice(6, 8)).toEqual(['e-without-intermediate', 'c-soon']);
    expect(names.slice(8)).toEqual(['g-unknown', 'a-fine', 'b-paused']);
  });

  it('shows a six-day certificate as ok until its renewal is overdue', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await addUnchecked(alice, 'shop.example.com');
    await recordCheck(api, id, { days: 5, lifetimeDays: 6 });
    await publish(alice);
    const state = async () => (await view(api)).domains[0]?.certificate?.state;
    expect(await state()).toBe('ok');
    api.clock.advance(4 * DAY_MS);
    expect(await state()).toBe('critical');
  });

  it('shows a local name or private address only if its owner lists it, and the preview names the omitted hosts', async () => {
    const isOpen = { permits: () => true, opens: (ip: string) => ip.startsWith('10.') };
    const policy = {
      ...isOpen,
      permitsLocalNames: true,
      isLocalName: (host: string) => host === 'nas.local',
    };
    const api = await startApi(open, { policy });
    const { alice } = await api.cast();
    await addUnchecked(alice, 'shop.example.com');
    await addUnchecked(alice, '10.0.0.5');
    const nas = await addUnchecked(alice, 'nas.local');
    await publish(alice);
    expect((await view(api)).domains.map(({ name }) => name)).toEqual(['shop.example.com']);
    const preview = async (domains: { id: string; label: string }[]) => {
      const shows = { show_certificates: true, show_uptime: true, show_incidents: true };
      const body = { title: 'Soon', shows: 'all' as const, tags: [], domains, ...shows };
      const { data } = (await alice.ask(CALLS.previewStatusPage, { body })).ok;
      return [data.domains.map(({ name }) => name), data.private_names];
    };
    expect(await preview([])).toEqual([['shop.example.com'], ['10.0.0.5', 'nas.local']]);
    expect(await preview([{ id: nas, label: '' }])).toEqual([
      ['nas.local', 'shop.example.com'],
      ['10.0.0.5'],
    ]);
  });

  it('answers 429 with Retry-After above 300 requests a minute', async () => {
    const api = await startApi(open);
    const ask = () => api.sendFrom('203.0.113.5')(`/status/${SLUG}`);
    await Promise.all(Array.from({ length: 300 }, ask));
    const over = await ask();
    expect(over.status).toBe(429);
    expect(over.headers.get('retry-after')).toBe('60');
    expect(await over.text()).toBe('Too many attempts. Try again in 60 seconds.\n');
  });

  it('does not reveal its owner, the hosts behind labels, other domains, notes, tags, IP addresses or error causes', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await addUnchecked(alice, 'intranet.example.com');
    const other = await addUnchecked(alice, 'secret.example.com');
    const describe = (monitor: string, body: object) =>
      alice.ask(CALLS.describeDomain, { params: { id: monitor }, body });
    await describe(id, { notes: 'Ask Mara for the key', tags: ['vault'] });
    for (const ahead of [0, 600_000, 60_000]) {
      api.clock.advance(ahead);
      await recordCheck(api, id, { status: ahead === 0 ? 200 : 500 });
      await recordCheck(api, other);
    }
    await publish(alice, { shows: 'chosen', domains: [{ id, label: 'Portal' }] });
    const answer = await visit(api);
    const text = `${await answer.text()} ${JSON.stringify([...answer.headers])}`;
    expect(text).toContain('Portal');
    for (const secret of [
      alice.id,
      alice.email,
      alice.name,
      id,
      other,
      'intranet.example',
      'secret.example',
      'Mara',
      'vault',
      '192.0.2.10',
      'error 500',
    ])
      expect(text).not.toContain(secret);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  it('shows all domains, the domains with a tag, or selected domains in their order, and accepts an empty selection', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const ids = new Map<string, string>();
    for (const host of ['b.example.com', 'a.example.com', 'c.example.com'])
      ids.set(host, await addUnchecked(alice, host));
    const idOf = (host: string) => ids.get(host) ?? '';
    await alice.ask(CALLS.describeDomain, {
      params: { id: idOf('c.example.com') },
      body: { tags: ['shop'] },
    });
    const names = async (change: StatusPageChange) => {
      await publish(alice, change);
      return (await view(api)).domains.map(({ name }) => name);
    };
    expect(await names({ shows: 'all' })).toEqual(['a.example.com', 'b.example.com', 'c.example.com']);
    expect(await names({ shows: 'tags', tags: ['shop', 'none'] })).toEqual(['c.example.com']);
    expect(await names({ shows: 'tags', tags: [] })).toEqual([]);
    const chosen = ['b.example.com', 'a.example.com'].map((host) => ({ id: idOf(host), label: '' }));
    expect(await names({ shows: 'chosen', domains: chosen })).toEqual(['b.example.com', 'a.example.com']);
    await alice.ask(CALLS.removeDomain, { params: { id: idOf('b.example.com') } });
    expect(await names({})).toEqual(['a.example.com']);
    expect(await names({ domains: [] })).toEqual([]);
  });

  it('omits certificates, uptime and incidents if its owner hides them', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await recordCheck(api, await addUnchecked(alice, 'shop.example.com'), { days: -3 });
    await publish(alice);
    expect(await view(api)).toMatchObject({
      state: 'trouble',
      domains: [{ certificate: { state: 'expired' } }],
    });
    await publish(alice, { show_certificates: false, show_uptime: false, show_incidents: false });
    const shown = await view(api);
    expect(shown).toMatchObject({ incidents: null, domains: [{ certificate: null, uptime: null }] });
    expect(shown.state).not.toBe('trouble');
  });

  it('shows paused domains without certificate and uptime', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await addUnchecked(alice, 'shop.example.com');
    await recordCheck(api, id);
    await alice.ask(CALLS.pauseDomain, { params: { id } });
    await publish(alice);
    expect((await view(api)).domains).toMatchObject([
      { state: 'paused', certificate: null, uptime: null, down_since: null },
    ]);
  });

  it('answers 304 while unchanged, is cached for five seconds and shows its owner’s changes at once', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await addUnchecked(alice, 'shop.example.com');
    await publish(alice);
    const first = await visit(api);
    expect(first.headers.get('cache-control')).toBe('public, no-cache');
    const etag = first.headers.get('etag') ?? '';
    expect((await visit(api, SLUG, { 'if-none-match': `W/${etag}` })).status).toBe(304);
    await recordCheck(api, id);
    expect((await visit(api)).headers.get('etag')).toBe(etag);
    api.clock.advance(5_000);
    expect((await visit(api)).headers.get('etag')).not.toBe(etag);
    // Changes of its owner show at once.
    await publish(alice, { title: 'Another title' });
    expect(await (await visit(api)).text()).toContain('Another title');
  });

  it('answers 404 while its account is disabled and after it is deleted', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    await publish(alice);
    await disableAccount(api.store, alice.id, api.clock.now());
    expect((await visit(api)).status).toBe(404);
    await enableAccount(api.store, alice.id);
    expect((await visit(api)).status).toBe(200);
    await publish(bob, { slug: 'bobs-page' });
    expect((await bob.ask(CALLS.deleteUser)).status).toBe(200);
    expect((await visit(api, 'bobs-page')).status).toBe(404);
  });

  it('a status page has noindex unless its owner wants it listed', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await publish(alice);
    expect((await visit(api)).headers.get('x-robots-tag')).toBe('noindex');
    await publish(alice, { listed: true });
    expect((await visit(api)).headers.get('x-robots-tag')).toBeNull();
  });

  it('cannot include domains of other accounts', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const id = await addUnchecked(alice, 'shop.example.com');
    const domains = [{ id, label: 'Mine now' }];
    const refused = await save(charlie, { title: 'C', slug: 'charlie', shows: 'chosen', domains });
    expect(refused.problem.code).toBe('not_found');
    const body = { title: 'C', shows: 'chosen' as const, tags: [], domains };
    const preview = await charlie.ask(CALLS.previewStatusPage, {
      body: { ...body, show_certificates: true, show_uptime: true, show_incidents: true },
    });
    expect(preview.ok.data.domains).toEqual([]);
  });

  it('can be previewed without saving', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await addUnchecked(alice, 'shop.example.com');
    const preview = await alice.ask(CALLS.previewStatusPage, {
      body: {
        title: 'Soon',
        shows: 'all',
        tags: [],
        domains: [{ id, label: 'Shop' }],
        show_certificates: true,
        show_uptime: false,
        show_incidents: false,
      },
    });
    expect(preview.ok.data).toMatchObject({ title: 'Soon', domains: [{ name: 'Shop', uptime: null }] });
    expect((await alice.ask(CALLS.statusPage)).ok.data).toMatchObject({ slug: null, title: '' });
  });

  it('shows at most 200 domains, those that are down first, and the number of further domains', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const entries = (from: number) =>
      Array.from({ length: 70 }, (_, index) => ({ host: `h${from + index}.example.com` }));
    await api.store.db.updateTable('accounts').set({ granted_at: 1, plan: 'premium' }).execute();
    for (const from of [100, 200, 300])
      await alice.ask(CALLS.importDomains, { body: { entries: entries(from) } });
    await publish(alice);
    const shown = await view(api);
    expect(shown.domains).toHaveLength(MAX_SHOWN);
    expect(shown.more).toBe(10);

    await api.store.db
      .updateTable('monitors')
      .set({ next_check_at: api.clock.now() + 86_400_000 })
      .execute();
    const last = await alice.ask(CALLS.listDomains, { query: { q: 'h369.example.com' } });
    await goDown(api, last.ok.data[0]?.id ?? '');
    const after = await view(api);
    expect(after).toMatchObject({ state: 'down', more: 10 });
    expect(after.domains).toHaveLength(MAX_SHOWN);
    expect(after.domains[0]).toMatchObject({ name: 'h369.example.com', state: 'down' });
    expect(after.incidents).toMatchObject([{ name: 'h369.example.com' }]);
  });

  it('omits private names from its 200 domains and from the number of further domains', async () => {
    const policy = {
      permits: () => true,
      opens: () => false,
      permitsLocalNames: true,
      isLocalName: (host: string) => host.startsWith('a'),
    };
    const api = await startApi(open, { policy });
    const { alice } = await api.cast();
    await api.store.db.updateTable('accounts').set({ granted_at: 1, plan: 'premium' }).execute();
    for (const prefix of ['a', 'b', 'c', 'd']) {
      const entries = Array.from({ length: 70 }, (_, index) => ({ host: `${prefix}${index}.example.com` }));
      await alice.ask(CALLS.importDomains, { body: { entries } });
    }
    await publish(alice);
    const shown = await view(api);
    expect(shown.domains).toHaveLength(MAX_SHOWN);
    expect(shown.more).toBe(10);
    expect(shown.domains.filter(({ name }) => name.startsWith('a'))).toEqual([]);
  });

  it('lists ongoing incidents before past ones', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await goDown(api, await addUnchecked(alice, 'long.example.com'));
    api.clock.advance(600_000);
    const short = await addUnchecked(alice, 'short.example.com');
    await goDown(api, short);
    await recordCheck(api, short);
    await publish(alice);
    expect((await view(api)).incidents).toMatchObject([
      { name: 'long.example.com', ended_at: null },
      { name: 'short.example.com', ended_at: expect.any(String) as string },
    ]);
  });

  it('shows no uptime if the first check failed and no second check has confirmed it', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await addUnchecked(alice, 'shop.example.com');
    await recordCheck(api, id, { status: 503 });
    await publish(alice);
    const [shop] = (await view(api)).domains;
    const noData = [null, null, null, null, null, null, null];
    expect(shop).toMatchObject({ state: 'unknown', uptime: { percent: null, down_minutes: noData } });
    expect((await alice.ask(CALLS.domainUptime, { params: { id } })).ok.data).toMatchObject({
      state: null,
      percent: null,
      since: null,
    });
    expect((await alice.ask(CALLS.listDomains)).ok.data[0]?.uptime.percent).toBeNull();
  });
});
