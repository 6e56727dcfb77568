import { describe, expect, it } from 'vitest';
import { MemoryOutbox } from '../../../tests/kit/alerting/memory-outbox.ts';
import { DAY, SimulatedHost } from '../../../tests/kit/alerting/simulated-host.ts';
import type { RenewalCause } from '../forecast/forecast-causes.ts';
import type { Verdict } from '../verdict.ts';
import type { RenewalOutlook } from './renewal-conditions.ts';
import type { AlertSettings } from './settings.ts';

const NOW = Date.UTC(2027, 0, 1);
const MINUTE = 60_000;
const CAA: RenewalCause = { key: 'caa:issuer', message: 'CAA forbids it.', fix: null, zoneRecord: null };
const NAMES: RenewalCause = { ...CAA, key: 'names:gone', message: 'A name is gone.' };

/** Watches a host with a new certificate of 90 days, whose renewal is expected after 60. */
function watched({ muted = [] }: Partial<Pick<AlertSettings, 'muted'>> = {}) {
  const outbox = new MemoryOutbox();
  const host = new SimulatedHost(NOW, 1);
  const expectedAt = NOW + 60 * DAY;
  let previous: Verdict | null = null;
  let known = { fingerprint: host.served.fingerprint, expectedAt };
  let now = NOW;
  const check = (causes: readonly RenewalCause[], others: readonly RenewalOutlook[] = []): string[] => {
    const read = host.check(now, previous);
    const shown = others.map(({ fingerprint }) => ({ ...read.lastSeen!.expiring[0]!, fingerprint }));
    const lastSeen = read.lastSeen && { ...read.lastSeen, expiring: [...read.lastSeen.expiring, ...shown] };
    const verdict = { ...read, lastSeen };
    const renewals = [...others, { ...known, causes }];
    const settings = { steps: null, muted };
    const sent = outbox.recordCheck({ verdict, previous, now, renewals, settings });
    previous = verdict;
    known = { fingerprint: host.served.fingerprint, expectedAt };
    return sent.map(({ alert: { problem, step } }) => `${problem} ${step}`);
  };
  return {
    host,
    check,
    wait: (ms: number) => void (now += ms),
    /** Checks for five minutes, so that an absent problem is known to be over. */
    checksFor: (causes: readonly RenewalCause[], others: readonly RenewalOutlook[] = []) =>
      [1, 2, 3, 4, 5].flatMap(() => {
        now += MINUTE;
        return check(causes, others);
      }),
  };
}

describe('A renewal that will fail', () => {
  it('is reported at once, and three days before the renewal is expected', () => {
    const { check, wait } = watched();
    expect(check([])).toEqual([]);
    wait(DAY);
    expect(check([CAA])).toEqual(['renewal_fails opened']);
    wait(55 * DAY);
    expect(check([CAA])).toEqual([]);
    wait(DAY);
    expect(check([CAA])).toEqual(['renewal_fails 3d']);
    wait(DAY);
    expect(check([CAA])).toEqual([]);
  });

  it('is reported once if it is found in the last three days', () => {
    const { check, wait } = watched();
    wait(58 * DAY);
    expect(check([CAA])).toEqual(['renewal_fails 3d']);
    wait(DAY);
    expect(check([CAA])).toEqual([]);
  });

  it('is reported once for each cause', () => {
    const { check, wait } = watched();
    expect(check([CAA])).toEqual(['renewal_fails opened']);
    wait(DAY);
    expect(check([CAA, NAMES])).toEqual(['renewal_fails opened']);
  });

  it('is over once forecasts no longer find the cause', () => {
    const { check, checksFor } = watched();
    expect(check([CAA, NAMES])).toEqual(['renewal_fails opened', 'renewal_fails opened']);
    expect(checksFor([NAMES])).toEqual(['renewal_fails resolved']);
    expect(checksFor([])).toEqual(['renewal_fails resolved']);
  });

  it('is reported once for each certificate, and is over for the one whose forecast no longer finds the cause', () => {
    const { check, checksFor } = watched();
    const second = (causes: RenewalCause[]) => [
      { fingerprint: 'b'.repeat(64), expectedAt: NOW + 60 * DAY, causes },
    ];
    expect(check([CAA], second([]))).toEqual(['renewal_fails opened']);
    expect(check([CAA], second([CAA]))).toEqual(['renewal_fails opened']);
    expect(checksFor([CAA], second([]))).toEqual(['renewal_fails resolved']);
    expect(checksFor([], second([]))).toEqual(['renewal_fails resolved']);
  });

  it('is over once no address serves the certificate any more', () => {
    const { check, checksFor } = watched();
    const second = { fingerprint: 'b'.repeat(64), expectedAt: NOW + 60 * DAY, causes: [CAA] };
    expect(check([], [second])).toEqual(['renewal_fails opened']);
    expect(checksFor([])).toEqual(['renewal_fails resolved']);
  });

  it('is over once the certificate was renewed', () => {
    const { host, check, checksFor, wait } = watched();
    expect(check([CAA])).toEqual(['renewal_fails opened']);
    wait(59 * DAY);
    check([CAA]);
    host.served = host.issue(NOW + 59 * DAY, 1);
    const sent = checksFor([]).filter((step) => step.startsWith('renewal_fails'));
    expect(sent).toEqual(['renewal_fails resolved']);
  });

  it('stays while a server of the host still shows the certificate in rotation with a later one', () => {
    const { host, check, checksFor, wait } = watched();
    const old = host.served;
    expect(check([CAA])).toEqual(['renewal_fails opened']);
    wait(DAY);
    const later = host.issue(NOW + DAY, 1);
    const shown = [later, old, later, old, later].map((certificate) => {
      const own = certificate === old ? [CAA] : [];
      // The check that sees another certificate still knows the forecast of the one before.
      const before = host.served === old ? [CAA] : [];
      host.served = certificate;
      const sent = [...check(before), ...checksFor(own)];
      wait(2 * 60 * MINUTE);
      return [...sent, ...check(own)].filter((step) => step.startsWith('renewal_fails'));
    });
    // Only the first change looks like a renewal.
    expect(shown.slice(2).flat()).toEqual([]);
  });

  it('stays while the host is down, also if its reminder is due', () => {
    const { host, check, checksFor, wait } = watched();
    expect(check([CAA])).toEqual(['renewal_fails opened']);
    host.isReached = false;
    expect(checksFor([CAA])).toEqual([]);
    wait(57 * DAY);
    expect(check([CAA])).toEqual(expect.arrayContaining(['renewal_fails 3d']));
  });

  it('is not reported if these alerts are muted', () => {
    const { check, checksFor } = watched({ muted: ['renewal_fails'] });
    expect(check([CAA])).toEqual([]);
    expect(checksFor([])).toEqual([]);
  });
});
