import { expect, it } from 'vitest';
import { listPageMonitors, type StatusPageChoices } from '../../server/store/publishing/status-pages.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase } from '../kit/database.ts';
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

/** Host → days from NOW to the end of its certificate, in alphabetical order. */
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
  it('neither shows nor counts private domains, and returns them separately', async () => {
    const store = await open();
    const accountId = await withHosts(store);
    const isShown = ({ host }: { host: string }) => !host.includes('private');
    const page = await listPageMonitors(store, { accountId, choices: ALL, isShown, max: 4, now: NOW });
    expect(page.monitors.map(({ host }) => host.split('.')[0])).toEqual([
      'g-expired',
      'a-fine',
      'b-soon',
      'd-fine',
    ]);
    expect(page.more).toBe(2);
    expect(page.leftOut.map(({ host }) => host)).toEqual(['c-private.example', 'f-private.example']);
  });
});
