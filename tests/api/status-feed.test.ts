import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import type { StatusPageChange } from '../../contract/status-page.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';
import { addUnchecked, goDown, recordCheck } from './watched.ts';

const SLUG = 'fjord-systems';
const save = (person: Person, body: StatusPageChange) => person.ask(CALLS.saveStatusPage, { body });

describeAnyDatabase('The Atom feed of a status page', (open) => {
  it('lists the incidents of its page; entries keep their ids and escape names', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await addUnchecked(alice, 'shop.example.com');
    await goDown(api, id);
    await save(alice, {
      slug: SLUG,
      enabled: true,
      title: 'Fjord & <Co>',
      domains: [{ id, label: '<b>Shop</b> ]]> & more' }],
    });
    const read = async () => {
      api.clock.advance(5_000);
      const answer = await api.sendFrom('203.0.113.5')(`/status/${SLUG}/feed.atom`, {});
      expect(answer.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
      expect(answer.headers.get('x-robots-tag')).toBe('noindex');
      const [head = '', entry = ''] = (await answer.text()).split('<entry>');
      const valueOf = (part: string, tag: string) => new RegExp(`<${tag}[^>]*>(.*)</${tag}>`).exec(part)?.[1];
      return {
        title: valueOf(head, 'title'),
        entry: {
          title: valueOf(entry, 'title'),
          id: valueOf(entry, 'id'),
          updated: valueOf(entry, 'updated'),
        },
      };
    };
    const lasting = await read();
    expect(lasting.title).toBe('Fjord &amp; &lt;Co&gt;');
    expect(lasting.entry.title).toBe('<![CDATA[&lt;b&gt;Shop&lt;/b&gt; ]]&gt; &amp; more is down]]>');
    api.clock.advance(8 * 60_000);
    await recordCheck(api, id);
    const ended = await read();
    expect(ended.entry.title).toMatch(/ was down for \d+ minutes\]\]>$/);
    expect(ended.entry.id).toBe(lasting.entry.id);
    expect(ended.entry.id).not.toContain(id);
    expect(Date.parse(ended.entry.updated ?? '')).toBeGreaterThan(Date.parse(lasting.entry.updated ?? ''));
    await save(alice, { show_incidents: false });
    expect((await read()).entry.title).toBeUndefined();
    await save(alice, { enabled: false });
    expect((await api.sendFrom('203.0.113.5')(`/status/${SLUG}/feed.atom`, {})).status).toBe(404);
  });
});
