import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { renewalRow } from '../kit/product/sample-forecast.ts';
import { storeForecasts } from '../kit/product/stored-forecasts.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi } from './test-api.ts';

const authority = mintAuthority({ organization: "Let's Encrypt", commonName: 'E99' });
const HOSTS = ['caa.example', 'fine.example', 'soon.example'] as const;
const LINE = "Next renewal will fail: CAA forbids Let's Encrypt";

const failing = { query: { status: 'renewal_fails' } };
const hostsThatFail = async (person: Person) =>
  (await person.ask(CALLS.listDomains, failing)).ok.data.map(({ hostname }) => hostname);

describeAnyDatabase('Forecasts of renewals', (open) => {
  /** Checks three domains. The first has a forecast that fails, the second one that works, the third none yet. */
  async function world() {
    const api = await startApi(open);
    const { bob, charlie } = await api.cast();
    const now = api.clock.now();
    const ids: string[] = [];
    for (const host of HOSTS) ids.push((await bob.ask(CALLS.addDomain, { body: { host } })).ok.data.id);
    const issued = (host: string) =>
      authority.issue({ dnsNames: [host], notBefore: now - 30 * DAY_MS, notAfter: now + 60 * DAY_MS });
    await finishChecks(api, authority, (monitor) => answeredWith(issued(monitor.host))(monitor), {
      arePublic: true,
    });
    const [caa, fine, soon] = HOSTS;
    await storeForecasts(api.store, {
      accountId: bob.id,
      hosts: [{ host: caa, caa: ['pki.goog'] }, { host: fine }],
      now: api.clock.now(),
    });
    return { api, bob, charlie, caa, fine, soon, ids };
  }

  it('are part of each domain, and of its certificate, and change neither state nor attention', async () => {
    const { bob, ids } = await world();
    const domains = (await bob.ask(CALLS.listDomains, { query: { sort: 'name' } })).ok.data;
    expect(domains.map(({ next_renewal: next }) => [next?.outcome, next?.line])).toEqual([
      ['fails', LINE],
      ['works', null],
      [undefined, undefined],
    ]);
    const states = new Set(domains.map(({ state, attention }) => `${state} ${attention}`));
    expect([...states]).toHaveLength(1);
    const one = (await bob.ask(CALLS.domain, { params: { id: ids[0]! } })).ok.data;
    expect(one.next_renewal).toEqual(domains[0]?.next_renewal);
    const certificates = (await bob.ask(CALLS.listCertificates, { query: { sort: 'name' } })).ok.data;
    expect(certificates.map(({ next_renewal: next }) => next?.outcome)).toEqual([
      'fails',
      'works',
      undefined,
    ]);
  });

  it('filter domains and certificates whose renewal will fail, without those that are paused', async () => {
    const { bob, charlie, caa, ids } = await world();
    expect(await hostsThatFail(bob)).toEqual([caa]);
    expect(await hostsThatFail(charlie)).toEqual([]);
    const summary = async () => (await bob.ask(CALLS.domainSummary)).ok.data.renewal_fails;
    expect(await summary()).toBe(1);
    const certificates = await bob.ask(CALLS.listCertificates, failing);
    expect(certificates.ok.data.map(({ names }) => names)).toEqual([[caa]]);
    await bob.ask(CALLS.pauseDomain, { params: { id: ids[0]! } });
    expect(await hostsThatFail(bob)).toEqual([]);
    expect(await summary()).toBe(0);
  });

  it('are in the report with each check in words, the record to write and how many earlier ones were right', async () => {
    const { api, bob, charlie, caa, ids } = await world();
    const reportOf = async (id = '') => (await bob.ask(CALLS.domainReport, { params: { id } })).ok.data;
    const [caaId, , soon] = ids;
    const { forecast } = await reportOf(caaId);
    expect(forecast).toMatchObject({ outcome: 'fails', line: LINE, record: null });
    expect(forecast?.message).toMatch(
      /^The next renewal will fail: CAA forbids Let's Encrypt\. We expect it on /,
    );
    expect(forecast?.checks[0]).toMatchObject({
      code: 'caa',
      state: 'fails',
      title: 'CAA',
      names: [caa],
      zone_record: `${caa}. IN CAA 0 issue "letsencrypt.org"`,
    });
    expect(await reportOf(soon)).toMatchObject({ forecast: null, forecast_pending: true });

    const rows = (['foretold', 'missed'] as const).map((score, index) =>
      renewalRow(bob.id, { fingerprint: String(index).repeat(64), score }),
    );
    await api.store.db.insertInto('renewals').values(rows).execute();
    expect((await reportOf(caaId)).forecast?.record).toEqual({ right: 1, of: 2 });
    const stranger = await charlie.ask(CALLS.domainReport, { params: { id: caaId ?? '' } });
    expect(stranger.problem.code).toBe('not_found');
  });

  it('have columns in the CSV file', async () => {
    const { bob } = await world();
    const text = await (await bob.send('/api/domain/export?sort=name')).text();
    const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
    expect(data.map((row) => [row['next_renewal'], row['next_renewal_problem']])).toEqual([
      ['fails', LINE],
      ['works', ''],
      ['', ''],
    ]);
    expect(data[0]?.['next_renewal_expected_at']).toMatch(/^20\d\d-/);
  });
});
