import { describe, expect, it } from 'vitest';
import { upcomingAlerts } from './upcoming-alerts.ts';
import { type ChannelState, isChannelOpen, routeAlert } from './route.ts';
import {
  ACCOUNT_MAIL,
  affectsAlerts,
  DEFAULT_ALERT_SETTINGS,
  effectiveSettings,
  existingChannels,
  isMuted,
  maySetSteps,
  withExistingChannels,
} from './settings.ts';

const DAY = 86_400_000;
const END = Date.UTC(2026, 10, 22, 14, 32);
const mail: ChannelState = { key: ACCOUNT_MAIL, kind: 'email', isOpen: true, isUnsubscribed: false };
const slack: ChannelState = { ...mail, key: 'c1', kind: 'slack' };

describe('the route of an alert', () => {
  const keys = (channels: ChannelState[], chosen: string[] | null, plan: 'free' | 'premium' = 'premium') =>
    routeAlert(
      { severity: 'critical' },
      { channels, settings: { channels: chosen, quietHours: null }, plan, timeZone: null, now: 5 },
    ).map(({ key }) => key);

  it('includes every open channel, or only the chosen ones', () => {
    expect(keys([mail, slack], null)).toEqual(['email', 'c1']);
    expect(keys([mail, slack], ['c1'])).toEqual(['c1']);
    expect(keys([mail, slack], [])).toEqual([]);
    expect(keys([mail, { ...slack, isOpen: false }], null)).toEqual(['email']);
    expect(keys([{ ...mail, isUnsubscribed: true }, slack], null)).toEqual(['c1']);
  });

  it('is only the account’s email address on Free, or if no chosen channel is open', () => {
    expect(keys([mail, slack], null, 'free')).toEqual(['email']);
    expect(keys([mail, slack], ['c1'], 'free')).toEqual(['email']);
    expect(keys([mail, { ...slack, isOpen: false }], ['c1'])).toEqual(['email']);
    expect(keys([{ ...mail, isUnsubscribed: true }, slack], ['c1'], 'free')).toEqual([]);
  });
});

it('a channel is open if it is confirmed and on; mail to the account is always open', () => {
  expect(isChannelOpen('c1', { confirmedAt: 1, disabledAt: null })).toBe(true);
  expect(isChannelOpen('c1', { confirmedAt: null, disabledAt: null })).toBe(false);
  expect(isChannelOpen('c1', { confirmedAt: 1, disabledAt: 2 })).toBe(false);
  expect(isChannelOpen(ACCOUNT_MAIL, { confirmedAt: null, disabledAt: null })).toBe(true);
});

