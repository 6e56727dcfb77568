import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { isOverdue, mailOutageSince, OVERDUE_MS } from './health.ts';

const NOW = Date.UTC(2026, 0, 15);

it('isOverdue is true more than ten minutes after the due time', () => {
  expect(OVERDUE_MS).toBe(10 * MINUTE_MS);
  expect(isOverdue(null, NOW)).toBe(false);
  expect(isOverdue(NOW - OVERDUE_MS, NOW)).toBe(false);
  expect(isOverdue(NOW - OVERDUE_MS - 1, NOW)).toBe(true);
});

describe('mailOutageSince', () => {
  const error = { address: 'ada@shop.example', since: NOW - HOUR_MS, isReply: false };
  const reply = { ...error, isReply: true };
  const since = (failing: (typeof error)[], deliveredAt = 0) =>
    mailOutageSince(failing, { deliveredAt, now: NOW });

  it('returns the time of the earliest server error since the last delivery', () => {
    expect(since([])).toBeNull();
    expect(since([error, { ...error, since: NOW - 2 * HOUR_MS }])).toBe(NOW - 2 * HOUR_MS);
    expect(since([error], NOW - 3 * HOUR_MS)).toBe(NOW - HOUR_MS);
  });

  it('ignores errors from before the last delivery until 70 minutes after it, when all mails were retried', () => {
    expect(since([error], NOW - 30 * MINUTE_MS)).toBeNull();
    const longAgo = { ...error, since: NOW - 3 * HOUR_MS };
    expect(since([longAgo], NOW - 70 * MINUTE_MS)).toBeNull();
    expect(since([longAgo], NOW - 71 * MINUTE_MS)).toBe(NOW - 71 * MINUTE_MS);
  });

  it('counts SMTP error replies only if mails to at least two domains got one', () => {
    const other = { ...reply, address: 'bo@shop.example' };
    const elsewhere = { ...reply, address: 'bo@mail.example' };
    expect(since([reply, other])).toBeNull();
    expect(since([reply, elsewhere])).toBe(NOW - HOUR_MS);
    expect(since([reply, elsewhere], NOW - 30 * MINUTE_MS)).toBeNull();
    expect(since([reply, error])).toBe(NOW - HOUR_MS);
  });
});
