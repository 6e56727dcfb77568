import { expect, it, type Mock, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import type { Probe } from '../../server/probe/probe.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { type ScriptedPeerOptions, startScriptedPeer, type Step } from '../kit/peers/scripted-peer.ts';
import { type Talk, TALKS } from '../probe/starttls-talks.ts';
import { createClient } from '../kit/product/people.ts';
import { startRig } from '../worker/rig.ts';
import { startApi } from './test-api.ts';
import { addUnchecked } from './watched.ts';

const TEXT = '4.7.0 Banner of mx7, not for strangers';
const SLUG = 'fjord-systems';
const HOST = 'mail.fjord.example';

/** In tests, hosts are at loopback addresses, which can be reached only in an opened range. This probe treats them as public ones. */
const asPublic = (probe: Probe): Probe => ({
  observe: (endpoint, { replies, ...options }) =>
    probe.observe(endpoint, { ...options, ...(replies === 'public' && { replies: 'all' }) }),
});

/** Starts the API, a worker and a mail server that answers 421. Alice watches the mail server, and it was checked once. */
async function startWorld(open: () => Promise<Store>, wrapProbe?: (probe: Probe) => Probe) {
  const rig = await startRig(await open(), { ...(wrapProbe && { wrapProbe }) });
  rig.clock.set(Date.now());
  const api = await startApi(async () => rig.store, {
    policy: createAddressPolicy(['127.0.0.0/8', '::1/128']),
    clock: rig.clock,
    timing: { previewMs: MINUTE_MS },
  });
  const peer = await startScriptedPeer([{ sends: `421 ${TEXT}\r\n` }]);
  const running = [peer];
  onTestFinished(async () => {
    await Promise.all(running.map((one) => one.stop()));
  });
  rig.reachable(HOST, true);
  const { alice, charlie } = await api.cast();
  const endpoint = `smtp://${HOST}:${peer.port}`;
  const id = await addUnchecked(alice, endpoint);
  await rig.runDue();
  const name = `${HOST}:${peer.port}`;
  return { rig, api, alice, charlie, id, endpoint, name, peer, running };
}

describeAnyDatabase('A server that answers 421 instead of starting TLS', (openStore) => {
  it('is reported with its code to the owner of the domain, and with its text in the owner’s report', async () => {
    const { alice, charlie, id, name } = await startWorld(openStore, asPublic);
    const report = (await alice.ask(CALLS.domainReport, { params: { id } })).ok.data;
    expect(report.addresses).toMatchObject([
      { failure: 'refused us now', reply: { code: '421', text: TEXT } },
    ]);
    expect(report.findings).toMatchObject([
      {
        code: 'unreachable',
        severity: 'warning',
        message: `${name} refused us now: it answered 421.`,
        evidence: expect.arrayContaining([{ label: 'Answer', value: `421 ${TEXT}` }]),
      },
    ]);
    expect(report.markdown).toContain(TEXT);
    const domain = (await alice.ask(CALLS.domain, { params: { id } })).ok.data;
    expect(domain).toMatchObject({
      unreachable: { reason: 'server_refused', message: `${name} refused us now: it answered 421.` },
      uptime: { state: 'unknown', checks: '?' },
      waiting: null,
    });
    const stranger = await charlie.ask(CALLS.domainReport, { params: { id } });
    expect(stranger.problem.code).toBe('not_found');
  });

  it('is unknown for an hour and then down, and only the report has the text of its answer', async () => {
    const { rig, api, alice, id, name } = await startWorld(openStore, asPublic);
    const start = rig.clock.now();
    await rig.runUntil(start + HOUR_MS - 1);
    await alice.ask(CALLS.refreshSession);
    const uptime = async () => (await alice.ask(CALLS.domain, { params: { id } })).ok.data.uptime;
    expect(await uptime()).toMatchObject({ state: 'unknown', down_since: null });
    await rig.runUntil(start + HOUR_MS + 2 * MINUTE_MS);
    expect(await uptime()).toMatchObject({
      state: 'down',
      down_since: new Date(start + HOUR_MS).toISOString(),
    });

    const answered = `${name} refused us now: it answered 421.`;
    const mails = rig.arrivals.filter(({ text }) => text.includes(answered));
    expect(mails.map(({ subject }) => subject)).toEqual([`${name} is down`]);
    const body = { title: 'Fjord', slug: SLUG, enabled: true, domains: [{ id, label: 'Mail' }] };
    await alice.ask(CALLS.saveStatusPage, { body });
    const calendar = new URL((await alice.ask(CALLS.makeCalendar)).ok.data.url).pathname;
    const own = ['/api/domain/list?page=1', `/api/domain/${id}`, '/api/domain/export', '/api/user/export'];
    const open = [`/api/status/${SLUG}`, `/status/${SLUG}/feed.atom`, calendar];
    const visitor = api.sendFrom('203.0.113.5');
    for (const path of [...own, ...open]) {
      const isOwn = own.includes(path);
      const answer = await (isOwn ? alice.send(path) : visitor(path));
      expect(answer.status).toBe(200);
      expect(await answer.text()).not.toMatch(isOwn ? /Banner/ : /Banner|\b421\b/);
    }
    const rows = await Promise.all(
      (['incidents', 'alerts', 'deliveries', 'evidence'] as const).map((table) =>
        rig.store.db.selectFrom(table).selectAll().execute(),
      ),
    );
    expect(rows.map(({ length }) => length > 0)).toEqual([true, true, true, true]);
    const logged = Object.values(rig.log).map((write) => (write as Mock).mock.calls);
    expect(JSON.stringify([rows, rig.arrivals, logged])).not.toContain('Banner');
  });

  it('is shown as unknown, then as down an hour after its first such answer, whatever checks and pauses come between', async () => {
    const world = await startWorld(openStore, asPublic);
    const { rig, api, alice, id, peer } = world;
    const start = rig.clock.now();
    const body = { title: 'Fjord', slug: SLUG, enabled: true, domains: [{ id, label: 'Mail' }] };
    await alice.ask(CALLS.saveStatusPage, { body });
    const answerAs = async (steps: readonly Step[], options: ScriptedPeerOptions = {}): Promise<void> => {
      await world.running.splice(0)[0]?.stop();
      world.running.push(await startScriptedPeer(steps, { ...options, at: { port: peer.port } }));
    };
    const checkAt = async (minutes: number) => {
      rig.clock.set(start + minutes * MINUTE_MS);
      await alice.ask(CALLS.refreshSession);
      await alice.ask(CALLS.checkDomain, { params: { id } });
      await rig.runDue();
      const { uptime } = (await alice.ask(CALLS.domain, { params: { id } })).ok.data;
      const page = await api.sendFrom('203.0.113.5')(`/api/status/${SLUG}`);
      const { domains } = ((await page.json()) as { data: { domains: { state: string }[] } }).data;
      return [uptime.state, uptime.checks, domains[0]?.state];
    };
    const { steps } = TALKS[0] as Talk;
    await answerAs(steps, { certificate: mintAuthority().issue({ dnsNames: [HOST] }) });
    expect(await checkAt(2)).toEqual(['up', '?u', 'up']);
    await answerAs([{ sends: '421 busy\r\n' }]);
    expect(await checkAt(10)).toEqual(['unknown', '?u?', 'unknown']);
    await answerAs([{ sends: '450 still busy\r\n' }]);
    expect(await checkAt(60)).toEqual(['unknown', '?u??', 'unknown']);
    await alice.ask(CALLS.pauseDomain, { params: { id } });
    await alice.ask(CALLS.resumeDomain, { params: { id }, body: {} });
    expect(await checkAt(69)).toEqual(['unknown', '?u???', 'unknown']);
    await rig.runUntil(start + 72 * MINUTE_MS);
    const { uptime } = (await alice.ask(CALLS.domain, { params: { id } })).ok.data;
    expect(uptime).toMatchObject({
      state: 'down',
      down_since: new Date(start + 70 * MINUTE_MS).toISOString(),
    });
  });

  it('is reported without code and text in a preview check', async () => {
    const { rig, api, endpoint, name } = await startWorld(openStore, asPublic);
    rig.worker.start();
    const visitor = createClient(api.sendFrom('198.51.100.7'));
    const { data } = (await visitor.ask(CALLS.glance, { body: { host: endpoint } })).ok;
    expect(data.unreachable).toMatchObject({ reason: 'server_refused', message: `${name} refused us now.` });
    expect(JSON.stringify(data)).not.toMatch(/Banner|\b421\b/);
  });

  it('is reported without code and text, even to the owner, in a range that the operator opened', async () => {
    const { rig, alice, id, name } = await startWorld(openStore);
    const report = (await alice.ask(CALLS.domainReport, { params: { id } })).ok.data;
    expect(report.findings).toMatchObject([{ message: `${name} refused us now.` }]);
    expect(report.addresses[0]).not.toHaveProperty('reply');
    expect(JSON.stringify(report)).not.toMatch(/Banner|\b421\b/);
    const verdicts = await rig.store.db.selectFrom('verdicts').selectAll().execute();
    expect(JSON.stringify(verdicts)).not.toMatch(/Banner|\b421\b/);
  });
});
