import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../../contract/durations.ts';
import {
  DIGICERT,
  healthySite,
  LETS_ENCRYPT,
  NOW,
  pastRenewal,
  type SiteOptions,
  withContext,
} from '../../../../tests/kit/product/renewal-site.ts';
import { caOf } from '../ca-identifiers.ts';
import type { ForecastContext } from '../evidence.ts';
import { expectedDay } from '../expected-day.ts';
import { checkLifetime, checkOverdue, checkRegistration } from './time-checks.ts';

const inputOf = (options: SiteOptions, change: Partial<ForecastContext> = {}) => {
  const { evidence, context } = withContext(healthySite('example.com', options), change);
  return { evidence, context, ca: caOf(context.certificate), ...expectedDay(context) };
};
const brief = (checks: { state: string; reason: string }[]) =>
  checks.map(({ state, reason }) => `${state} ${reason}`);
const day = (at: number) => Math.round((at - NOW) / DAY_MS);

describe('the expected day', () => {
  it('is the start of the window of the CA, else the habit, else when a third of the lifetime is left', () => {
    const window = { start: NOW + 3 * DAY_MS, end: NOW + 5 * DAY_MS };
    const renewals = [pastRenewal(NOW - 50 * DAY_MS)].map((one) => ({
      ...one,
      renewedAt: one.notBefore + 75 * DAY_MS,
    }));
    expect(inputOf({}, { renewalWindow: window, renewals })).toMatchObject({
      expectedAt: window.start,
      expectedBy: 'ari',
    });
    const habit = inputOf({}, { renewals });
    expect([habit.expectedBy, day(habit.expectedAt)]).toEqual(['habit', 25]);
    const lifetime = inputOf({});
    expect([lifetime.expectedBy, day(lifetime.expectedAt)]).toEqual(['lifetime', 10]);
    expect(day(inputOf({ lifetimeDays: 6, ageDays: 2 }).expectedAt)).toBe(1);
  });

  it('ignores renewals soon after issue, which somebody made by hand', () => {
    const early = { ...pastRenewal(NOW), renewedAt: NOW, notBefore: NOW - 3 * DAY_MS };
    expect(inputOf({}, { renewals: [early] }).expectedBy).toBe('lifetime');
  });
});

describe('an overdue renewal', () => {
  const renewals = (count: number) =>
    Array.from({ length: count }, (_, index) => pastRenewal(NOW - index * 60 * DAY_MS));

  it('is late if at least two earlier renewals came more than two days sooner', () => {
    expect(brief(checkOverdue(inputOf({ ageDays: 61 }, { renewals: renewals(2) })))).toEqual([]);
    expect(brief(checkOverdue(inputOf({ ageDays: 63 }, { renewals: renewals(2) })))).toEqual(['warns own']);
    expect(brief(checkOverdue(inputOf({ ageDays: 70 }, { renewals: renewals(1) })))).toEqual([]);
  });

  it('is late if at least five other certificates of a similar lifetime were renewed sooner', () => {
    const late = checkOverdue(inputOf({ ageDays: 66 }, { otherRenewals: renewals(40) }));
    expect(late).toMatchObject([{ reason: 'others', values: { age: 66, days: 60, renewals: 40 } }]);
    expect(checkOverdue(inputOf({ ageDays: 66 }, { otherRenewals: renewals(4) }))).toEqual([]);
    expect(
      checkOverdue(inputOf({ ageDays: 66, lifetimeDays: 200 }, { otherRenewals: renewals(40) })),
    ).toEqual([]);
  });

  it('is late after the window of the CA, unless earlier renewals were as late', () => {
    const renewalWindow = { start: NOW - 9 * DAY_MS, end: NOW - 3 * DAY_MS };
    expect(brief(checkOverdue(inputOf({}, { renewalWindow })))).toEqual(['warns ari']);
    expect(brief(checkOverdue(inputOf({}, { renewalWindow, renewals: renewals(2) })))).toEqual([]);
  });
});

describe('the lifetime of the next certificate', () => {
  const renewals = [pastRenewal(NOW - 80 * DAY_MS), pastRenewal(NOW - 140 * DAY_MS)];
  /** From 16 February 2028, Let's Encrypt issues certificates of 45 days by default. */
  const notBefore = Date.parse('2028-02-01');

  it('warns if a fixed renewal timer is too long for the next certificate', () => {
    const input = inputOf({ issuer: LETS_ENCRYPT }, { renewals });
    const certificate = { ...input.context.certificate, notBefore, notAfter: notBefore + 90 * DAY_MS };
    const late = {
      ...input,
      context: { ...input.context, certificate },
      expectedAt: notBefore + 60 * DAY_MS,
    };
    expect(checkLifetime(late)).toMatchObject([
      {
        state: 'warns',
        reason: 'timer',
        values: { days: 45, lifetime: 90, timer: 60, rule: 'lets_encrypt_45' },
      },
    ]);
    const without = { ...late, context: { ...late.context, renewals: [] } };
    expect(brief(checkLifetime(without))).toEqual(['passes shorter']);
  });

  it('says nothing if the next certificate is valid as long as this one', () => {
    expect(checkLifetime(inputOf({ issuer: LETS_ENCRYPT }, { renewals }))).toEqual([]);
    expect(checkLifetime(inputOf({ issuer: DIGICERT, lifetimeDays: 200, ageDays: 100 }))).toEqual([]);
  });

  it('is the limit of the Baseline Requirements for CAs without a shorter default', () => {
    const input = inputOf({ issuer: DIGICERT, lifetimeDays: 200, ageDays: 10 });
    expect(checkLifetime(input)).toMatchObject([
      { reason: 'shorter', values: { days: 100, rule: 'lifetime_100' } },
    ]);
  });
});

describe('the registration', () => {
  const judge = (expiresAt: number) =>
    brief(
      checkRegistration(
        inputOf(
          {},
          { registrations: [{ outcome: 'expires', domain: 'example.com', expiresAt, registrar: null }] },
        ),
      ),
    );

  it('warns if it ends before the renewal', () => {
    expect(judge(NOW + 5 * DAY_MS)).toEqual(['warns ends']);
    expect(judge(NOW - DAY_MS)).toEqual(['warns ended']);
    expect(judge(NOW + 50 * DAY_MS)).toEqual(['passes lasts']);
  });

  it('warns if the registry does not know the domain, and says nothing without a date', () => {
    const registrations = [
      { outcome: 'not_found', domain: 'example.com' },
      { outcome: 'no_date', domain: 'example.org' },
      { outcome: 'not_applicable' },
    ] as const;
    expect(brief(checkRegistration(inputOf({}, { registrations })))).toEqual(['warns not_found']);
  });
});
