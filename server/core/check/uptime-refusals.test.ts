import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';
import {
  DAY,
  failedAddress,
  handshakeWith,
  NOW,
  observation,
} from '../../../tests/kit/certificates/judging.ts';
import { assessUptime } from './uptime.ts';

describe('assessUptime of a server that refuses us', () => {
  it('is unknown for an hour after a temporary refusal, and down after that', () => {
    const endpoint = { host: 'mail.example', port: 25, protocol: 'smtp' as const };
    const refusal = { code: '450', text: null, isTemporary: true };
    const busy = failedAddress({ stage: 'starttls', reason: 'server_refused', refusal });
    const before = (observedAt: number, refusedSince: number | null) => ({
      observedAt,
      failure: {
        stage: 'starttls' as const,
        reason: 'server_refused' as const,
        detail: { kind: 'refusal' as const, code: '450', refusedSince },
      },
    });
    const at = (observedAt: number) => observation([busy], { endpoint, observedAt });
    const cause = { code: 'server_refused', message: 'mail.example:25 refused us now: it answered 450.' };
    const unknown = { state: 'unknown', responseMs: null, cause };
    expect(assessUptime(at(NOW))).toEqual({ ...unknown, downAt: NOW + HOUR_MS });
    const later = assessUptime(at(NOW + HOUR_MS - 1), before(NOW + MINUTE_MS, NOW));
    expect(later).toEqual({ ...unknown, downAt: NOW + HOUR_MS });
    const down = { ...unknown, state: 'down' };
    expect(assessUptime(at(NOW + HOUR_MS), before(NOW + MINUTE_MS, NOW))).toEqual(down);
    expect(assessUptime(at(NOW + DAY), before(NOW, NOW))).toMatchObject({ state: 'down' });
    // After more than a day without a check, and after another failure, the hour begins anew.
    expect(assessUptime(at(NOW + 2 * DAY), before(NOW, NOW))).toMatchObject(unknown);
    expect(assessUptime(at(NOW + HOUR_MS), before(NOW, null))).toMatchObject(unknown);
  });

  it('is down at once after a refusal that is not temporary, even if another address refuses temporarily', () => {
    const refusal = { code: '554', text: null, isTemporary: false };
    const refused = failedAddress({ stage: 'starttls', reason: 'server_refused', refusal });
    const busy = { ...refused, refusal: { ...refusal, code: '450', isTemporary: true } };
    const silent = failedAddress();
    expect(assessUptime(observation([refused]))).toMatchObject({ state: 'down' });
    expect(assessUptime(observation([busy, refused]))).toMatchObject({ state: 'down' });
    expect(assessUptime(observation([silent, busy]))).toMatchObject({ state: 'unknown' });
    expect(assessUptime(observation([busy, handshakeWith([])]))).toMatchObject({ state: 'up' });
  });
});
