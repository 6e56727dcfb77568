import { describe, expect, it } from 'vitest';
import { type NoticeFacts, noticeOf } from './notice.ts';

const now = Date.UTC(2026, 10, 20, 12);
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString();

const standing: NonNullable<NoticeFacts['standing']> = {
  plan: 'free',
  status: '',
  source: 'none',
  trial_available: false,
  ends_at: null,
  paused_by_plan: 0,
  paused_unconfirmed: 0,
  email_verified: true,
  checks_late: false,
  alerts_late: false,
  mail_failing: false,
  dead_channels: 0,
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

describe('the notice bar', () => {
  it('shows nothing while all is well or nothing is loaded', () => {
    expect(noticeOf(well)).toBeNull();
    expect(noticeOf({ ...well, standing: null })).toBeNull();
  });

  it('shows the most important notice if several apply', () => {
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
    [2.9, 'Your Premium trial ends in 3 days, on 23 November 2026. Nothing is deleted then.'],
    [1.5, 'Your Premium trial ends in 2 days, on 22 November 2026. Nothing is deleted then.'],
    [0.3, 'Your Premium trial ends within a day, on 20 November 2026. Nothing is deleted then.'],
    [-0.1, null],
  ])('announces the end of a trial only within its last three days: %d days left', (days, text) => {
    expect(noticeOf({ ...well, standing: { ...trial, ends_at: inDays(days) } })?.text ?? null).toBe(text);
  });

  it('explains late checks, late alerts, bounced emails and an unsubscription', () => {
    const of = (change: object) => noticeOf({ ...well, standing: { ...standing, ...change } })?.text;
    expect(of({ checks_late: true })).toBe(
      'Checks are running late. This page may be out of date, and alerts may arrive late.',
    );
    expect(of({ checks_late: true, alerts_late: true })).toBe(of({ checks_late: true }));
    expect(of({ alerts_late: true })).toBe(
      'Alerts are running late. Checks continue, and this page is up to date.',
    );
    expect(of({ mail_failing: true })).toBe(
      'Email to alice@orchard.example bounces, so you get no alerts by email. Check that the mailbox works, then try again.',
    );
    expect(of({ unsubscribed: true })).toBe(
      'You get no alerts by email because you unsubscribed from all of them.',
    );
  });

  it('counts the domains that are paused until the owner confirms them', () => {
    const of = (count: number) =>
      noticeOf({ ...well, standing: { ...standing, paused_unconfirmed: count } })?.text;
    expect(of(1)).toBe(
      '1 domain is paused. It was added before you confirmed this email address. Resume what is yours and remove the rest.',
    );
    expect(of(9)).toBe(
      '9 domains are paused. They were added before you confirmed this email address. Resume what is yours and remove the rest.',
    );
  });

  it('counts the domains that the plan paused', () => {
    const of = (count: number) =>
      noticeOf({ ...well, standing: { ...standing, paused_by_plan: count } })?.text;
    expect(of(1)).toBe('1 domain is paused: the Free plan checks up to 3. Resume a domain to choose which.');
    expect(of(9)).toBe(
      '9 domains are paused: the Free plan checks up to 3. Resume a domain to choose which.',
    );
  });
});
