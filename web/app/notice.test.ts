import { describe, expect, it } from 'vitest';
import { noticeOf } from './notice.ts';
import type { NoticeFacts } from './notice.ts';

const now = Date.UTC(2026, 10, 20, 12);
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString();

const standing: NonNullable<NoticeFacts['standing']> = {
  plan: 'free',
  status: '',
  source: 'none',
  ends_at: null,
  paused_by_plan: 0,
  paused_unconfirmed: 0,
  email_verified: true,
  checks_late: false,
  alerts_late: false,
  mail_failing: false,
  unsubscribed: false,
  mail_page: null,
};
const trial = { ...standing, plan: 'premium', status: 'trialing', source: 'trial' } as const;
const well: NoticeFacts = {
  isConnectionLost: false,
  standing,
  email: 'alice@orchard.example',
  learnsAtLogin: false,
  freeDomains: 3,
  isInsecure: false,
  now,
};

describe('the notice', () => {
  it('is none when all is well, and before anything is known', () => {
    expect(noticeOf(well)).toBeNull();
    expect(noticeOf({ ...well, standing: null })).toBeNull();
  });

  it('is the first that applies', () => {
    const troubles: [NonNullable<ReturnType<typeof noticeOf>>['kind'], Partial<NoticeFacts>][] = [
      ['insecure', { isInsecure: true }],
      ['verify', { standing: { ...standing, email_verified: false } }],
      ['trial', { standing: { ...trial, email_verified: false, ends_at: inDays(2) } }],
      [
        'unsubscribed',
        { standing: { ...trial, email_verified: false, ends_at: inDays(2), unsubscribed: true } },
      ],
      [
        'mail',
        {
          standing: {
            ...trial,
            email_verified: false,
            ends_at: inDays(2),
            unsubscribed: true,
            mail_failing: true,
          },
        },
      ],
      ['paused', { standing: { ...standing, email_verified: false, mail_failing: true, paused_by_plan: 2 } }],
      [
        'unconfirmed',
        {
          standing: {
            ...standing,
            email_verified: false,
            mail_failing: true,
            paused_by_plan: 2,
            paused_unconfirmed: 1,
          },
        },
      ],
      [
        'past_due',
        {
          standing: {
            ...standing,
            email_verified: false,
            paused_by_plan: 2,
            paused_unconfirmed: 1,
            status: 'past_due',
            ends_at: inDays(14),
          },
        },
      ],
      ['late', { standing: { ...standing, status: 'past_due', ends_at: inDays(14), alerts_late: true } }],
      ['connection', { isConnectionLost: true }],
    ];
    let facts = well;
    for (const [kind, trouble] of troubles) {
      facts = { ...facts, ...trouble };
      expect(noticeOf(facts)?.kind).toBe(kind);
    }
  });

  it.each([
    [3.1, null],
    [2.9, 'Your Premium trial ends in three days, on 23 November 2026. Nothing is deleted then.'],
    [1.5, 'Your Premium trial ends in two days, on 22 November 2026. Nothing is deleted then.'],
    [0.3, 'Your Premium trial ends within a day, on 20 November 2026. Nothing is deleted then.'],
    [-0.1, null],
  ])('of a trial that ends in %d days', (days, text) => {
    expect(noticeOf({ ...well, standing: { ...trial, ends_at: inDays(days) } })?.text ?? null).toBe(text);
  });

  it('says what late checks and alerts, refused mail and none at all mean', () => {
    const of = (change: object) => noticeOf({ ...well, standing: { ...standing, ...change } })?.text;
    expect(of({ checks_late: true })).toBe(
      'Checks are running late. What you see may be out of date, and alerts may arrive late.',
    );
    expect(of({ checks_late: true, alerts_late: true })).toBe(of({ checks_late: true }));
    expect(of({ alerts_late: true })).toBe(
      'Alerts are running late. Checks go on, and what you see is up to date.',
    );
    expect(of({ mail_failing: true })).toBe(
      'Mail to alice@orchard.example bounces, so alerts do not reach you by mail. Check that its mailbox takes mail, then try again.',
    );
    expect(of({ unsubscribed: true })).toBe('You get no alerts by mail: you unsubscribed from all of them.');
  });

  it('says which domains are paused until the owner of the address confirms them', () => {
    const of = (count: number) =>
      noticeOf({ ...well, standing: { ...standing, paused_unconfirmed: count } })?.text;
    expect(of(1)).toBe(
      'One domain is paused. It was added before you confirmed this address. Resume what is yours and remove the rest.',
    );
    expect(of(9)).toBe(
      'Nine domains are paused. They were added before you confirmed this address. Resume what is yours and remove the rest.',
    );
  });

  it('says how many domains the plan paused', () => {
    const of = (count: number) =>
      noticeOf({ ...well, standing: { ...standing, paused_by_plan: count } })?.text;
    expect(of(1)).toBe('One domain is paused: Free checks up to three. Resume one to choose which.');
    expect(of(9)).toBe('Nine domains are paused: Free checks up to three. Resume one to choose which.');
  });
});