describe('alert settings', () => {
  const account = { ...DEFAULT_ALERT_SETTINGS, steps: ['20d' as const], muted: ['uptime' as const] };

  it('come from the account unless the domain overrides them; overriding steps needs Premium', () => {
    expect(effectiveSettings(account, null, 'free')).toEqual(account);
    expect(effectiveSettings(account, { steps: null, muted: [] }, 'premium')).toMatchObject({
      steps: null,
      muted: [],
    });
    expect(effectiveSettings(account, { steps: ['3d'], channels: [] }, 'free')).toMatchObject({
      steps: ['20d'],
      channels: [],
    });
  });

  it('accept new steps for a domain only with Premium', () => {
    const before = { steps: ['3d' as const] };
    const own = (after: Parameters<typeof maySetSteps>[1]['after'], plan: 'free' | 'premium' = 'free') =>
      maySetSteps(plan, { before, after });
    expect(own({ steps: ['5d'] })).toBe(false);
    expect(own({ steps: null })).toBe(false);
    expect(own({ steps: ['5d'] }, 'premium')).toBe(true);
    expect(own({ steps: ['3d'], muted: [] })).toBe(true);
    expect(own({})).toBe(true);
    expect(maySetSteps('free', { before: null, after: before })).toBe(false);
  });

  it('change the next alerts if channels, steps or muted events differ, but not if only quiet hours differ', () => {
    const quietHours = { fromMinute: 0, toMinute: 60, criticalAlways: true };
    expect(affectsAlerts(account, { ...account, quietHours, steps: ['20d'] })).toBe(false);
    expect(affectsAlerts(account, { ...account, channels: [ACCOUNT_MAIL] })).toBe(true);
    expect(affectsAlerts(account, { ...account, steps: null })).toBe(true);
    expect(affectsAlerts(account, { ...account, muted: [] })).toBe(true);
  });

  it('drop deleted channels; if none is left, an account uses all channels and a domain those of its account', () => {
    const existing = [ACCOUNT_MAIL, 'c1', 'c2'];
    expect(existingChannels(['c2', 'gone', 'c1'], existing)).toEqual(['c1', 'c2']);
    expect(existingChannels(['gone'], existing)).toBeNull();
    expect(existingChannels(null, existing)).toBeNull();
    expect(withExistingChannels({ channels: ['gone', 'c1'], muted: [] }, existing)).toEqual({
      channels: ['c1'],
      muted: [],
    });
    expect(withExistingChannels({ channels: ['gone'], muted: [] }, existing)).toEqual({ muted: [] });
    expect(withExistingChannels({ channels: null }, existing)).toEqual({ channels: null });
    expect(withExistingChannels({}, existing)).toEqual({});
  });

  it('can mute uptime, changes and recoveries, but no certificate problem', () => {
    const all = { muted: ['uptime', 'changed', 'replacement_wanted', 'good_news'] as const };
    const muted = { muted: [...all.muted] };
    expect(isMuted(muted, 'down', 'opened')).toBe(true);
    expect(isMuted(muted, 'changed', 'opened')).toBe(true);
    expect(isMuted(muted, 'expiry', 'resolved')).toBe(true);
    for (const problem of ['expiry', 'revoked', 'wrong_name', 'chain_broken'] as const)
      expect(isMuted(muted, problem, 'opened')).toBe(false);
  });
});

describe('the upcoming alerts of a certificate', () => {
  const certificate = { notBefore: END - 90 * DAY, notAfter: END };
  const nothing = { notifiedSteps: [], lastStepAt: null };
  const ahead = (now: number, changes: Partial<Parameters<typeof upcomingAlerts>[0]> = {}) =>
    upcomingAlerts({
      certificate,
      settings: { steps: null, quietHours: null },
      notified: nothing,
      acknowledged: false,
      silentUntil: null,
      timeZone: null,
      now,
      ...changes,
    }).map(({ step, at }) => [step, (END - at) / DAY]);

  it('are all future steps, soonest first', () => {
    expect(ahead(END - 80 * DAY).map(([step]) => step)).toEqual([
      'renewal_overdue',
      'warning',
      'critical',
      'three_days',
      'one_day',
      'expired',
    ]);
    expect(ahead(END - 80 * DAY, { settings: { steps: ['10%', '5d'], quietHours: null } })).toEqual([
      ['10%', 9],
      ['5d', 5],
      ['expired', 0],
    ]);
  });

  it('leave out the step that was sent and all earlier steps', () => {
    const notified = { notifiedSteps: ['warning' as const], lastStepAt: END - 12 * DAY };
    expect(ahead(END - 11 * DAY, { notified })[0]).toEqual(['critical', 7]);
    const steps = ['13d', '12d', '2d'] as const;
    expect(ahead(END - 11 * DAY, { notified, settings: { steps: [...steps], quietHours: null } })[0]).toEqual(
      ['2d', 2],
    );
  });

  it('include the missed step closest to expiry, now or when a snooze or maintenance ends', () => {
    expect(ahead(END - 2 * DAY)).toEqual([
      ['three_days', 2],
      ['one_day', 1],
      ['expired', 0],
    ]);
    expect(ahead(END - 8 * DAY, { silentUntil: END - 0.5 * DAY })).toEqual([
      ['one_day', 0.5],
      ['expired', 0],
    ]);
  });

  it('include only the expiry after an acknowledgement', () => {
    expect(ahead(END - 8 * DAY, { acknowledged: true })).toEqual([['expired', 0]]);
  });
});
