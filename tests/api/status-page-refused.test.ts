import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import type { StatusPageChange } from '../../contract/status-page.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { finishChecks, refusedByPolicy } from './finish-checks.ts';
import { startApi, type TestApi } from './test-api.ts';
import { addUnchecked, recordCheck } from './watched.ts';

const SLUG = 'fjord-systems';
const save = (person: Person, body: StatusPageChange) => person.ask(CALLS.saveStatusPage, { body });

/**
 * Returns the answer to a visitor, once the page's cache has expired, exactly as it was sent. Parsing it with the schema
 * would add defaults and drop unknown fields.
 */
async function view(api: TestApi) {
  api.clock.advance(5_000);
  const answer = await api.sendFrom('203.0.113.5')(`/api/status/${SLUG}`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: { state: string; domains: Record<string, unknown>[] } }).data;
}

describeAnyDatabase('A status page', (open) => {
  it('says that some clients refuse a host, but not which nor why, and names a certificate that was never read', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await recordCheck(api, await addUnchecked(alice, 'shop.example.com'), { isComplete: false });
    await addUnchecked(alice, 'unread.example.com');
    await save(alice, { title: 'Fjord', slug: SLUG, enabled: true });
    const [shop, other] = (await view(api)).domains;
    const rest = { is_unread: false, down_since: null, uptime: expect.anything() as unknown };
    expect(shop).toEqual({
      ...rest,
      name: 'shop.example.com',
      state: 'up',
      certificate: {
        state: 'refused',
        days_left: expect.any(Number) as number,
        expiry_date: expect.any(String) as string,
      },
    });
    // The other domain was never checked, so nobody knows yet whether it has a certificate.
    expect(other).toEqual({ ...rest, name: 'unread.example.com', state: 'unknown', certificate: null });
    await finishChecks(api, mintAuthority(), refusedByPolicy);
    const { state, domains } = await view(api);
    expect(state).toBe('trouble');
    expect(domains.map((one) => one['is_unread'])).toEqual([false, true]);
    await save(alice, { show_certificates: false });
    expect((await view(api)).domains.map((one) => one['is_unread'])).toEqual([false, false]);
  });

  it('lists domains with the same problem by soonest expiry, like the dashboard', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const hosts = [
      { host: 'a.example.com', days: 60 },
      { host: 'c.example.com', days: 40, isComplete: false },
      { host: 'd.example.com', days: 30, isComplete: false },
    ];
    for (const { host, ...seen } of hosts) await recordCheck(api, await addUnchecked(alice, host), seen);
    await save(alice, { title: 'Fjord', slug: SLUG, enabled: true });
    const names = (await view(api)).domains.map(({ name }) => name);
    expect(names).toEqual(['d', 'c', 'a'].map((name) => `${name}.example.com`));
    const { data } = (await alice.ask(CALLS.listDomains, { query: { sort: 'worst' } })).ok;
    expect(data.map(({ hostname }) => hostname)).toEqual(names);
  });
});
