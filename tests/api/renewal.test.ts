import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { digestContent } from '../../server/store/mail/digest-content.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi } from './test-api.ts';
import { DAY_MS } from '../../contract/durations.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';

const authority = mintAuthority({ commonName: 'Test Root', organization: 'Test Authority' });

/**
 * Two certificates whose ARI window contradicts the rule "renew when a quarter of the lifetime is left"; times in days from now.
 */
const CASES = {
  'late.example.com': { notBefore: -5, notAfter: 3, window: [-1, -0.5], overdueAt: -0.5, isOverdue: true },
  'early.example.com': {
    notBefore: -6.2,
    notAfter: 1.8,
    window: [0.001, 0.005],
    overdueAt: 0.005,
    isOverdue: false,
  },
} as const;
type Host = keyof typeof CASES;

describeAnyDatabase('A renewal whose ARI window differs from the usual time', (open) => {
  it('has the same status in findings, list, summary, alerts and digest', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const now = Math.floor(api.clock.now() / 1_000) * 1_000;
    const instant = (days: number) => now + Math.round(days * DAY_MS);
    const leaves = new Map<string, MintedCertificate>();
    for (const [host, { notBefore, notAfter }] of Object.entries(CASES)) {
      const validity = { notBefore: new Date(instant(notBefore)), notAfter: new Date(instant(notAfter)) };
      leaves.set(host, authority.issue({ dnsNames: [host], ...validity }));
      await bob.ask(CALLS.addDomain, { body: { host } });
    }
    const look = (monitor: Monitor) => {
      const leaf = leaves.get(monitor.host);
      if (leaf === undefined) throw new Error(monitor.host);
      const [start, end] = CASES[monitor.host as Host].window.map(instant) as [number, number];
      const { fingerprint } = leaf;
      const window = { fingerprint, at: now, outcome: 'window' as const, start, end, explanationUrl: null };
      return { ...answeredWith(leaf)(monitor), renewal: [window] };
    };
    await finishChecks(api, authority, look);

    const domains = (await bob.ask(CALLS.listDomains)).ok.data;
    const summary = (await bob.ask(CALLS.domainSummary)).ok.data;
    const digest = await digestContent(api.store, { accountId: bob.id, now: api.clock.now() });
    for (const [host, { overdueAt, isOverdue }] of Object.entries(CASES)) {
      const domain = domains.find(({ hostname }) => hostname === host);
      expect(domain).toMatchObject({
        state: 'critical',
        renewal: {
          source: 'ari',
          is_short_lived: true,
          overdue_at: new Date(instant(overdueAt)).toISOString(),
        },
      });
      const codes = domain?.findings.map(({ code }) => code);
      expect(codes?.includes('renewal_overdue')).toBe(isOverdue);
      expect(summary.expiries).toContainEqual(
        expect.objectContaining({ hostname: host, state: 'critical', on_schedule: !isOverdue }),
      );
      expect(digest.attention.first.some((one) => one.host === host)).toBe(isOverdue);
    }
    expect(summary).toMatchObject({ counts: { critical: 2 }, on_schedule: { critical: 1, soon: 0 } });
    const alerts = await api.store.db
      .selectFrom('alerts')
      .innerJoin('monitors', 'monitors.id', 'alerts.monitor_id')
      .select(['host', 'kind', 'step'])
      .execute();
    expect(alerts).toEqual([{ host: 'late.example.com', kind: 'expiry', step: 'renewal_overdue' }]);

    // After some time, and without another check, the other certificate becomes overdue too.
    api.clock.advance(0.006 * DAY_MS);
    expect((await bob.ask(CALLS.domainSummary)).ok.data).toMatchObject({
      counts: { critical: 2 },
      on_schedule: { critical: 0, soon: 0 },
    });
  });
});
