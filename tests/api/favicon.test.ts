import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { storeFavicon } from '../../server/store/monitors/favicons.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { pngIcon } from '../kit/peers/icons.ts';
import { startApi, type TestApi } from './test-api.ts';
import { spec } from '../spec/spec.ts';
import { promise } from '../security/promise.ts';

const content = pngIcon(16);

async function keep({ store, clock }: TestApi, host: string) {
  const site = { host, port: 443 };
  await store.db
    .insertInto('favicons')
    .values({ ...site, next_fetch_at: 0 })
    .execute();
  // Marks the domain as checked, because only then an icon is fetched for it.
  await store.db
    .updateTable('monitors')
    .set({ last_read_at: clock.now() })
    .where('host', '=', host)
    .execute();
  await storeFavicon(store, site, { contentType: 'image/png', content, nextFetchAt: clock.now() });
}

describeAnyDatabase('The icon of a domain', (open) => {
  it('is served to its owner only, at a versioned address that caches may keep', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const added = (await alice.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } })).ok.data;
    expect(added.favicon).toBeNull();
    const path = `/api/domain/${added.id}/favicon`;
    expect((await alice.send(path)).status).toBe(404);

    await keep(api, 'shop.example.com');
    const [domain] = (await alice.ask(CALLS.listDomains)).ok.data;
    expect(domain?.favicon).toMatch(new RegExp(String.raw`^${path}\?v=[0-9a-f]{16}$`));
    const icon = await alice.send(domain?.favicon ?? '');
    expect(Buffer.from(await icon.arrayBuffer())).toEqual(content);
    spec('2D.12', 'The icon comes from the tracked host');
    expect(Object.fromEntries(icon.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, max-age=86400, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
    });
    for (const address of [path, `${path}?v=of-yesterday`])
      expect((await alice.send(address)).headers.get('cache-control')).toBe('private, max-age=86400');
    const refused = await charlie.send(domain?.favicon ?? '');
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([404, 'no-store']);
    promise('icons');
  });
});
