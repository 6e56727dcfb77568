import { expect, it } from 'vitest';
import { Gauge, Registry } from 'prom-client';
import { CALLS } from '../../contract/calls/calls.ts';
import { accountMetricsText } from '../../server/api/operations/account-metrics-routes.ts';
import type { DomainMetrics } from '../../server/store/accounts/account-metrics.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';
import { addUnchecked, recordCheck } from './watched.ts';
import { DAY_MS } from '../../contract/durations.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');

const scrape = async (person: Person) => {
  const answer = await person.send('/api/account/metrics');
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
/** Returns the samples by series name. */
const samples = (text: string) =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, number] => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );
const measured = (change: Partial<DomainMetrics> = {}): DomainMetrics => ({
  id: 'd1',
  host: 'shop.example',
  port: 443,
  protocol: 'https',
  isPaused: false,
  revoked: false,
  notAfter: NOW + 53.25 * DAY_MS,
  trusted: true,
  uptime: 'up',
  responseMs: 95,
  lastCheckedAt: NOW - 90_000,
  ...change,
});
const textOf = (...domains: DomainMetrics[]) =>
  accountMetricsText(domains, { total: domains.length, now: NOW });

describeEachDatabase("The account's Prometheus metrics", (open) => {
  it('list certificate and uptime values of the domains of their own account only', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const shop = await addUnchecked(alice, 'shop.example.com');
    const mail = await addUnchecked(alice, 'mail.example.com:8443');
    await addUnchecked(bob, 'bob.example.com');
    await recordCheck(api, shop, { days: 54 });
    await recordCheck(api, mail, { trusted: false });
    const { status, headers, text } = await scrape(alice);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toContain('bob');
    const found = samples(text);
    const of = (name: string, domain = 'shop.example.com') =>
      found.get(`certlantern_domain_${name}{domain="${domain}"}`);
    expect(found.get('certlantern_domains')).toBe(2);
    expect(of('certificate_days_left')).toBeCloseTo(54, 0);
    expect(of('certificate_valid')).toBe(1);
    expect(of('certificate_revoked')).toBe(0);
    expect(of('up')).toBe(1);
    expect(of('response_seconds')).toBe(0.1);
    expect(of('last_check_age_seconds')).toBeLessThan(60);
    expect(of('certificate_valid', 'mail.example.com:8443')).toBe(0);
  });

  it('are cached for ten seconds', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const empty = (await scrape(alice)).text;
    await recordCheck(api, await addUnchecked(alice, 'shop.example.com'));
    expect((await scrape(alice)).text).toBe(empty);
    api.clock.advance(10_000);
    expect((await scrape(alice)).text).toContain('shop.example.com');
  });

  it('list only the paused flag of a domain before its first check', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await addUnchecked(alice, 'shop.example.com');
    expect([...samples((await scrape(alice)).text).keys()]).toEqual([
      'certlantern_domains',
      'certlantern_domain_paused{domain="shop.example.com"}',
    ]);
  });

  it('need a session or token', async () => {
    const api = await startApi(open);
    expect((await api.send(`/api${CALLS.accountMetrics.path}`)).status).toBe(401);
  });
});

it('The metrics text matches the exposition format of prom-client', async () => {
  const registry = new Registry();
  new Gauge({
    name: 'certlantern_domain_certificate_days_left',
    help: 'Days until the last seen certificate expires; negative after its expiry.',
    labelNames: ['domain'],
    registers: [registry],
  }).set({ domain: 'shop.example' }, 53.25);
  expect(textOf(measured())).toContain((await registry.metrics()).trim());
});

it('Metric labels escape quotes, backslashes and newlines like prom-client', async () => {
  const host = 'a"b\\c\nd';
  const registry = new Registry();
  const gauge = new Gauge({
    name: 'certlantern_domain_up',
    help: 'x',
    labelNames: ['domain'],
    registers: [registry],
  });
  gauge.set({ domain: host }, 1);
  const line = (text: string) => text.split('\n').find((one) => one.startsWith('certlantern_domain_up{'));
  expect(line(textOf(measured({ host })))).toBe(line(await registry.metrics()));
});

it('The metrics of a domain are 0 for an invalid certificate or a host that is down; unknown values are left out', () => {
  const valueOf = (name: string, change: Partial<DomainMetrics>) =>
    samples(textOf(measured(change))).get(`certlantern_domain_${name}{domain="shop.example"}`);
  expect(valueOf('certificate_valid', { revoked: true })).toBe(0);
  expect(valueOf('certificate_valid', { notAfter: NOW - 1, trusted: null })).toBe(0);
  expect(valueOf('certificate_valid', { trusted: null })).toBeUndefined();
  expect(valueOf('certificate_days_left', { notAfter: NOW - 2 * DAY_MS })).toBe(-2);
  expect(valueOf('up', { uptime: 'down' })).toBe(0);
  expect(valueOf('up', { uptime: 'unknown' })).toBeUndefined();
  expect(valueOf('up', { isPaused: true })).toBeUndefined();
  expect(valueOf('paused', { isPaused: true })).toBe(1);
});

it('The metrics text has a line for each of ten thousand domains', () => {
  const domains = Array.from({ length: 10_000 }, (_, index) => measured({ host: `shop-${index}.example` }));
  const text = textOf(...domains);
  expect(text.match(/^certlantern_domain_up\{/gm)).toHaveLength(10_000);
});
