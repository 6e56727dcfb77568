import ICAL from 'ical.js';
import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import { describeRule, renewalsAYear } from '../../server/core/rules/deadline-words.ts';
import { ruleById } from '../../server/core/rules/dated-rules.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi, type TestApi } from './test-api.ts';

const authority = mintAuthority({ commonName: 'Orchard Root' });
const NOW = Date.parse('2026-12-01T12:00:00Z');
const RULE = 'server_auth_only';

/** Adds a domain with a certificate that allows client authentication, or not. Returns the fingerprint. */
async function serve(
  api: TestApi,
  person: Person,
  { host, days = 180, asClient = true }: { host: string; days?: number; asClient?: boolean },
): Promise<string> {
  const { id } = (await person.ask(CALLS.addDomain, { body: { host } })).ok.data;
  const now = api.clock.now();
  const leaf = authority.issue({
    dnsNames: [host],
    notBefore: new Date(now),
    notAfter: new Date(now + days * DAY_MS - 1_000),
    ...(asClient && { extendedKeyUsage: ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'] }),
  });
  await finishChecks(api, authority, answeredWith(leaf), { arePublic: true });
  return (await person.ask(CALLS.domain, { params: { id } })).ok.data.fingerprint ?? '';
}

const csv = async (person: Person, query = '') => {
  const text = await (await person.send(`/api/deadline/export${query}`)).text();
  return Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;
};
const eventsIn = (text: string) =>
  new ICAL.Component(ICAL.parse(text) as unknown[])
    .getAllSubcomponents('vevent')
    .map((event) => new ICAL.Event(event));

describeAnyDatabase('The deadlines of an account', (open) => {
  async function world() {
    const api = await startApi(open);
    api.clock.advance(NOW - api.clock.now());
    const { bob, charlie } = await api.cast();
    return { api, bob, charlie };
  }

  it('are empty without certificates', async () => {
    const { charlie } = await world();
    expect((await charlie.ask(CALLS.listDeadlines)).ok.data).toEqual({
      deadlines: [],
      replacements: { total: 0, done: 0 },
      renewals: { certificates: 0, now: 0 },
    });
    expect((await charlie.ask(CALLS.deadlineCertificates)).ok).toMatchObject({ data: [], total: 0 });
  });

  it('are the dates that concern a certificate, with the number of renewed ones and the renewals a year', async () => {
    const { api, bob, charlie } = await world();
    const mail = await serve(api, bob, { host: 'mail.orchard.example' });
    await serve(api, bob, { host: 'shop.orchard.example', days: 90, asClient: false });
    const { deadlines, renewals } = (await bob.ask(CALLS.listDeadlines)).ok.data;
    const lifetimes = [180, 90].map((days) => ({ lifetimeMs: days * DAY_MS, certificates: 1 }));
    expect(renewals).toEqual({ certificates: 2, now: renewalsAYear(lifetimes, null) });
    expect(
      deadlines.map(({ rule, date, effect, total, done, left, limit }) => [
        rule,
        date,
        effect,
        total,
        done,
        left,
        limit,
      ]),
    ).toEqual([
      [RULE, '2027-03-15', 'renewal', 1, 0, 1, null],
      [
        'lifetime_100',
        '2027-03-15',
        'lifetime',
        2,
        1,
        1,
        { days: 100, renewals: renewalsAYear(lifetimes, 100) },
      ],
      [
        'lifetime_47',
        '2029-03-15',
        'lifetime',
        2,
        0,
        2,
        { days: 47, renewals: renewalsAYear(lifetimes, 47) },
      ],
    ]);
    const { source, reviewedOn } = ruleById(RULE) ?? expect.fail();
    expect(deadlines[0]).toMatchObject({ source, reviewed_on: reviewedOn, clients: ['Chrome'] });
    const { data } = (await bob.ask(CALLS.deadlineCertificates)).ok;
    expect(data).toMatchObject([
      {
        rule: RULE,
        date: '2027-03-15',
        fingerprint: mail,
        display_name: 'mail.orchard.example',
        renewed_at: null,
        domain_count: 1,
        domain: { display_name: 'mail.orchard.example' },
      },
    ]);
    const limited = await bob.ask(CALLS.deadlineCertificates, { query: { rule: 'lifetime_47' } });
    expect(limited.ok).toMatchObject({ total: 2, data: [{ rule: 'lifetime_47' }, { rule: 'lifetime_47' }] });
    expect((await bob.ask(CALLS.deadlineCertificates, { query: { rule: 'unknown' } })).status).toBe(404);
    expect(await csv(bob)).toMatchObject([
      {
        date: '2027-03-15',
        rule: RULE,
        certificate: 'mail.orchard.example',
        renewed_at: '',
        domain_count: '1',
      },
    ]);
    expect(await csv(bob, '?q=shop')).toEqual([]);
    expect(await csv(bob, '?rule=lifetime_100')).toMatchObject([{ certificate: 'mail.orchard.example' }]);
    expect((await charlie.ask(CALLS.deadlineCertificates)).ok.total).toBe(0);
  });

  it('count a certificate as renewed after a check that found another one', async () => {
    const { api, bob } = await world();
    await serve(api, bob, { host: 'mail.orchard.example' });
    api.clock.advance(MINUTE_MS);
    const renewed = authority.issue({
      dnsNames: ['mail.orchard.example'],
      notAfter: new Date(api.clock.now() + 90 * DAY_MS),
    });
    await api.store.db.updateTable('monitors').set({ next_check_at: api.clock.now() }).execute();
    await finishChecks(api, authority, answeredWith(renewed), { arePublic: true });
    const { deadlines } = (await bob.ask(CALLS.listDeadlines)).ok.data;
    expect(deadlines[0]).toMatchObject({ rule: RULE, total: 1, done: 1, left: 0 });
    const { data } = (await bob.ask(CALLS.deadlineCertificates)).ok;
    expect(Date.parse(data[0]?.renewed_at ?? '')).toBeGreaterThanOrEqual(NOW + MINUTE_MS);
  });

  it('are entries of whole days in the calendar and in a file for each date', async () => {
    const { api, bob, charlie } = await world();
    await serve(api, bob, { host: 'mail.orchard.example' });
    const answer = await bob.send(`/api/deadline/${RULE}/calendar`);
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="certlantern-${RULE}.ics"`);
    const [event, ...others] = eventsIn(await answer.text());
    expect(others).toEqual([]);
    expect(event?.summary).toBe(describeRule(RULE)?.title);
    expect([event?.startDate.isDate, event?.startDate.toString()]).toEqual([true, '2027-03-15']);
    expect(event?.description).toContain('1 of 1 certificate not renewed yet.');
    expect(event?.description).toContain(`/deadlines?rule=${RULE}`);
    expect((await charlie.send(`/api/deadline/${RULE}/calendar`)).status).toBe(404);

    const feed = new URL((await bob.ask(CALLS.makeCalendar)).ok.data.url).pathname;
    const read = async () => eventsIn(await (await bob.send(feed)).text());
    const days = (await read()).filter(({ uid }) => uid.startsWith('deadline-'));
    expect(days.map(({ uid, startDate }) => [uid, startDate.toString()])).toEqual([
      [`deadline-${RULE}-2027-03-15`, '2027-03-15'],
      ['deadline-lifetime_100-2027-03-15', '2027-03-15'],
      ['deadline-lifetime_47-2029-03-15', '2029-03-15'],
    ]);
    expect(days[0]?.uid).toBe(event?.uid);
  });
});
