import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { naturalDirection, SORT_DIRECTIONS } from '../../contract/calls/list-order.ts';
import { DOMAIN_SORTS } from '../../contract/words.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { addMonitors } from '../../server/store/monitors/monitor-adding.ts';

/** Adds domains: two of every five have no certificate, and several share the same times. */
async function watch(api: TestApi, person: Person, names: string[]): Promise<void> {
  const now = api.clock.now();
  for (const [index, name] of names.entries()) {
    const host = `${name}.example.com`;
    await addMonitors(api.store, {
      accountId: person.id,
      checkEveryMinutes: 1440,
      now: now - (index % 4) * 1000,
      mayAdd: () => true,
      endpoints: [{ host, port: 443, protocol: 'https' }],
    });
    await api.store.db
      .updateTable('monitors')
      .set({ not_after: index % 5 < 2 ? null : now + (index % 3) * DAY_MS })
      .where('host', '=', host)
      .execute();
  }
}

interface Reading {
  sort: string;
  direction?: string;
  limit?: number;
  q?: string;
  /** Called between two pages. `last` is the id of the row that the cursor names. */
  meanwhile?: (count: number, last: string) => Promise<void>;
}

async function readOn(
  person: Person,
  { sort, direction = naturalDirection(sort), limit = 3, q, meanwhile }: Reading,
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null | undefined;
  for (let count = 0; count < 50; count++) {
    const query = { sort, direction, limit: String(limit), ...(q && { q }), ...(cursor && { cursor }) };
    const answer = (await person.ask(CALLS.listDomains, { query })).ok;
    expect([answer.page, answer.page_size]).toEqual([cursor ? null : 1, limit]);
    ids.push(...answer.data.map(({ id }) => id));
    cursor = answer.next_cursor;
    if (!cursor) return ids;
    await meanwhile?.(count, ids.at(-1) ?? '');
  }
  throw new Error('The list has no end');
}

async function wholeList(
  person: Person,
  sort: string,
  direction: string = naturalDirection(sort),
): Promise<string[]> {
  return (await person.ask(CALLS.domainIds, { query: { sort, direction } })).ok.data.ids;
}

/** Number of these names that have no certificate, see `watch`. */
const WITHOUT_CERTIFICATE = 8;
const NAMES = Array.from({ length: 17 }, (_, index) => `n${(index * 7) % 17}`);

