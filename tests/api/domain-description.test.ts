import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import type { Signal } from '../../server/store/db/signals.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';

const add = async (person: Person, host: string) =>
  (await person.ask(CALLS.addDomain, { body: { host } })).ok.data.id;
const found = async (person: Person, query: Record<string, string>) =>
  (await person.ask(CALLS.listDomains, { query })).ok.data.map(({ display_name: name }) => name);

describeAnyDatabase('A domain', (open) => {
  it('can be read by id, but only by its owner', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const params = { id: await add(alice, 'shop.example.com') };
    const [listed] = (await alice.ask(CALLS.listDomains)).ok.data;
    expect((await alice.ask(CALLS.domain, { params })).ok.data).toEqual(listed);
    expect((await charlie.ask(CALLS.domain, { params })).problem.code).toBe('not_found');
  });

  it('stores notes and tags; a change of one keeps the other', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const params = { id: await add(alice, 'shop.example.com') };
    const describe = async (body: unknown) =>
      (await alice.ask(CALLS.describeDomain, { params, body })).ok.data;
    expect(
      await describe({ notes: ' Renewed by hand.\r\nAsk Bob. ', tags: ['Prod', ' EU ', 'prod'] }),
    ).toMatchObject({ notes: 'Renewed by hand.\nAsk Bob.', tags: ['prod', 'eu'] });
    expect(await describe({ tags: ['dev'] })).toMatchObject({
      notes: 'Renewed by hand.\nAsk Bob.',
      tags: ['dev'],
    });
    expect(await describe({ notes: '' })).toMatchObject({ notes: '', tags: ['dev'] });
    expect((await alice.ask(CALLS.domain, { params })).ok.data).toMatchObject({ notes: '', tags: ['dev'] });
  });

  it('rejects invalid notes and tags', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const params = { id: await add(alice, 'shop.example.com') };
    for (const body of [
      { notes: 'x'.repeat(2_001) },
      { notes: 'a\u0000b' },
      { notes: 1 },
      { tags: 'prod' },
      { tags: ['a,b'] },
      { tags: [''] },
      { tags: ['x'.repeat(41)] },
      { tags: Array.from({ length: 21 }, (_, index) => `tag ${index}`) },
      undefined,
    ])
      expect((await alice.ask(CALLS.describeDomain, { params, body })).problem.code).toBe('invalid_request');
  });

  it('publishes a change event when its notes change, and none when they stay the same', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice, 'shop.example.com');
    const signals: Signal[] = [];
    api.store.signals.subscribe((signal) => void signals.push(signal));
    const body = { notes: 'Renewed by hand.' };
    for (let time = 0; time < 2; time++) await alice.ask(CALLS.describeDomain, { params: { id }, body });
    expect(signals).toEqual([{ topic: 'domain', accountId: alice.id, monitorId: id, change: 'changed' }]);
  });

  it('is found by name in Unicode or Punycode, notes and tags; % and _ match only themselves', async () => {
    const api = await startApi(open);
    const { bob, charlie } = await api.cast();
    const params = { id: await add(bob, 'Bücher.example') };
    await add(bob, 'other.example');
    const body = { notes: `100% of a_b \\ "c" 'd'`, tags: ['front end', 'a"b', 'c\\'] };
    await bob.ask(CALLS.describeDomain, { params, body });
    for (const q of ['bücher', 'BÜCHER', 'xn--bcher-kva', '100%', 'A_B', '\\ "C"', "'d'", 'front', 'a"b'])
      expect([q, await found(bob, { q })]).toEqual([q, ['bücher.example']]);
    for (const q of ['bucher', '1%0', 'a__b', '100_', '\\\\', "''"])
      expect([q, await found(bob, { q })]).toEqual([q, []]);
    for (const tag of ['front end', 'Front End', 'a"b', 'c\\'])
      expect([tag, await found(bob, { tag })]).toEqual([tag, ['bücher.example']]);
    for (const tag of ['front', 'b', 'a', 'c', '%', '_ront end'])
      expect([tag, await found(bob, { tag })]).toEqual([tag, []]);
    expect(await found(charlie, { q: 'example' })).toEqual([]);
  });

  it('is sorted by name on request, and the list of ids has the same order', async () => {
    const api = await startApi(open);
    const { bob, charlie } = await api.cast();
    for (const host of ['b.example', 'a.example:8443', 'c.example', 'a.example']) {
      api.clock.advance(1_000);
      await add(bob, host);
    }
    expect(await found(bob, { sort: 'name' })).toEqual([
      'a.example',
      'a.example:8443',
      'b.example',
      'c.example',
    ]);
    for (const query of [{}, { sort: 'name' }, { q: 'a.example', sort: 'name' }, { status: 'ok' }] as Record<
      string,
      string
    >[]) {
      const { data, total } = (await bob.ask(CALLS.listDomains, { query })).ok;
      const ids = data.map(({ id }) => id);
      expect((await bob.ask(CALLS.domainIds, { query })).ok.data).toMatchObject({ ids, total });
    }
    expect((await charlie.ask(CALLS.domainIds)).ok.data).toEqual({
      ids: [],
      total: 0,
      expiry_days: [],
      tags: [],
    });
    expect((await bob.ask(CALLS.domainIds, { query: { sort: 'host' } })).problem.code).toBe(
      'invalid_request',
    );
  });
});
