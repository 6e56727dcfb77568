import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';
import {
  failedAddress,
  handshakeWith,
  HOST,
  intermediate,
  issue,
  NOW,
  observation,
  trustStore,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import { SOUND_OBSERVATION, WATCHED } from '../../../tests/kit/certificates/sound.ts';
import { postureAt } from '../../../tests/kit/product/observation.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { ACCOUNT_MAIL, DEFAULT_ALERT_SETTINGS } from '../alerting/settings.ts';
import { type KnownIncident, NEW_INCIDENT } from '../alerting/incident.ts';
import { judge } from '../judge/judge.ts';
import type { AlertContext, EarlierDelivery } from '../alerting/route.ts';
import { type CheckState, concernedCertificates, conclude } from './conclude.ts';

const unreachable = observation([failedAddress()]);
const verdictOf = (seen: typeof SOUND_OBSERVATION) => judge(seen, NOW, trustStore);
const SECOND_CHECK = 30_000;

const SUSPECTED: CheckState = {
  ...WATCHED,
  uptime: { ...WATCHED.uptime, suspectedSince: NOW - SECOND_CHECK },
};
const OUTAGE: KnownIncident = {
  ...NEW_INCIDENT,
  id: 'outage',
  incidentId: 'outage',
  problem: 'down',
  fingerprint: '',
  startedAt: NOW - HOUR_MS,
  confirmedAt: NOW - HOUR_MS,
  notifiedSteps: ['opened'],
  lastStepAt: NOW - HOUR_MS,
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
  shared: [],
};
const delivered: EarlierDelivery = {
  incidentId: 'outage',
  step: 'opened',
  channelKey: ACCOUNT_MAIL,
  state: 'delivered',
  isBeingSent: false,
};

const concluded = (
  state: CheckState,
  seen: typeof SOUND_OBSERVATION,
  context: AlertContext | null = CONTEXT,
) => conclude(state, seen, verdictOf(seen), context, NOW);
const needs = (state: CheckState, seen: typeof SOUND_OBSERVATION) =>
  concernedCertificates(state, seen, verdictOf(seen), NOW) !== null;

describe('the conclusion of a check', () => {
  it('a check with an unchanged result plans the next check after the interval, and nothing else', () => {
    expect(needs(WATCHED, SOUND_OBSERVATION)).toBe(false);
    expect(concluded(WATCHED, SOUND_OBSERVATION, null)).toMatchObject({
      uptime: { uptime: 'up', recentChecks: 'uu' },
      incidents: [],
      alerts: [],
      nextCheckAt: NOW + DAY_MS,
    });
  });

  it('names the problem of a host that some clients refuse although its certificate is trusted', () => {
    const issuer = { der: new Uint8Array(intermediate.der), source: 'cache' as const, url: null };
    const leaf = issue({ caIssuersUrls: ['http://ca.fjord.example/1.cer'] });
    const incomplete = observation([handshakeWith([leaf])], { authorities: [issuer] });
    expect(verdictOf(incomplete)).toMatchObject({ trusted: true });
    expect(conclude(WATCHED, incomplete, verdictOf(incomplete), CONTEXT, NOW).problem).toEqual({
      code: 'refused',
      message: expect.stringMatching(/^Your server does not send the intermediate/) as string,
    });
  });

  it('names the problem of an untrusted certificate or an unreachable host, and no problem if all is well', () => {
    const untrusted = judge(SOUND_OBSERVATION, NOW, createTrustStore([]));
    const problemOf = (seen: typeof SOUND_OBSERVATION, verdict = verdictOf(seen)) =>
      conclude(WATCHED, seen, verdict, CONTEXT, NOW).problem;
    expect(problemOf(SOUND_OBSERVATION)).toBeNull();
    expect(problemOf(SOUND_OBSERVATION, untrusted)).toMatchObject({
      code: 'untrusted',
      message: expect.stringMatching(/\w/),
    });
    expect(problemOf(unreachable)).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/\w/),
    });
  });

  it('checks a server again an hour after its first temporary refusal, and then opens an incident with the code of its answer', () => {
    const refusal = { code: '450', text: 'Greylisted', isTemporary: true };
    const busy = failedAddress({ stage: 'starttls', reason: 'server_refused', refusal });
    let state: CheckState = { ...WATCHED, jitter: 0.5 };
    const checkAt = (observedAt: number) => {
      const seen = observation([busy], { observedAt });
      const verdict = judge(seen, observedAt, trustStore, state.previous);
      const conclusion = conclude(state, seen, verdict, CONTEXT, observedAt);
      state = { ...state, previous: verdict, uptime: conclusion.uptime ?? state.uptime };
      return conclusion;
    };
    const first = checkAt(NOW);
    expect(first).toMatchObject({
      uptime: { uptime: 'unknown', recentChecks: 'u?' },
      incidents: [],
      alerts: [],
    });
    expect(first.nextCheckAt).toBeLessThanOrEqual(NOW + HOUR_MS);
    const second = checkAt(first.nextCheckAt);
    expect(second).toMatchObject({ uptime: { recentChecks: 'u??' }, nextCheckAt: NOW + HOUR_MS });
    const third = checkAt(second.nextCheckAt);
    expect(third).toMatchObject({
      uptime: { recentChecks: 'u??d' },
      incidents: [],
      nextCheckAt: NOW + HOUR_MS + SECOND_CHECK,
    });
    expect(checkAt(third.nextCheckAt)).toMatchObject({
      uptime: { uptime: 'down', downSince: NOW + HOUR_MS },
      incidents: [
        {
          kind: 'open',
          problem: 'down',
          cause: 'server_refused',
          facts: { message: `${HOST} refused us now: it answered 450.` },
        },
      ],
    });
  });

  it('counts a host as unreachable from the first failed check until a check reads a certificate', () => {
    const since = (unreachableSince: number | null, seen: typeof SOUND_OBSERVATION) =>
      concluded({ ...WATCHED, unreachableSince }, seen).unreachableSince;
    expect(since(null, SOUND_OBSERVATION)).toBeNull();
    expect(since(null, unreachable)).toBe(unreachable.observedAt);
    expect(since(NOW - HOUR_MS, unreachable)).toBe(NOW - HOUR_MS);
    expect(since(NOW - HOUR_MS, SOUND_OBSERVATION)).toBeNull();
  });

  it('a first failure opens no incident and repeats the check after 30 seconds', () => {
    expect(needs(WATCHED, unreachable)).toBe(false);
    expect(concluded(WATCHED, unreachable, null)).toMatchObject({
      uptime: { uptime: 'up', suspectedSince: NOW },
      incidents: [],
      alerts: [],
      nextCheckAt: NOW + SECOND_CHECK,
    });
  });

  it('a second failure opens an incident that began at the first failure, and alerts every channel', () => {
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

  it('a recovery ends the incident and alerts only channels that got the outage alert', () => {
    expect(needs(DOWN, SOUND_OBSERVATION)).toBe(true);
    expect(concluded(DOWN, SOUND_OBSERVATION, { ...CONTEXT, deliveries: [delivered] })).toMatchObject({
      uptime: { uptime: 'up', downSince: null },
      incidents: [{ kind: 'end', id: 'outage', endedAt: NOW, recovered: true }],
      alerts: [
        { incidentId: 'outage', step: 'resolved', routes: [{ key: ACCOUNT_MAIL }], facts: { endedAt: NOW } },
      ],
    });
  });

  it('an alert about a certificate goes to every channel that one of its domains chose and is subscribed to', () => {
    const expired = { ...SOUND_OBSERVATION, observedAt: NOW + 400 * DAY_MS };
    const at = expired.observedAt;
    const choice = (channels: string[], unsubscribed: string[] = []) => ({
      settings: { ...DEFAULT_ALERT_SETTINGS, channels },
      unsubscribed,
    });
    const verdict = judge(expired, at, trustStore);
    const shared = [
      {
        id: null,
        acknowledgedAt: null,
        snoozedUntil: null,
        problem: 'expiry' as const,
        fingerprint: verdict.leafFingerprint ?? '',
        notifiedSteps: [],
        lastStepAt: null,
        hasOthersOpen: false,
        othersServing: 1,
        choices: [choice(['slack']), choice([ACCOUNT_MAIL, 'ops'], ['ops'])],
      },
    ];
    const channels = [MAIL, SLACK, { ...SLACK, key: 'ops' }, { ...SLACK, key: 'unused' }];
    const own = { ...WATCHED, settings: { ...DEFAULT_ALERT_SETTINGS, channels: [ACCOUNT_MAIL] } };
    const { alerts } = conclude(own, expired, verdict, { ...CONTEXT, channels, shared }, at);
    expect(alerts.map(({ step, routes }) => [step, routes.map(({ key }) => key)])).toEqual([
      ['expired', [ACCOUNT_MAIL, 'slack']],
    ]);
  });

  it('a failed check during maintenance opens an incident without an alert and is repeated when maintenance ends', () => {
    const until = NOW + 20 * MINUTE_MS;
    expect(concluded(SUSPECTED, unreachable, { ...CONTEXT, maintenanceUntil: until })).toMatchObject({
      incidents: [{ kind: 'open', problem: 'down' }],
      alerts: [],
      nextCheckAt: until,
    });
  });

  it('a check of a monitor that was paused during the check changes nothing', () => {
    expect(needs({ ...SUSPECTED, kind: 'paused' }, unreachable)).toBe(false);
    expect(concluded({ ...SUSPECTED, kind: 'paused' }, unreachable, null)).toMatchObject({
      uptime: null,
      incidents: [],
      alerts: [],
    });
  });

  it('the check of our own site causes no alert and is repeated after five minutes', () => {
    expect(needs({ ...SUSPECTED, kind: 'own' }, unreachable)).toBe(false);
    expect(concluded({ ...WATCHED, kind: 'own' }, SOUND_OBSERVATION, null)).toMatchObject({
      alerts: [],
      nextCheckAt: NOW + 5 * MINUTE_MS,
    });
  });

  it('makes the next check due at once if one was requested during this check', () => {
    expect(concluded({ ...WATCHED, isRequested: true }, SOUND_OBSERVATION, null).nextCheckAt).toBe(NOW);
  });

  it('the first check of a monitor is repeated after a minute to examine TLS versions, CAA and registration', () => {
    expect(concluded({ ...WATCHED, previous: null }, SOUND_OBSERVATION, null).nextCheckAt).toBe(
      NOW + MINUTE_MS,
    );
  });

  it.each([1, 180, 299])(
    'a certificate that becomes valid in %i seconds is checked again at that time, and causes no alert',
    (seconds) => {
      const validAt = NOW + seconds * 1_000;
      const early = observation([handshakeWith(withChain(issue({ notBefore: validAt })))]);
      expect(concluded({ ...WATCHED, previous: verdictOf(early) }, early)).toMatchObject({
        problem: null,
        incidents: [],
        alerts: [],
        nextCheckAt: validAt,
      });
    },
  );

  it('a posture check that reached the limit of failed handshakes continues as soon as the limit allows more', () => {
    const posture = postureAt(NOW - 1_000, {
      postponed: ['tls_versions'],
      resumesAt: NOW + 15 * MINUTE_MS,
    });
    const nextAfter = (changes: Partial<typeof posture>, state: Partial<CheckState> = {}) => {
      const seen = { ...SOUND_OBSERVATION, posture: { ...posture, ...changes } };
      const verdict = judge(seen, NOW, trustStore, state.previous);
      return conclude({ ...WATCHED, ...state }, seen, verdict, null, NOW).nextCheckAt;
    };
    expect(nextAfter({})).toBe(NOW + 15 * MINUTE_MS);
    expect(nextAfter({}, { jitter: 0.5 })).toBe(NOW + 17.5 * MINUTE_MS);
    // A check without a posture does not change when the next posture check is due.
    const limited = judge({ ...SOUND_OBSERVATION, posture }, NOW, trustStore);
    const between = (now: number) =>
      conclude(WATCHED, SOUND_OBSERVATION, judge(SOUND_OBSERVATION, now, trustStore, limited), null, now)
        .nextCheckAt;
    expect(between(NOW + MINUTE_MS)).toBe(NOW + 15 * MINUTE_MS);
    expect(between(NOW + 15 * MINUTE_MS)).toBe(NOW + 15 * MINUTE_MS + DAY_MS);
    // The limit allows more after a minute, but no endpoint gets two posture checks within 15 minutes.
    expect(nextAfter({ resumesAt: NOW + MINUTE_MS })).toBe(NOW + 15 * MINUTE_MS - 1_000);
    const { resumesAt: _, ...tooSlow } = posture;
    const seen = { ...SOUND_OBSERVATION, posture: tooSlow };
    expect(concluded(WATCHED, seen, null).nextCheckAt).toBe(NOW + DAY_MS);
    const { postponed: __, resumesAt: ___, ...tested } = posture;
    const previous = judge({ ...seen, posture: tested }, NOW, trustStore);
    expect(nextAfter({}, { previous })).toBe(NOW + DAY_MS);
  });
});

