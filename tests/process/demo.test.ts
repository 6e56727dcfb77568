import { expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { startDemo } from '../kit/product/demo.ts';
import { createClient, sendTo } from '../kit/product/people.ts';

/** Poll interval in ms: with the usual one, a minute of polls would reach the limit of 1,200 calls. */
const SELDOM = { interval: 250 };

it('The demo has an account with history, really checks its hosts and stops cleanly', async () => {
  const demo = await startDemo({ DATABASE_URL: 'nonsense' });
  onTestFinished(async () => void (await demo.stop()));

  const person = createClient(sendTo(demo.url));
  await person.ask(CALLS.signIn, { body: demo.person });
  const { token } = (await person.ask(CALLS.identityToken)).ok;
  await person.ask(CALLS.openSession, { body: { token } });
  const today = Date.now() - 60_000;
  const checked = async () =>
    (await person.ask(CALLS.listDomains)).ok.data.filter(
      ({ last_checked_at }) => last_checked_at !== null && Date.parse(last_checked_at) > today,
    );
  await expect.poll(() => checked(), SELDOM).toHaveLength(18);

  const domains = await checked();
  const { counts, tags } = (await person.ask(CALLS.domainSummary)).ok.data;
  expect(counts).toMatchObject({ expired: 1, critical: 3, soon: 1, pending: 0, unread: 1, paused: 1 });
  expect(tags).toContainEqual({ tag: 'payments', count: 2 });
  const findings = new Set(domains.flatMap((domain) => domain.findings.map(({ code }) => code)));
  expect([...findings]).toEqual(
    expect.arrayContaining(['expired', 'name_mismatch', 'self_signed', 'incomplete_chain', 'revoked']),
  );
  expect(domains.filter(({ unreachable }) => unreachable !== null)).toHaveLength(2);
  expect(domains.filter(({ is_revoked }) => is_revoked).map(({ hostname }) => hostname)).toEqual([
    'cdn.moss.example',
  ]);
  expect(domains.filter(({ protocol }) => protocol === 'smtp')).toMatchObject([{ uptime: { state: 'up' } }]);
  const down = domains.filter(({ uptime }) => uptime.state === 'down').map(({ hostname }) => hostname);
  expect(down).toEqual(expect.arrayContaining(['old.moss.example', 'status.fjord.example']));
  const legacy = domains.find(({ hostname }) => hostname === 'legacy.fjord.example');
  const uptime = (await person.ask(CALLS.domainUptime, { params: { id: legacy?.id ?? '' } })).ok.data;
  expect(uptime).toMatchObject({ state: 'up', window_days: 90 });
  expect(uptime.incidents).toHaveLength(5);
  expect(uptime.response_times.length).toBeGreaterThan(50);
  const pay = domains.find(({ hostname }) => hostname === 'pay.fjord.example');
  const { data: entries } = (await person.ask(CALLS.domainHistory, { params: { id: pay?.id ?? '' } })).ok;
  expect(entries.map(({ fingerprint }) => fingerprint)).toHaveLength(2);

  const { data: all } = (await person.ask(CALLS.listDomains)).ok;
  for (const { id } of all)
    for (const call of [
      CALLS.domain,
      CALLS.domainReport,
      CALLS.domainUptime,
      CALLS.domainHistory,
      CALLS.domainChain,
    ])
      expect((await person.ask(call, { params: { id } })).ok).toBeDefined();

  // What different parts of the product say about a host agrees.
  const called = (name: string) => all.find(({ hostname }) => hostname === name);
  const old = called('old.moss.example');
  expect(old?.unreachable?.since).toBe(old?.uptime.down_since);
  const beta = { params: { id: called('beta.fjord.example')?.id ?? '' } };
  const [seen] = (await person.ask(CALLS.domainHistory, beta)).ok.data;
  const lastCheck = (await person.ask(CALLS.domainUptime, beta)).ok.data.checks.at(-1);
  expect(Date.parse(lastCheck?.at ?? '') - Date.parse(seen?.last_seen_at ?? '')).toBeLessThan(86_400_000);
  const changed = { params: { id: called('fjord.example')?.id ?? '' } };
  const [newer, older] = (await person.ask(CALLS.domainHistory, changed)).ok.data;
  const query = { from: older?.fingerprint ?? '', to: newer?.fingerprint ?? '' };
  expect((await person.ask(CALLS.historyDiff, { ...changed, query })).ok.data).toMatchObject({
    names_added: ['www.fjord.example'],
    names_lost: ['blog.fjord.example'],
    issuer: { from: 'Global G2 TLS RSA', to: 'WE1' },
    key: { from: expect.stringContaining('RSA') },
  });

  // Past alerts are listed, on channels that all lead to this machine.
  const alertsOf = async (name: string) =>
    (await person.ask(CALLS.domainAlerts, { params: { id: called(name)?.id ?? '' } })).ok.data;
  const pay7 = (await alertsOf('pay.fjord.example')).sent.find(({ title }) => title.endsWith('in 7 days'));
  expect(pay7?.deliveries.map(({ state }) => state)).toEqual(Array(4).fill('delivered'));
  expect(pay7?.deliveries.find(({ channel_kind: kind }) => kind === 'webhook')?.attempts).toHaveLength(3);
  expect((await alertsOf('git.orchard.example')).incidents).toMatchObject([
    { problem: 'expiry', acknowledged_at: expect.any(String) },
  ]);
  expect((await alertsOf('mail.orchard.example')).incidents).toMatchObject([
    { problem: 'expiry', snoozed_until: expect.any(String) },
  ]);
  expect((await person.ask(CALLS.listMaintenance)).ok.data).toMatchObject([
    { domain: { display_name: called('api.fjord.example')?.display_name }, active: false },
  ]);
  expect((await person.ask(CALLS.accountAlerts)).ok.data.digest.enabled).toBe(true);

  // Icons come from the hosts themselves. Some hosts have none, and the demo contacts neither the paused nor the missing
  // host.
  const withIcon = async () =>
    (await person.ask(CALLS.listDomains)).ok.data.filter(({ favicon }) => favicon !== null);
  await expect.poll(() => withIcon(), SELDOM).toHaveLength(12);
  const [first] = await withIcon();
  const icon = await person.send(first?.favicon ?? '');
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png']);

  // The demo mailed today's problems, but not those of the past.
  await expect.poll(async () => (await fetch(demo.mailUrl)).text()).toContain('pay.fjord.example');
  const offered = (await person.ask(CALLS.publicConfig)).ok.data.demo_hosts;
  expect(offered).toContain(`lab.moss.example${demo.portSuffix}`);

  expect(await demo.stop()).toBe(0);
});
