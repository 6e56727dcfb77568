import { expect, it } from 'vitest';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { selfSigned } from '../kit/certificates/mint.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';
import { intermediate, root, START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import { certificateHistory } from '../../server/store/checks/certificate-history.ts';
import { dashboardSummary } from '../../server/store/monitors/monitor-summary.ts';

const ofDays = (before: number, after: number) => ({
  notBefore: START - before * DAY_MS,
  notAfter: START + after * DAY_MS,
});

describeEachDatabase('A worker', (open) => {
  it('checks a due monitor and sends its alert by mail', async () => {
    const rig = await startRig(await open());
    const certificate = rig.issue('pay.fjord.example', ofDays(80, 6.5));
    const added = await rig.watch('pay.fjord.example', certificate);
    expect(added).toMatchObject({ verdict: null, lastCheckedAt: null, checking: false });

    expect(await rig.runDue()).toEqual({ plans: 0, checks: 1, deliveries: 1, mails: 0 });
    const monitor = await rig.read(added);
    expect(monitor).toMatchObject({
      lastCheckedAt: START,
      unreachableSince: null,
      checking: false,
      certificate: { fingerprint: certificate.fingerprint, issuer: 'Rig R1', authorityName: 'Rig Trust' },
      verdict: { reached: true, trusted: true, findings: [{ code: 'renewal_overdue' }] },
    });
    expect(monitor.nextCheckAt).toBeGreaterThan(START);
    expect(rig.arrivals).toEqual([
      expect.objectContaining({ subject: 'pay.fjord.example expires in 6 days' }),
    ]);
    expect(rig.sink.ledger[0]).toMatchObject({ to: ['alice@certs.test'], from: 'alerts@certlantern.test' });
    expect(rig.arrivals[0]?.text).toContain(`https://certs.test/dashboard?domain=${added.id}`);

    await rig.runUntil(START + 2 * DAY_MS);
    expect(rig.arrivals).toHaveLength(1);
  });

  it('sends no alert for a fresh certificate, even one valid for six days', async () => {
    const rig = await startRig(await open());
    await rig.watch('docs.moss.example');
    await rig.watch('edge.moss.example', rig.issue('edge.moss.example', { notAfter: START + 160 * HOUR_MS }));
    await rig.runDue();
    expect(await rig.runDue()).toEqual({ plans: 0, checks: 0, deliveries: 0, mails: 0 });
    expect(rig.arrivals).toEqual([]);
  });

  it('counts a monitor as pending, not as healthy, until its first check', async () => {
    const rig = await startRig(await open());
    await rig.watch('new.fjord.example');
    const { counts } = await dashboardSummary(rig.store, { accountId: rig.accountId, now: START });
    expect(counts).toMatchObject({ pending: 1, ok: 0 });
  });

  it('extends the history when a certificate is replaced', async () => {
    const rig = await startRig(await open());
    const first = rig.issue('git.orchard.example');
    const added = await rig.watch('git.orchard.example', first);
    await rig.runDue();
    await rig.runUntil(START + 3 * DAY_MS);
    const second = rig.issue('git.orchard.example');
    rig.serve('git.orchard.example', second);
    await rig.runUntil(START + 5 * DAY_MS);

    const entries = await certificateHistory(rig.store, { accountId: rig.accountId, monitorId: added.id });
    expect(entries?.map(({ fingerprint }) => fingerprint)).toEqual([second.fingerprint, first.fingerprint]);
    expect((await rig.read(added)).certificate?.fingerprint).toBe(second.fingerprint);
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([
      'git.orchard.example’s certificate changed unexpectedly',
    ]);
    expect(rig.log.info).toHaveBeenCalledWith(
      expect.objectContaining({
        replaced: { from: first.fingerprint, to: second.fingerprint },
      }),
      expect.any(String),
    );
  });

  it('sends one alert for each of two certificates that alternate behind one name', async () => {
    const rig = await startRig(await open());
    const host = 'balanced.fjord.example';
    const nodes = [rig.issue(host, ofDays(85, 5)), rig.issue(host, ofDays(78, 12))];
    const added = await rig.watch(host, nodes[0], { everyMinutes: 10 });
    for (let look = 1; look <= 12; look++) {
      await rig.runUntil(START + look * 10 * 60_000);
      const node = nodes[look % 2];
      if (node) rig.serve(host, node);
    }
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([
      `${host} expires in 5 days`,
      `${host} expires in 11 days`,
    ]);
    expect(
      await certificateHistory(rig.store, { accountId: rig.accountId, monitorId: added.id }),
    ).toHaveLength(2);
  });

  it('records an expired certificate and sends one alert', async () => {
    const rig = await startRig(await open());
    const added = await rig.watch('legacy.fjord.example', rig.issue('legacy.fjord.example', ofDays(93, -3)));
    await rig.runUntil(START + 5 * DAY_MS);
    const { certificate, verdict } = await rig.read(added);
    expect(certificate?.notAfter).toBe(START - 3 * DAY_MS);
    expect(verdict).toMatchObject({ reached: true, trusted: false });
    expect(verdict?.findings.map(({ code }) => code)).toContain('expired');
    expect(rig.arrivals).toHaveLength(1);
    expect(rig.arrivals[0]?.subject).toMatch(/^legacy\.fjord\.example expired on /);
  });

  it('sends alerts about the last known certificate while the host is unreachable', async () => {
    const rig = await startRig(await open());
    const host = 'far.orchard.example';
    const end = START + 60 * HOUR_MS;
    const added = await rig.watch(host, rig.issue(host, { notBefore: end - 160 * HOUR_MS, notAfter: end }));
    await rig.runDue();
    rig.reachable(host, false);
    await rig.runUntil(end - 39 * HOUR_MS);

    const monitor = await rig.read(added);
    expect(monitor).toMatchObject({
      certificate: { notAfter: end },
      verdict: { reached: false, failure: { stage: 'connect' } },
    });
    expect(monitor.unreachableSince).toBeGreaterThan(START);
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([
      `${host} is down`,
      `${host} expires in 40 hours, renewal overdue`,
    ]);
    expect(rig.arrivals[1]?.text).toContain('We could not reach the host at the last check.');

    // One more alert for each of the five steps that are left: 32, 16, 8 and 3.2 hours before the end, and the end.
    await rig.runUntil(end + HOUR_MS);
    expect(rig.arrivals).toHaveLength(7);
    expect(rig.arrivals.at(-1)?.subject).toContain('expired on');
  });

  it('sends separate alerts about an intermediate and about the leaf', async () => {
    const rig = await startRig(await open());
    const old = root.intermediate({ commonName: 'Old R0', ...ofDays(1_000, 6) });
    const host = 'api.fjord.example';
    await rig.watch(host, old.issue({ dnsNames: [host], ...ofDays(78, 12) }));
    await rig.runDue();
    expect(rig.arrivals.map(({ subject }) => subject).toSorted()).toEqual([
      `${host} expires in 12 days`,
      `${host}: an intermediate certificate expires in 6 days`,
    ]);
    // The leaf's next step is reported, although the intermediate has already reached a closer step and that was reported.
    await rig.runUntil(START + 5.5 * DAY_MS);
    expect(rig.arrivals.map(({ subject }) => subject)).toContain(`${host} expires in 7 days`);
  });

  it('sends no alert for an expired certificate that no path needs', async () => {
    const rig = await startRig(await open());
    const stray = root.intermediate({ commonName: 'Stray', ...ofDays(1_000, -100) });
    const leaf = rig.issue('pkg.orchard.example');
    await rig.watch('pkg.orchard.example', { ...leaf, chainPem: leaf.chainPem + stray.certificatePem });
    await rig.runDue();
    expect(rig.arrivals).toEqual([]);
  });

  it('probes each monitor at its own port', async () => {
    const rig = await startRig(await open());
    const host = 'many.moss.example';
    const other = rig.issue(host, { notAfter: START + 50 * DAY_MS });
    const peer = await startTlsServer({ '*': other });
    const first = await rig.watch(host);
    const second = await rig.add(host, peer.port);
    await rig.runDue();
    await peer.stop();
    expect((await rig.read(second)).certificate?.fingerprint).toBe(other.fingerprint);
    expect((await rig.read(first)).certificate?.fingerprint).not.toBe(other.fingerprint);
  });

  it('sends expiry alerts for untrusted certificates, too', async () => {
    const rig = await startRig(await open());
    const host = 'nas.orchard.example';
    await rig.watch(host, selfSigned({ dnsNames: [host], ...ofDays(360, 5.5) }));
    const wrong = 'shop.moss.example';
    await rig.watch(wrong, intermediate.issue({ dnsNames: ['parked.example'], ...ofDays(85, 5.5) }));
    await rig.runDue();
    expect(rig.arrivals.map(({ subject }) => subject).toSorted()).toEqual([
      `${host} expires in 5 days`,
      `${wrong} expires in 5 days`,
    ]);
  });
});