describeEachDatabase('A list with cursor pagination', (open) => {
  it('contains all rows in each sort order and direction, with and without a filter', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    await watch(api, alice, NAMES);
    await watch(api, bob, ['bobs']);
    for (const sort of DOMAIN_SORTS) {
      const [up, down] = [await wholeList(alice, sort, 'asc'), await wholeList(alice, sort, 'desc')];
      // In the order by expiry, domains without a certificate are last in both directions.
      const dated = NAMES.length - WITHOUT_CERTIFICATE;
      const isMixed = sort === 'soonest';
      expect(isMixed ? down.slice(0, dated) : down).toEqual((isMixed ? up.slice(0, dated) : up).toReversed());
      for (const direction of SORT_DIRECTIONS) {
        const whole = direction === 'asc' ? up : down;
        for (const limit of [1, 3, 17, 200])
          expect(await readOn(alice, { sort, direction, limit })).toEqual(whole);
        const query = { sort, direction, q: 'n1' };
        const found = (await alice.ask(CALLS.domainIds, { query })).ok.data.ids;
        expect(await readOn(alice, query)).toEqual(found);
      }
    }
  });

  it('neither repeats nor skips remaining rows while others are added and removed', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await grantPremium(api.store, alice.id, { grant: { endsAt: null }, now: api.clock.now() });
    for (const sort of DOMAIN_SORTS)
      for (const direction of SORT_DIRECTIONS) {
        // In this order, rows that are added meanwhile belong at the end, so the list would rightly contain them.
        if (sort === 'newest' && direction === 'asc') continue;
        await api.store.db.deleteFrom('monitors').execute();
        await watch(api, alice, NAMES);
        const before = await wholeList(alice, sort, direction);
        const removed = new Set<string>();
        const read = await readOn(alice, {
          sort,
          direction,
          async meanwhile(count, gone) {
            if (count > 3) return;
            removed.add(gone);
            await alice.ask(CALLS.removeDomain, { params: { id: gone } });
            await watch(api, alice, [`a-new-${count}`]);
          },
        });
        expect(new Set(read).size).toBe(read.length);
        expect(read.filter((id) => before.includes(id))).toEqual(before);
        expect(removed.size).toBeGreaterThan(2);
      }
  });

  it('rejects a cursor that is altered, forged or of another sort order, and invalid limits', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await watch(api, alice, NAMES);
    const { next_cursor: cursor } = (await alice.ask(CALLS.listDomains, { query: { limit: '2' } })).ok;
    const made = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const query of [
      { cursor: cursor ?? '', sort: 'name' },
      { cursor: `x${cursor}` },
      { cursor: '' },
      { cursor: '%00' },
      { cursor: made(null) },
      { cursor: made({ sort: 'newest', createdAt: '1', id: '' }) },
      { cursor: made({ sort: 'newest', createdAt: 1e300, id: '' }) },
      { cursor: made({ sort: 'name', host: '\0', port: 1 }), sort: 'name' },
      { cursor: made({ sort: 'newest', createdAt: 1, id: '', more: 1 }) },
      { cursor: 'A'.repeat(1_001) },
      { limit: '0' },
      { limit: '201' },
      { limit: '1.5' },
    ] as Record<string, string>[]) {
      const { problem } = await alice.ask(CALLS.listDomains, { query });
      expect([query, problem.code]).toEqual([query, 'invalid_request']);
    }
  });

  it('contains all messages of a channel in the order of the unpaginated list', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const params = { key: 'email' };
    for (let count = 0; count < 7; count++) {
      await alice.ask(CALLS.testChannel, { params });
      if (count % 3 === 0) api.clock.advance(1000);
    }
    const whole = (await alice.ask(CALLS.channelDeliveries, { params })).ok;
    expect(whole.data).toHaveLength(7);
    expect(whole.next_cursor).toBeNull();
    const ids: string[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { limit: '2', ...(cursor && { cursor }) };
      const part = (await alice.ask(CALLS.channelDeliveries, { params, query })).ok;
      ids.push(...part.data.map(({ id }) => id));
      cursor = part.next_cursor;
    } while (cursor);
    expect(ids).toEqual(whole.data.map(({ id }) => id));
  });

  it('contains each certificate of a domain once', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { id } = (await alice.ask(CALLS.addDomain, { body: { host: 'example.com' } })).ok.data;
    const authority = mintAuthority();
    for (let count = 0; count < 3; count++) {
      await finishChecks(api, authority, answeredWith(authority.issue({ dnsNames: ['example.com'] })));
      api.clock.advance(2 * DAY_MS);
      await alice.ask(CALLS.refreshSession);
    }
    const whole = (await alice.ask(CALLS.domainHistory, { params: { id } })).ok;
    expect(whole.data).toHaveLength(3);
    expect(whole.next_cursor).toBeNull();
    const read: string[] = [];
    const sizes: number[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { limit: '2', ...(cursor && { cursor }) };
      const part = (await alice.ask(CALLS.domainHistory, { params: { id }, query })).ok;
      read.push(...part.data.map(({ fingerprint }) => fingerprint));
      sizes.push(part.data.length);
      cursor = part.next_cursor;
    } while (cursor);
    expect(sizes).toEqual([2, 1]);
    expect(new Set(read)).toEqual(new Set(whole.data.map(({ fingerprint }) => fingerprint)));
  });

  it('the certificate history is empty before a domain’s first check and rejects a forged cursor', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { id } = (await alice.ask(CALLS.addDomain, { body: { host: 'example.com' } })).ok.data;
    const params = { id };
    const empty = (await alice.ask(CALLS.domainHistory, { params, query: { limit: '2' } })).ok;
    expect(empty).toEqual({ data: [], next_cursor: null, not_kept: null });
    const refused = await alice.ask(CALLS.domainHistory, { params, query: { cursor: randomUUID() } });
    expect(refused.problem.code).toBe('invalid_request');
  });
});
