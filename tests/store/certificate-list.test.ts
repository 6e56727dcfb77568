import { expect, it, onTestFinished, vi } from 'vitest';
import type { Kysely } from 'kysely';
import {
  certificateStory,
  type CertificateStory,
  type StoryCursor,
} from '../../server/store/checks/certificate-story.ts';
import { addCertificates } from '../../server/store/checks/certificates.ts';
import { addCertificateNames } from '../../server/store/schema/migrations/0027-certificate-names.ts';
import {
  type CertificateCursor,
  listServedCertificates,
} from '../../server/store/monitors/certificate-list.ts';
import { pauseMonitor } from '../../server/store/monitors/monitor-pauses.ts';
import { updateDescription } from '../../server/store/monitors/monitor-change.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import {
  CERTIFICATE_SORTS,
  type CertificateSort,
  SORT_DIRECTIONS,
  type SortDirection,
} from '../../contract/calls/list-order.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { insertRows } from '../kit/databases/insert-rows.ts';
import { certificate, check, DAY, NOW, person, recorded, type SampleCertificate, watch } from './samples.ts';

const wildcard = certificate({ subject: '*.shop.example', sans: ['*.shop.example'] });
const renewed = certificate({
  subject: '*.shop.example',
  sans: ['*.shop.example'],
  notBefore: NOW,
  notAfter: NOW + 90 * DAY,
});
const soon = certificate({ subject: 'soon.example', sans: ['soon.example'], notAfter: NOW + 5 * DAY });

/** Adds hosts that each serve a certificate and are next due in two days. Returns the ids of their monitors by host. */
async function serving(store: Store, accountId: string, served: Record<string, SampleCertificate>) {
  const ids: Record<string, string> = {};
  for (const [host, leaf] of Object.entries(served)) {
    ids[host] = (await watch(store, accountId, host)).id;
    await check(store, NOW, [leaf], { nextCheckAt: NOW + 2 * DAY });
  }
  return ids;
}

/** Records a check a day later. In it, one host serves the renewed certificate. */
async function renew(store: Store, monitorId = '') {
  await store.db
    .updateTable('monitors')
    .set({ next_check_at: NOW + DAY })
    .where('id', '=', monitorId)
    .execute();
  expect(await check(store, NOW + DAY, [renewed])).toMatchObject({ id: monitorId });
}

async function fillStore(store: Store) {
  const { id: accountId } = await person(store, 'alice');
  const ids = await serving(store, accountId, {
    'a.shop.example': wildcard,
    'b.shop.example': wildcard,
    'c.shop.example': wildcard,
    'd.shop.example': wildcard,
    'soon.example': soon,
  });
  const stranger = await person(store, 'mallory');
  await serving(store, stranger.id, { 'x.shop.example': wildcard });
  return { accountId, ids };
}

