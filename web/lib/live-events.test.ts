import { describe, expect, it } from 'vitest';
import { parseServerEvent, reconnectDelayMs } from './live-events.ts';

describe('an event of the stream', () => {
  it('is parsed by the contract', () => {
    expect(parseServerEvent('domain_removed', '{"id":"m1"}')).toEqual({
      event: 'domain_removed',
      data: { id: 'm1' },
    });
    expect(parseServerEvent('alerts', '{"domain_id":null}')).toEqual({
      event: 'alerts',
      data: { domain_id: null },
    });
    expect(parseServerEvent('session_ended', '{}')).toEqual({ event: 'session_ended', data: {} });
  });

  it.each([
    ['domain', '{"id":"m1"}'],
    ['domain_removed', 'not json'],
    ['from_a_newer_server', '{}'],
  ])('is ignored if it is unknown or malformed: %s %s', (name, data) => {
    expect(parseServerEvent(name, data)).toBeNull();
  });
});

describe('the reconnect delay', () => {
  it('doubles up to 30 s', () => {
    expect([0, 1, 2, 9].map((attempt) => reconnectDelayMs(attempt, 1))).toEqual([1000, 2000, 4000, 30_000]);
  });

  it('has jitter, so that browsers do not reconnect at the same time', () => {
    expect(reconnectDelayMs(3, 0)).toBe(4000);
    expect(reconnectDelayMs(3, 0.5)).toBe(6000);
  });
});
