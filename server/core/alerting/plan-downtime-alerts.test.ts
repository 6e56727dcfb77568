import { describe, expect, it } from 'vitest';
import { SimulatedHost } from '../../../tests/kit/alerting/simulated-host.ts';
import { MemoryOutbox } from '../../../tests/kit/alerting/memory-outbox.ts';
import type { MutableEvent } from '../../../contract/check-words.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function watched() {
  const outbox = new MemoryOutbox();
  let now = Date.UTC(2026, 0, 1);
  const verdict = new SimulatedHost(now, 1).check(now, null);
  let muted: MutableEvent[] = [];
  return {
    outbox,
    mute: (...events: MutableEvent[]) => void (muted = events),
    /** Records three checks over `ms`, the first two 30 s apart; returns the steps that are sent. */
    is(state: 'up' | 'down' | 'unknown', ms: number) {
      const end = now + ms;
      const sent: string[] = [];
      for (const step of [30_000, 30_000, end - now - MINUTE]) {
        now += Math.max(0, step);
        const settings = { steps: null, muted };
        sent.push(
          ...outbox.recordCheck({ verdict, previous: verdict, now, state, settings }).map((one) => one.step),
        );
      }
      return sent;
    },
  };
}

describe('a watched host', () => {
  it('causes an alert when it goes down and when it recovers', () => {
    const host = watched();
    expect(host.is('up', HOUR)).toEqual([]);
    expect(host.is('down', 10 * MINUTE)).toEqual(['opened']);
    expect(host.is('up', HOUR)).toEqual(['resolved']);
  });

  it('counts as flapping from the third downtime in six hours until it has been up for an hour', () => {
    const host = watched();
    const turns = [1, 2, 3, 4, 5].map(() => [...host.is('down', 10 * MINUTE), ...host.is('up', 20 * MINUTE)]);
    expect(turns).toEqual([['opened', 'resolved'], ['opened', 'resolved'], ['flapping'], [], []]);
    expect(host.is('up', HOUR)).toEqual(['resolved']);
    expect(host.is('up', 7 * HOUR)).toEqual([]);
    expect(host.is('down', 10 * MINUTE)).toEqual(['opened']);
  });

  it('causes a new alert if it is down after a day of unknown state, even if it was flapping before', () => {
    const host = watched();
    for (const _ of [1, 2, 3]) {
      host.is('down', 10 * MINUTE);
      host.is('up', 10 * MINUTE);
    }
    host.is('down', 10 * MINUTE);
    // No check is conclusive for a day: whether the outage is over is unknown, so no recovery is sent.
    expect(host.is('unknown', 24 * HOUR)).toEqual([]);
    expect(host.is('down', 10 * MINUTE)).toEqual(['opened']);
  });

  it('causes an alert when uptime alerts are unmuted during an outage, but none about a muted recovery', () => {
    const host = watched();
    host.mute('uptime');
    expect(host.is('down', 10 * MINUTE)).toEqual([]);
    host.mute();
    expect(host.is('down', 10 * MINUTE)).toEqual(['opened']);
    host.mute('uptime');
    expect(host.is('up', HOUR)).toEqual([]);
  });
});