describe('the routes of an alert', () => {
  const unreported: CheckState = { ...DOWN, incidents: [{ ...OUTAGE, notifiedSteps: [], lastStepAt: null }] };
  const failedOn = (channelKey: string): EarlierDelivery => ({ ...delivered, channelKey, state: 'failed' });
  const routes = (state: CheckState, seen: typeof SOUND_OBSERVATION, deliveries: EarlierDelivery[]) =>
    concluded(state, seen, { ...CONTEXT, deliveries }).alerts.map((alert) =>
      alert.routes.map(({ key }) => key),
    );

  it('leave out channels on which the delivery failed for good', () => {
    expect(routes(unreported, unreachable, [failedOn('slack')])).toEqual([[ACCOUNT_MAIL]]);
    expect(routes(unreported, unreachable, [failedOn('slack'), failedOn(ACCOUNT_MAIL)])).toEqual([[]]);
  });

  it('the routes of a recovery alert include channels where the outage alert still waits, not where it was superseded', () => {
    expect(routes(DOWN, SOUND_OBSERVATION, [{ ...delivered, state: 'waiting' }])).toEqual([[ACCOUNT_MAIL]]);
    expect(routes(DOWN, SOUND_OBSERVATION, [{ ...delivered, state: 'superseded' }])).toEqual([[]]);
  });
});

it('if `concernedCertificates` returns null, the alert context does not change the conclusion', () => {
  const expiring = (days: number) =>
    observation([
      handshakeWith(withChain(issue({ notBefore: NOW - 80 * DAY_MS, notAfter: NOW + days * DAY_MS }))),
    ]);
  const seen = fc.constantFrom(SOUND_OBSERVATION, unreachable, expiring(2), expiring(40));
  const incident = fc.record({
    snoozedUntil: fc.constantFrom(null, NOW + HOUR_MS),
    endedAt: fc.constantFrom(null, NOW - MINUTE_MS),
    notifiedSteps: fc.constantFrom<KnownIncident['notifiedSteps']>([], ['opened'], ['opened', 'resolved']),
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
