import { expect, it } from 'vitest';
import type { MonitorFilter } from '../../server/store/monitors/monitor-filter.ts';
import { updateDescription } from '../../server/store/monitors/monitor-change.ts';
import { monitorGroups } from '../../server/store/monitors/monitor-groups.ts';
import { listMonitors } from '../../server/store/monitors/monitor-list.ts';
import { pauseMonitor } from '../../server/store/monitors/monitor-pauses.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { certificate, check, DAY, NOW, person, watch } from './samples.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import type { DomainGrouping } from '../../contract/words.ts';

/** The account's hosts: issuer of the certificate, days left, tags. */
const HOSTS: Record<string, { issuer: string | null; days?: number; tags?: string[] }> = {
  'a.example': { issuer: 'Fjord Trust', days: 60, tags: ['prod', 'web'] },
  'b.example': { issuer: 'Fjord Trust', days: 3, tags: ['prod'] },
  'c.example': { issuer: 'Moss & “Sons”', days: -1, tags: ['web'] },
  'd.example': { issuer: '', days: 90 },
  'e.example': { issuer: null },
};

describeEachDatabase('the groups of the domain list', (open) => {
  it('count domains by tag, by issuer and by state, and how many of them need attention, and name the worst reason', async () => {
    const { store, accountId } = await fillStore(await open());
    const groups = async (by: DomainGrouping, isWorstFirst = false) =>
      (await monitorGroups(store, { accountId, by, isWorstFirst, now: NOW })).map(
        ({ key, total, attention, worst }) => [key, total, attention, worst],
      );
    expect(await groups('tag')).toEqual([
      ['prod', 2, 1, 'critical'],
      ['web', 2, 1, 'expired'],
      [null, 2, 0, null],
    ]);
    expect(await groups('issuer')).toEqual([
      ['Fjord Trust', 2, 1, 'critical'],
      [null, 2, 0, null],
      ['Moss & “Sons”', 1, 1, 'expired'],
    ]);
    expect(await groups('state')).toEqual([
      ['ok', 2, 0, null],
      ['critical', 1, 1, 'critical'],
      ['expired', 1, 1, 'expired'],
      ['pending', 1, 0, null],
    ]);
    const names = async (by: DomainGrouping) => (await groups(by, true)).map(([key]) => key);
    expect(await names('tag')).toEqual(['web', 'prod', null]);
    expect(await names('issuer')).toEqual(['Moss & “Sons”', 'Fjord Trust', null]);
    expect(await names('state')).toEqual(['expired', 'critical', 'ok', 'pending']);
  });

  it('have filters by issuer and tag that list exactly their domains', async () => {
    const { store, accountId } = await fillStore(await open());
    const hosts = async (filter: Partial<MonitorFilter>) => {
      const query = { accountId, now: NOW, sort: 'name', page: 1, pageSize: 50, ...filter } as const;
      return (await listMonitors(store, query)).monitors.map(({ host }) => host);
    };
    expect(await hosts({ issuer: 'Fjord Trust' })).toEqual(['a.example', 'b.example']);
    expect(await hosts({ issuer: 'Moss & “Sons”', q: 'exam' })).toEqual(['c.example']);
    expect(await hosts({ issuer: 'Fjord Trust', status: 'critical' })).toEqual(['b.example']);
    expect(await hosts({ issuer: 'Fjord Trust', status: 'ok' })).toEqual(['a.example']);
    expect(await hosts({ without: 'issuer' })).toEqual(['d.example', 'e.example']);
    expect(await hosts({ without: 'tag' })).toEqual(['d.example', 'e.example']);
    expect(await hosts({ issuer: "x' or 1 = 1 --" })).toEqual([]);
  });

  it.each(['a\u0000b', 'a\\u0000b', '\\\u0000', '\\\\\u0000\u0000'])(
    'count a domain whose certificate has the subject %j, and have a filter that lists it',
    async (subject) => {
      const { store, accountId } = await fillStore(await open());
      await watch(store, accountId, 'nul.example');
      await check(store, NOW, [certificate({ subject, authorityName: 'Fjord Trust' })]);
      const groups = await monitorGroups(store, { accountId, by: 'issuer', now: NOW });
      expect(groups[0]).toEqual({ key: 'Fjord Trust', total: 3, attention: 1, worst: 'critical' });
      const query = { accountId, now: NOW, sort: 'name', page: 1, pageSize: 50 } as const;
      const { monitors } = await listMonitors(store, { ...query, issuer: 'Fjord Trust' });
      expect(monitors.map(({ host }) => host)).toEqual(['a.example', 'b.example', 'nul.example']);
    },
  );

  it('cover only the domains of one account that match the filter', async () => {
    const { store, accountId } = await fillStore(await open());
    const bob = await person(store, 'bob');
    const { id: monitorId } = await watch(store, bob.id, 'b.bob.example');
    await check(store, NOW, [certificate({ authorityName: 'Fjord Trust' })]);
    const groups = (filter: Partial<MonitorFilter>) =>
      monitorGroups(store, { accountId, by: 'issuer', now: NOW, ...filter });
    expect(await groups({ q: 'b.' })).toEqual([
      { key: 'Fjord Trust', total: 1, attention: 1, worst: 'critical' },
    ]);
    expect(await groups({ tag: 'web', status: 'expired' })).toEqual([
      { key: 'Moss & “Sons”', total: 1, attention: 1, worst: 'expired' },
    ]);
    expect(await groups({ q: 'nothing' })).toEqual([]);
    await pauseMonitor(store, { accountId: bob.id, monitorId, now: NOW });
    expect(await monitorGroups(store, { accountId: bob.id, by: 'state', now: NOW })).toEqual([
      { key: 'paused', total: 1, attention: 0, worst: null },
    ]);
  });
});

async function fillStore(store: Store): Promise<{ store: Store; accountId: string }> {
  const { id: accountId } = await person(store, 'alice');
  for (const [place, [host, { issuer, days = 0, tags = [] }]] of Object.entries(HOSTS).entries()) {
    const now = NOW + place;
    const { id: monitorId } = await watch(store, accountId, host, { now });
    if (issuer !== null)
      await check(store, now, [certificate({ authorityName: issuer, notAfter: NOW + days * DAY })]);
    await updateDescription(store, { accountId, monitorId, describe: () => ({ tags, notes: '' }) });
  }
  return { store, accountId };
}