describeEachDatabase('the list of certificates', (open) => {
  it('says which certificates only paused domains serve; they do not need attention', async () => {
    const store = await open();
    const { accountId, ids } = await fillStore(store);
    const listed = async (status?: 'attention') => {
      const list = { accountId, status, sort: 'soonest', after: null, limit: 10, now: NOW } as const;
      const { certificates } = await listServedCertificates(store, list);
      return certificates.map(({ facts, isPaused }) => [facts.subject, isPaused]);
    };
    expect(await listed('attention')).toEqual([['soon.example', false]]);
    for (const host of ['a.shop.example', 'soon.example'])
      await pauseMonitor(store, { accountId, monitorId: ids[host] ?? '', now: NOW });
    expect(await listed()).toEqual([
      ['soon.example', true],
      ['*.shop.example', false],
    ]);
    expect(await listed('attention')).toEqual([]);
  });

  it('contains each certificate once, with the domains of the account that serve it, in each sort order', async () => {
    const store = await open();
    const { accountId } = await fillStore(store);
    const subjects = async (sort: CertificateSort) => {
      const found = await listServedCertificates(store, {
        accountId,
        sort,
        after: null,
        limit: 10,
        now: NOW,
      });
      expect([found.total, found.next]).toEqual([2, null]);
      return found.certificates.map(({ monitor, monitorCount, monitors }) => [
        monitor.certificate?.subject,
        monitorCount,
        ...monitors.map(({ host }) => host),
      ]);
    };
    const [shop, other] = [
      ['*.shop.example', 4, 'a.shop.example', 'b.shop.example', 'c.shop.example'],
      ['soon.example', 1, 'soon.example'],
    ];
    expect(await subjects('soonest')).toEqual([other, shop]);
    expect(await subjects('name')).toEqual([shop, other]);
    expect(await subjects('domains')).toEqual([shop, other]);
  });

  it('is paged by a cursor in each sort order and direction, also while certificates leave and join', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const issuers = [
      { authorityName: "Let's Encrypt", issuer: 'R13' },
      { authorityName: 'DigiCert Inc', issuer: 'DigiCert TLS RSA 2020 CA1' },
      { authorityName: '', issuer: '' },
    ];
    const add = async (host: string, index: number) => {
      const { id } = await watch(store, accountId, host);
      const served = certificate({ subject: host, notAfter: NOW + (index % 3) * DAY, ...issuers[index % 3] });
      await check(store, NOW, [served], { nextCheckAt: NOW + 100 * DAY });
      return [served.facts.fingerprint, id] as const;
    };
    for (const sort of CERTIFICATE_SORTS) {
      const ids = new Map<string, string>();
      const fill = async () => {
        await store.db.deleteFrom('monitors').execute();
        ids.clear();
        for (let index = 0; index < 9; index++) ids.set(...(await add(`host-${index}.example`, index)));
      };
      await fill();
      const list = { accountId, sort, now: NOW };
      const read = async (direction: SortDirection, meanwhile?: (last: string, page: number) => unknown) => {
        const found: string[] = [];
        let after: CertificateCursor | null = null;
        for (let page = 0; page === 0 || after !== null; page++) {
          const part: Awaited<ReturnType<typeof listServedCertificates>> = await listServedCertificates(
            store,
            { ...list, direction, after, limit: 2 },
          );
          found.push(...part.certificates.map(({ facts }) => facts.fingerprint));
          after = part.next;
          await meanwhile?.(found.at(-1) ?? '', page);
        }
        return found;
      };
      const whole = await listServedCertificates(store, {
        ...list,
        direction: 'asc',
        after: null,
        limit: 50,
      });
      const up = whole.certificates.map(({ facts }) => facts.fingerprint);
      expect(up).toHaveLength(9);
      expect(await read('asc')).toEqual(up);
      expect(await read('desc')).toEqual(up.toReversed());
      if (sort === 'issuer')
        expect(whole.certificates.map(({ facts }) => facts.authorityName)).toEqual(
          [issuers[1], issuers[0], issuers[2]].flatMap((one) =>
            Array.from({ length: 3 }, () => one?.authorityName),
          ),
        );
      for (const direction of SORT_DIRECTIONS) {
        await fill();
        const before = await read(direction);
        const found = await read(direction, async (last, page) => {
          if (page > 1) return;
          await removeMonitor(store, { accountId, monitorId: ids.get(last) ?? '', now: NOW });
          ids.set(...(await add(`new-${page}.example`, page)));
        });
        expect(new Set(found).size).toBe(found.length);
        expect(found.filter((one) => before.includes(one))).toEqual(before);
      }
    }
  });

  it('is sorted by international names in their Unicode form without accents', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const names = ['bucket.example', 'xn--bcher-kva.example', 'brook.example'];
    for (const [index, subject] of names.entries()) {
      await watch(store, accountId, subject, { now: NOW + index });
      await check(store, NOW + index, [certificate({ subject, sans: [subject] })]);
    }
    const list = { accountId, sort: 'name', after: null, limit: 10, now: NOW } as const;
    const { certificates } = await listServedCertificates(store, list);
    expect(certificates.map(({ facts }) => facts.subject)).toEqual([names[2], names[1], names[0]]);
  });

  it('can be filtered by text, tag and state, and shows the tags of all domains of a certificate', async () => {
    const store = await open();
    const { accountId, ids } = await fillStore(store);
    for (const [host, tags] of [
      ['b.shop.example', ['web', 'prod']],
      ['d.shop.example', ['prod', 'eu']],
    ] as const)
      await updateDescription(store, {
        accountId,
        monitorId: ids[host] ?? '',
        describe: (present) => ({ ...present, tags: [...tags] }),
      });
    const found = async (filter: { q?: string; tag?: string; status?: 'critical' }) => {
      const list = { accountId, sort: 'name', after: null, limit: 10, now: NOW, ...filter } as const;
      const { certificates } = await listServedCertificates(store, list);
      return certificates.map(({ monitor, tags }) => [monitor.certificate?.subject, tags]);
    };
    const shop = ['*.shop.example', ['eu', 'prod', 'web']];
    expect(await found({ tag: 'eu' })).toEqual([shop]);
    expect(await found({ q: 'shop' })).toEqual([shop]);
    expect(await found({ q: '*.SHOP.ex' })).toEqual([shop]);
    expect(await found({ q: '*.shop', tag: 'none' })).toEqual([]);
    expect(await found({ q: '*.shop', tag: 'eu' })).toEqual([shop]);
    expect(await found({ status: 'critical' })).toEqual([['soon.example', []]]);
    expect(await found({ q: 'nothing' })).toEqual([]);
  });

  it('is updated when a certificate is renewed and when a domain is removed', async () => {
    const store = await open();
    const { accountId, ids } = await fillStore(store);
    const counts = async () => {
      const list = { accountId, sort: 'domains', after: null, limit: 10, now: NOW } as const;
      const { certificates } = await listServedCertificates(store, list);
      return certificates.map(({ monitor, monitorCount }) => [
        monitor.certificate?.fingerprint,
        monitorCount,
      ]);
    };
    await removeMonitor(store, { accountId, monitorId: ids['soon.example'] ?? '', now: NOW });
    await renew(store, ids['a.shop.example']);
    expect(await counts()).toEqual([
      [wildcard.facts.fingerprint, 3],
      [renewed.facts.fingerprint, 1],
    ]);
  });
});

