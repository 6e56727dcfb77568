import { expect, it } from 'vitest';
import { listPageMonitors, type StatusPageChoices } from '../../server/store/publishing/status-pages.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { certificate, check, DAY, NOW, person, watch } from './samples.ts';

const ALL: StatusPageChoices = {
  title: 'Fjord',
  shows: 'all',
  tags: [],
  domains: [],
  showCertificates: true,
  showUptime: true,
  showIncidents: true,
};

/** For each host, days from NOW to the end of its certificate. Hosts are in alphabetical order. */
const HOSTS = {
  'a-fine.example': 60,
  'b-soon.example': 12,
  'c-private.example': 2,
  'd-fine.example': 60,
  'e-critical.example': 5,
  'f-private.example': 60,
  'g-expired.example': -1,
  'h-more-critical.example': 3,
};

async function withHosts(store: Store): Promise<string> {
  const { id: accountId } = await person(store, 'alice');
  let now = NOW - 100;
  for (const [host, days] of Object.entries(HOSTS)) {
    await watch(store, accountId, host, { now: now++ });
    await check(store, now, [certificate({ notAfter: NOW + days * DAY })]);
  }
  return accountId;
}

describeEachDatabase('a status page on which not all domains fit', (open) => {
  it('shows the worst certificates, those that expire soonest first', async () => {
    const store = await open();
    const accountId = await withHosts(store);
    const names = async (max: number) => {
      const isShown = () => true;
      const { monitors } = await listPageMonitors(store, { accountId, choices: ALL, isShown, max, now: NOW });
      return monitors.map(({ host }) => host.split('.')[0]);
    };
    const worst = ['g-expired', 'c-private', 'h-more-critical', 'e-critical', 'b-soon'];
    expect(await names(3)).toEqual(worst.slice(0, 3));
    expect(await names(6)).toEqual([...worst, 'a-fine']);
  });

  it('prefers an expired certificate to a host that is down, and that to one that expires soon', async () => {
    const store = await open();
    const accountId = await withHosts(store);
    await store.db
      .updateTable('monitors')
      .set({ uptime: 'down' })
      .where('host', '=', 'a-fine.example')
      .execute();
    const isShown = () => true;
    const page = await listPageMonitors(store, { accountId, choices: ALL, isShown, max: 3, now: NOW });
    expect(page.monitors.map(({ host }) => host.split('.')[0])).toEqual(['g-expired', 'a-fine', 'c-private']);
  });

  it('shows the worst certificates of all its tags together', async () => {
    const store = await open();
    const accountId = await withHosts(store);
    const tagged = { 'b-soon.example': 'one', 'e-critical.example': 'two', 'h-more-critical.example': 'one' };
    for (const [host, tag] of Object.entries(tagged))
      await store.db
        .updateTable('monitors')
        .set({ tags: JSON.stringify([tag]) })
        .where('host', '=', host)
        .execute();
    const choices = { ...ALL, shows: 'tags' as const, tags: ['one', 'two'] };
    const isShown = () => true;
    const page = await listPageMonitors(store, { accountId, choices, isShown, max: 2, now: NOW });
    expect(page.monitors.map(({ host }) => host)).toEqual(['h-more-critical.example', 'e-critical.example']);
    expect(page.more).toBe(1);
  });

  it('neither shows nor counts private domains, and returns their names separately', async () => {
    const store = await open();
    const accountId = await withHosts(store);
    const isShown = ({ host }: { host: string }) => !host.includes('private');
    const page = await listPageMonitors(store, { accountId, choices: ALL, isShown, max: 4, now: NOW });
    expect(page.monitors.map(({ host }) => host.split('.')[0])).toEqual([
      'g-expired',
      'h-more-critical',
      'e-critical',
      'b-soon',
    ]);
    expect(page.more).toBe(2);
    expect(page.leftOut.map(({ host }) => host)).toEqual(['c-private.example', 'f-private.example']);
  });
});
