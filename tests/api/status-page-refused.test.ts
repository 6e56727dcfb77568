import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import type { StatusPageChange } from '../../contract/status-page.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { finishChecks, refusedByPolicy } from './finish-checks.ts';
import { startApi, type TestApi } from './test-api.ts';
import { add, look } from './watched.ts';

const SLUG = 'fjord-systems';
const save = (person: Person, body: StatusPageChange) => person.ask(CALLS.saveStatusPage, { body });

/** Returns what a visitor sees once the page's cache has expired. */
async function seen(api: TestApi) {
  api.clock.advance(5_000);
  const answer = await api.sendFrom('203.0.113.5')(`/api/status/${SLUG}`);
  return CALLS.publicStatus.response.parse(await answer.json()).data;
}

describeAnyDatabase('A status page', (open) => {
  it('says that some clients refuse a host, but not which nor why, and names a certificate that was never read', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await look(api, await add(alice, 'shop.example.com'), { isComplete: false });
    await add(alice, 'unread.example.com');
    await save(alice, { title: 'Fjord', slug: SLUG, enabled: true });
    const [shop, other] = (await seen(api)).domains;
    expect(shop).toMatchObject({ certificate: { state: 'refused' }, is_unread: false });
    // It was never checked, so nobody knows yet.
    expect(other).toMatchObject({ certificate: null, is_unread: false });
    await finishChecks(api, mintAuthority(), refusedByPolicy);
    const { state, domains } = await seen(api);
    expect(state).toBe('trouble');
    expect(domains.map(({ is_unread: isUnread }) => isUnread)).toEqual([false, true]);
    await save(alice, { show_certificates: false });
    expect((await seen(api)).domains.map(({ is_unread: isUnread }) => isUnread)).toEqual([false, false]);
  });
});
