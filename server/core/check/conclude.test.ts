import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';
import { answer, failed, issue, NOW, observation, root, withChain } from '../../../tests/kit/judging.ts';
import { createTrustStore } from '../../pki/index.ts';
import { ACCOUNT_MAIL, DEFAULT_ALERT_SETTINGS } from '../alerting/settings.ts';
import type { KnownIncident } from '../alerting/incident.ts';
import { judge } from '../judge/judge.ts';
import {
  type AlertContext,
  type CheckState,
  conclude,
  type EarlierDelivery,
  needsAlertContext,
} from './conclude.ts';

const trustStore = createTrustStore([root.der]);
const served = observation([answer(withChain(issue()))]);
const unreachable = observation([failed()]);
const verdictOf = (seen: typeof served) => judge(seen, NOW, trustStore);
const SECOND_CHECK = 30_000;

const WATCHED: CheckState = {
  kind: 'watched',
  uptime: {
    uptime: 'up',
    suspectedSince: null,
    downSince: null,
    downSeenAt: null,
    since: NOW - DAY_MS,
    recentChecks: 'u',
    responseMs: 40,
  },
  previous: verdictOf(served),
  incidents: [],
  settings: DEFAULT_ALERT_SETTINGS,
  everyMinutes: 1440,
  isRequested: false,
  jitter: 0,
};
const SUSPECTED: CheckState = {
  ...WATCHED,
  uptime: { ...WATCHED.uptime, suspectedSince: NOW - SECOND_CHECK },
};
const OUTAGE: KnownIncident = {
  id: 'outage',
  problem: 'down',
  fingerprint: '',
  startedAt: NOW - HOUR_MS,
  confirmedAt: NOW - HOUR_MS,
  clearingSince: null,
  endedAt: null,
  recovered: false,
  acknowledgedAt: null,
  snoozedUntil: null,
  told: ['opened'],
  toldAt: NOW - HOUR_MS,
  facts: {
    certificate: null,
    asOf: NOW - HOUR_MS,
    message: 'No answer.',
    fix: null,
    successor: null,
    startedAt: NOW - HOUR_MS,
    endedAt: null,
  },
};
const DOWN: CheckState = {
  ...WATCHED,
  uptime: { ...WATCHED.uptime, uptime: 'down', downSince: NOW - HOUR_MS, downSeenAt: NOW - MINUTE_MS },
  incidents: [OUTAGE],
};

const MAIL = { key: ACCOUNT_MAIL, kind: 'email' as const, isOpen: true, isUnsubscribed: false };
const SLACK = { key: 'slack', kind: 'slack' as const, isOpen: true, isUnsubscribed: false };
const CONTEXT: AlertContext = {
  plan: 'premium',
  timeZone: null,
  channels: [MAIL, SLACK],
  maintenanceUntil: null,
  deliveries: [],
};
const delivered: EarlierDelivery = {
  incidentId: 'outage',
  step: 'opened',
  channelKey: ACCOUNT_MAIL,
  state: 'delivered',
  isBeingSent: false,
};

const concluded = (state: CheckState, seen: typeof served, context: AlertContext | null = CONTEXT) =>
  conclude(state, seen, verdictOf(seen), context, NOW);
const needs = (state: CheckState, seen: typeof served) =>
  needsAlertContext(state, seen, verdictOf(seen), NOW);

