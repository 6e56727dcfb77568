import { expect, it } from 'vitest';
import { certificateVersions } from '../../server/store/checks/certificate-history.ts';
import { listServedCertificates } from '../../server/store/monitors/certificate-list.ts';
import { updateDescription } from '../../server/store/monitors/monitor-change.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import type { CertificateSort } from '../../contract/words.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { certificate, check, DAY, NOW, person, type SampleCertificate, watch } from './samples.ts';

const wildcard = certificate({ subject: '*.shop.example', sans: ['*.shop.example'] });
const renewed = certificate({
  subject: '*.shop.example',
  sans: ['*.shop.example'],
  notBefore: NOW,
  notAfter: NOW + 90 * DAY,
});
const soon = certificate({ subject: 'soon.example', sans: ['soon.example'], notAfter: NOW + 5 * DAY });

/** Adds hosts that each serve a certificate and are next due in two days; returns the ids by host. */
async function serving(store: Store, accountId: string, served: Record<string, SampleCertificate>) {
  const ids: Record<string, string> = {};
  for (const [host, leaf] of Object.entries(served)) {
    ids[host] = (await watch(store, accountId, host)).id;
    await check(store, NOW, [leaf], { nextCheckAt: NOW + 2 * DAY });
  }
  return ids;
}

/** Records a check a day later, in which one host serves the renewed certificate. */
async function renew(store: Store, monitorId = '') {
  await store.db
    .updateTable('monitors')
    .set({ next_check_at: NOW + DAY })
    .where('id', '=', monitorId)
    .execute();
  expect(await check(store, NOW + DAY, [renewed])).toMatchObject({ id: monitorId });
}

async function filled(store: Store) {
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
  it('contains each certificate once, with the domains of the account that serve it, in each sort order', async () => {
    const store = await open();
    const { accountId } = await filled(store);
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

  it('is paged by a cursor in each sort order', async () => {
    const store = await open();
    const { accountId } = await filled(store);
    for (const sort of ['soonest', 'name', 'domains'] as const) {
      const list = { accountId, sort, limit: 1, now: NOW };
      const first = await listServedCertificates(store, { ...list, after: null });
      const second = await listServedCertificates(store, { ...list, after: first.next });
      expect([first, second].map(({ certificates, total }) => [certificates.length, total])).toEqual([
        [1, 2],
        [1, 2],
      ]);
      expect(first.certificates[0]?.monitor.certificate).not.toEqual(
        second.certificates[0]?.monitor.certificate,
      );
      expect(second.next).toBeNull();
    }
  });

  it('can be filtered by text, tag and state, and shows the tags of all domains of a certificate', async () => {
    const store = await open();
    const { accountId, ids } = await filled(store);
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
    const { accountId, ids } = await filled(store);
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

describeEachDatabase('the versions of a certificate', (open) => {
  it('are the certificates with the same names, listed with the domains that serve one of them', async () => {
    const store = await open();
    const { accountId, ids } = await filled(store);
    await renew(store, ids['a.shop.example']);
    const key = { accountId, fingerprint: renewed.facts.fingerprint };
    const found = (await certificateVersions(store, key)) ?? expect.fail();
    expect(found.versions.map(({ facts }) => facts.fingerprint).toSorted()).toEqual(
      [wildcard, renewed].map(({ facts }) => facts.fingerprint).toSorted(),
    );
    expect(found.monitors.map(({ host }) => host)).toEqual(
      Object.keys(ids).filter((host) => host.endsWith('.shop.example')),
    );
    const changed = found.monitors.filter(({ serves }) => serves === renewed.facts.fingerprint);
    expect(changed.map(({ firstSeenAt }) => [...firstSeenAt].toSorted(([, a], [, b]) => a - b))).toEqual([
      [
        [wildcard.facts.fingerprint, NOW],
        [renewed.facts.fingerprint, NOW + DAY],
      ],
    ]);
  });

  it('cannot be read by other accounts', async () => {
    const store = await open();
    await filled(store);
    const { id: accountId } = await person(store, 'eve');
    const { fingerprint } = wildcard.facts;
    expect(await certificateVersions(store, { accountId, fingerprint })).toBeNull();
  });
});