describeEachDatabase('the story of a certificate', (open) => {
  /** Stores 30 certificates with the same 2,000 names, oldest first, all served by one domain. Returns the fingerprint of the oldest. */
  async function renewedOften() {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const sans = Array.from({ length: 2_000 }, (_, index) => `h${index}.shop.example`);
    const all = Array.from({ length: 30 }, (_, index) => certificate({ sans, notBefore: NOW + index }));
    const { id: monitorId } = await watch(store, accountId, 'h0.shop.example');
    const [oldest = expect.fail(), ...others] = all;
    await check(store, NOW, [oldest]);
    await store.db.transaction().execute((trx) =>
      addCertificates(
        trx,
        others.map((one) => ({ ...one, fingerprint: one.facts.fingerprint })),
        NOW,
      ),
    );
    await insertRows(
      store,
      'monitor_certificates',
      others.map(({ facts: { fingerprint } }) => ({
        account_id: accountId,
        monitor_id: monitorId,
        id: fingerprint,
        fingerprint,
        role: 'leaf' as const,
        first_seen_at: NOW,
        last_seen_at: NOW,
        shown: 0,
      })),
    );
    const key = { accountId, fingerprint: oldest.facts.fingerprint, after: null, limit: 1 };
    return { store, key, all };
  }

  it('has the certificates with the same names, and the domains that serve one of them, page by page', async () => {
    const store = await open();
    const { accountId, ids } = await fillStore(store);
    await renew(store, ids['a.shop.example']);
    const key = { accountId, fingerprint: renewed.facts.fingerprint };
    const pages: CertificateStory[] = [];
    for (let after: StoryCursor | null = null; pages.length === 0 || after !== null;) {
      const story: CertificateStory | null = await certificateStory(store, { ...key, after, limit: 2 });
      pages.push(story ?? expect.fail());
      after = story?.next ?? null;
    }
    for (const page of pages) {
      expect(
        page.versions.map(({ fingerprint, firstSeenAt, monitorCount }) => [
          fingerprint,
          { firstSeenAt, monitorCount },
        ]),
      ).toEqual([
        [renewed.facts.fingerprint, { firstSeenAt: NOW + DAY, monitorCount: 1 }],
        [wildcard.facts.fingerprint, { firstSeenAt: NOW, monitorCount: 3 }],
      ]);
      expect(page).toMatchObject({ versionCount: 2, monitorCount: 4, done: 1, total: 4 });
    }
    const monitors = pages.flatMap((page) => page.monitors);
    expect(monitors.map(({ host }) => host).toSorted()).toEqual(
      Object.keys(ids).filter((host) => host.endsWith('.shop.example')),
    );
    expect(monitors.at(-1)).toMatchObject({ host: 'a.shop.example', isDone: true, firstSeenAt: NOW + DAY });
    expect(monitors.slice(0, 3).map(({ isDone, firstSeenAt }) => [isDone, firstSeenAt])).toEqual(
      Array.from({ length: 3 }, () => [false, null]),
    );
    expect(pages.map((page) => page.monitors.length)).toEqual([2, 2]);
  });

  it('has this certificate, the 20 newest of 29 others, and the total number', async () => {
    const { store, key, all } = await renewedOften();
    const [oldest = expect.fail(), ...others] = all;
    const story = (await certificateStory(store, key)) ?? expect.fail();
    expect(story.versions.map(({ notBefore }) => notBefore)).toEqual([
      ...others
        .slice(-20)
        .map(({ facts }) => facts.notBefore)
        .toReversed(),
      oldest.facts.notBefore,
    ]);
    expect(story.versionCount).toBe(30);
    expect(story.facts.sans).toEqual(oldest.facts.sans);
  });

  it('is read only on connections for searches, and only the names of this certificate are parsed', async () => {
    const { store, key, all } = await renewedOften();
    const { watched, asked } = recorded(store);
    const parsed = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parsed.mockRestore());
    await certificateStory(watched, key);
    expect(asked).toEqual([]);
    const fingerprints = parsed.mock.calls.flatMap(([text]) =>
      all.map(({ facts }) => facts.fingerprint).filter((fingerprint) => text.includes(fingerprint)),
    );
    expect(new Set(fingerprints)).toEqual(new Set([key.fingerprint]));
  });

  it('lists a paused domain, but does not count it among those that still have to change', async () => {
    const store = await open();
    const { accountId, ids } = await fillStore(store);
    await renew(store, ids['a.shop.example']);
    await pauseMonitor(store, { accountId, monitorId: ids['b.shop.example'] ?? '', now: NOW });
    const key = { accountId, fingerprint: renewed.facts.fingerprint, after: null, limit: 9 };
    const story = await certificateStory(store, key);
    expect(story).toMatchObject({ monitorCount: 4, done: 1, total: 3 });
    expect(story?.monitors.filter(({ isPaused }) => isPaused).map(({ host }) => host)).toEqual([
      'b.shop.example',
    ]);
  });

  it('cannot be read by other accounts', async () => {
    const store = await open();
    await fillStore(store);
    const { id: accountId } = await person(store, 'eve');
    const { fingerprint } = wildcard.facts;
    expect(await certificateStory(store, { accountId, fingerprint, after: null, limit: 9 })).toBeNull();
  });

  it('finds the certificates of an older database after its migration', async () => {
    const store = await open();
    const { accountId, ids } = await fillStore(store);
    await renew(store, ids['a.shop.example']);
    const columns = ['fingerprint', 'names_digest', 'not_before'] as const;
    const stored = store.db.selectFrom('certificates').select(columns).orderBy('fingerprint');
    const before = await stored.execute();
    for (const index of ['certificates_names', 'certificates_lifetimes'])
      await store.db.schema.dropIndex(index).execute();
    for (const column of ['names_digest', 'not_before'])
      await store.db.schema.alterTable('certificates').dropColumn(column).execute();
    await store.db.transaction().execute((trx) => addCertificateNames(trx as unknown as Kysely<unknown>));
    expect(await stored.execute()).toEqual(before);
    expect(before.every((row) => row.names_digest !== null)).toBe(true);
    const key = { accountId, fingerprint: renewed.facts.fingerprint, after: null, limit: 9 };
    expect((await certificateStory(store, key))?.versionCount).toBe(2);
  });

  it('has a certificate without a digest, which an older program stored, as its only version', async () => {
    const store = await open();
    const { accountId } = await fillStore(store);
    const { fingerprint } = wildcard.facts;
    await store.db.updateTable('certificates').set({ names_digest: null, not_before: null }).execute();
    const story = await certificateStory(store, { accountId, fingerprint, after: null, limit: 9 });
    expect(story).toMatchObject({ versionCount: 1, monitorCount: 4, done: 4 });
  });
});