describe('what follows from a check', () => {
  it('that found nothing new: no incident, no alert, the next one after the interval', () => {
    expect(needs(WATCHED, served)).toBe(false);
    expect(concluded(WATCHED, served, null)).toMatchObject({
      uptime: { uptime: 'up', recentChecks: 'uu' },
      incidents: [],
      alerts: [],
      nextCheckAt: NOW + DAY_MS,
    });
  });

  it('that failed for the first time: a second one after half a minute, and nothing else', () => {
    expect(needs(WATCHED, unreachable)).toBe(false);
    expect(concluded(WATCHED, unreachable, null)).toMatchObject({
      uptime: { uptime: 'up', suspectedSince: NOW },
      incidents: [],
      alerts: [],
      nextCheckAt: NOW + SECOND_CHECK,
    });
  });

  it('that failed again: the endpoint is down since the first failure, and every channel is notified', () => {
    expect(needs(SUSPECTED, unreachable)).toBe(true);
    expect(concluded(SUSPECTED, unreachable)).toMatchObject({
      uptime: { uptime: 'down', downSince: NOW - SECOND_CHECK, recentChecks: 'ud' },
      incidents: [{ kind: 'open', problem: 'down', startedAt: NOW - SECOND_CHECK, cause: 'timeout' }],
      alerts: [
        {
          incidentId: null,
          problem: 'down',
          step: 'opened',
          routes: [
            { key: ACCOUNT_MAIL, leavesAt: NOW },
            { key: 'slack', leavesAt: NOW },
          ],
        },
      ],
    });
  });

  it('that found the endpoint up again: the outage ends, and only those who heard of it are notified', () => {
    expect(needs(DOWN, served)).toBe(true);
    expect(concluded(DOWN, served, { ...CONTEXT, deliveries: [delivered] })).toMatchObject({
      uptime: { uptime: 'up', downSince: null },
      incidents: [{ kind: 'end', id: 'outage', endedAt: NOW, recovered: true }],
      alerts: [
        { incidentId: 'outage', step: 'resolved', routes: [{ key: ACCOUNT_MAIL }], facts: { endedAt: NOW } },
      ],
    });
  });

  it('during maintenance: the outage opens without an alert, and the next check is due at its end', () => {
    const until = NOW + 20 * MINUTE_MS;
    expect(concluded(SUSPECTED, unreachable, { ...CONTEXT, maintenanceUntil: until })).toMatchObject({
      incidents: [{ kind: 'open', problem: 'down' }],
      alerts: [],
      nextCheckAt: until,
    });
  });

  it('of a monitor that was paused meanwhile: nothing', () => {
    expect(needs({ ...SUSPECTED, kind: 'paused' }, unreachable)).toBe(false);
    expect(concluded({ ...SUSPECTED, kind: 'paused' }, unreachable, null)).toMatchObject({
      uptime: null,
      incidents: [],
      alerts: [],
    });
  });

  it("of the product's own monitor: no alert, and the next check within five minutes", () => {
    expect(needs({ ...SUSPECTED, kind: 'own' }, unreachable)).toBe(false);
    expect(concluded({ ...WATCHED, kind: 'own' }, served, null)).toMatchObject({
      alerts: [],
      nextCheckAt: NOW + 5 * MINUTE_MS,
    });
  });

  it('during which somebody asked for another one: that is due at once', () => {
    expect(concluded({ ...WATCHED, isRequested: true }, served, null).nextCheckAt).toBe(NOW);
  });

  it('that was the first: the next one a minute later, for what the first left out', () => {
    expect(concluded({ ...WATCHED, previous: null }, served, null).nextCheckAt).toBe(NOW + MINUTE_MS);
  });
});

describe('the routes of an alert', () => {
  const untold: CheckState = { ...DOWN, incidents: [{ ...OUTAGE, told: [], toldAt: null }] };
  const failedOn = (channelKey: string): EarlierDelivery => ({ ...delivered, channelKey, state: 'failed' });
  const routes = (state: CheckState, seen: typeof served, deliveries: EarlierDelivery[]) =>
    concluded(state, seen, { ...CONTEXT, deliveries }).alerts.map((alert) =>
      alert.routes.map(({ key }) => key),
    );

  it('leave out channels on which it failed for good', () => {
    expect(routes(untold, unreachable, [failedOn('slack')])).toEqual([[ACCOUNT_MAIL]]);
    expect(routes(untold, unreachable, [failedOn('slack'), failedOn(ACCOUNT_MAIL)])).toEqual([[]]);
  });

  it('of good news include a channel whose alert of the outage still waits, and none whose alert was superseded', () => {
    expect(routes(DOWN, served, [{ ...delivered, state: 'waiting' }])).toEqual([[ACCOUNT_MAIL]]);
    expect(routes(DOWN, served, [{ ...delivered, state: 'superseded' }])).toEqual([[]]);
  });
});

it('a check that needs no context comes to the same conclusion with any', () => {
  const expiring = (days: number) =>
    observation([answer(withChain(issue({ notBefore: NOW - 80 * DAY_MS, notAfter: NOW + days * DAY_MS })))]);
  const seen = fc.constantFrom(served, unreachable, expiring(2), expiring(40));
  const incident = fc.record({
    snoozedUntil: fc.constantFrom(null, NOW + HOUR_MS),
    endedAt: fc.constantFrom(null, NOW - MINUTE_MS),
    told: fc.constantFrom<KnownIncident['told']>([], ['opened'], ['opened', 'resolved']),
  });
  let skipped = 0;
  fc.assert(
    fc.property(
      seen,
      fc.constantFrom(WATCHED, SUSPECTED, DOWN),
      fc.option(incident, { nil: null }),
      fc.constantFrom(null, NOW + DAY_MS),
      (found, base, change, maintenanceUntil) => {
        const incidents = change === null ? [] : [{ ...OUTAGE, ...change }];
        const state = { ...base, incidents };
        if (needs(state, found)) return;
        skipped += 1;
        expect(concluded(state, found, { ...CONTEXT, maintenanceUntil })).toEqual(
          concluded(state, found, null),
        );
      },
    ),
    { numRuns: 500 },
  );
  expect(skipped).toBeGreaterThan(50);
});
