import { expect, it } from 'vitest';
import { createMetrics } from '../../server/telemetry/metrics.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { START, startRig } from './rig.ts';
import { DAY_MS } from '../../contract/durations.ts';

/** Returns a function that reads a worker's metric by name and labels. */
async function figures(metrics: ReturnType<typeof createMetrics>) {
  const text = await metrics.registry.metrics();
  return (line: string) =>
    Number(
      text
        .split('\n')
        .find((one) => one.startsWith(`${line} `))
        ?.split(' ')[1] ?? 0,
    );
}

describeAnyDatabase('The worker’s metrics', (open) => {
  it('count checks, claims and deliveries by outcome, without host names', async () => {
    const metrics = createMetrics();
    const rig = await startRig(await open(), { telemetry: { metrics, tracer: null } });
    await rig.watch('shop.test', rig.issue('shop.test', { notAfter: START + 16 * DAY_MS }));
    rig.reachable('gone.test', false);
    await rig.add('gone.test', rig.port);
    await rig.runUntil(START + 3 * DAY_MS);
    const told = await figures(metrics);
    const checks = told('certlantern_checks_total{outcome="done"}');
    expect(checks).toBeGreaterThan(5);
    expect(told('certlantern_checks_total{outcome="failed"}')).toBe(0);
    expect(told('certlantern_check_duration_seconds_count')).toBe(checks);
    expect(told('certlantern_claimed_total{kind="check"}')).toBe(checks);
    expect(told('certlantern_claim_duration_seconds_count{kind="check"}')).toBeGreaterThan(0);
    expect(rig.arrivals.length).toBeGreaterThan(0);
    const delivered = 'certlantern_deliveries_total{channel="email",outcome="delivered"}';
    expect(told(delivered)).toBe(rig.arrivals.length);
    expect(await metrics.registry.metrics()).not.toMatch(/shop\.test|gone\.test/);
  });
});
