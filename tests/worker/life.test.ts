import { expect, it } from 'vitest';
import { alertSteps } from '../../server/core/alert-steps.ts';
import { checksMade } from '../kit/product/checks-made.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

describeAnyDatabase('A certificate that is not renewed', (open) => {
  it.each([
    { life: '90 days', lifetime: 90 * DAY_MS, everyMinutes: 1440 },
    { life: '160 hours', lifetime: 160 * HOUR_MS, everyMinutes: 1440 },
  ])(
    'leads to one alert at each step, at most a minute late (lifetime of $life)',
    async ({ lifetime, everyMinutes }) => {
      const rig = await startRig(await open());
      const host = 'mail.orchard.example';
      const validity = { notBefore: START, notAfter: START + lifetime };
      const monitor = await rig.watch(host, rig.issue(host, validity), { everyMinutes });
      await rig.runUntil(validity.notAfter + 2 * DAY_MS);

      const steps = alertSteps(validity);
      expect(rig.arrivals).toHaveLength(steps.length);
      for (const [index, { at }] of steps.entries()) {
        const late = (rig.arrivals[index]?.at ?? 0) - at;
        expect(late, steps[index]?.step).toBeGreaterThanOrEqual(0);
        expect(late, steps[index]?.step).toBeLessThanOrEqual(MINUTE_MS);
      }
      expect(rig.arrivals.at(-2)?.subject).toMatch(lifetime > 10 * DAY_MS ? /in 24 hours/ : /in 3 hours/);
      expect(rig.arrivals.at(-1)?.subject).toMatch(/ expired on /);
      expect(new Set(rig.arrivals.map(({ messageId }) => messageId)).size).toBe(steps.length);

      // Checks are at most the interval apart, and at most a 24th of the lifetime.
      const checks = await checksMade(rig.store, monitor.id);
      const longest = Math.min(everyMinutes * MINUTE_MS, lifetime / 24);
      checks.slice(1).forEach(({ at }, index) => {
        expect(at - (checks[index]?.at ?? 0)).toBeLessThanOrEqual(longest);
      });
    },
  );

  it('leads to one alert if several steps passed between checks', async () => {
    const rig = await startRig(await open());
    const host = 'cdn.moss.example';
    await rig.watch(host);
    await rig.runDue();
    // The machine sleeps for 88 days.
    rig.clock.set(START + 88 * DAY_MS);
    await rig.runDue();
    expect(rig.arrivals.map(({ subject }) => subject)).toEqual([`${host} expires in 2 days`]);
  });

  it('causes no more alerts once it is finally replaced, except one about the renewal', async () => {
    const rig = await startRig(await open());
    const host = 'auth.fjord.example';
    await rig.watch(
      host,
      rig.issue(host, { notBefore: START - 76 * DAY_MS, notAfter: START + 14.5 * DAY_MS }),
    );
    await rig.runUntil(START + DAY_MS);
    expect(rig.arrivals).toHaveLength(2);
    rig.serve(host, rig.issue(host));
    await rig.runUntil(START + 20 * DAY_MS);
    expect(rig.arrivals.slice(2).map(({ subject }) => subject)).toEqual([
      `${host}’s certificate was renewed`,
    ]);
  });
});
