import { expect, it } from 'vitest';
import { DAY_MS } from '../../../contract/durations.ts';
import { ROOT_EXPIRES } from '../findings/dates.ts';
import { DATED_RULES } from './dated-rules.ts';
import { comingLifetimes, describeRule, renewalsAYear } from './deadline-words.ts';

const lives = (days: number, certificates = 1) => ({ lifetimeMs: days * DAY_MS, certificates });

it('counts a renewal for each two thirds of a lifetime, and for each half of one below 10 days', () => {
  expect(renewalsAYear([], null)).toBe(0);
  // Every 60 days.
  expect(renewalsAYear([lives(90, 60)], null)).toBe(365);
  // Every three days.
  expect(renewalsAYear([lives(6, 3)], null)).toBe(365);
  expect(renewalsAYear([lives(0)], null)).toBe(730);
});

it('shortens only lifetimes above a limit', () => {
  expect(renewalsAYear([lives(200, 47)], 47)).toBe(Math.round((365 * 3) / 2));
  expect(renewalsAYear([lives(30, 20)], 47)).toBe(365);
  expect(renewalsAYear([lives(200, 47), lives(30, 20)], 47)).toBe(Math.round(365 * 2.5));
});

it('names the limits on lifetimes that begin after a time, earliest first', () => {
  const limits = (day: string) => comingLifetimes(Date.parse(day)).map(({ maxDays }) => maxDays);
  expect(limits('2026-12-01')).toEqual([100, 47]);
  expect(limits('2027-03-15')).toEqual([47]);
  expect(limits('2029-03-15')).toEqual([]);
});

it('describes every rule with its clients and its source, and the expiry of roots without one', () => {
  for (const rule of DATED_RULES) {
    const { title, advice, clients, source } = describeRule(rule.id) ?? expect.fail();
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    expect(advice).toMatch(/^[A-Z].*\.$/);
    expect([clients, source]).toEqual([rule.clients, rule]);
  }
  expect(describeRule(ROOT_EXPIRES)).toMatchObject({ effect: 'refused', clients: [], source: null });
  expect(describeRule('from another version')).toBeUndefined();
});

it.each([
  ['lifetime_100', 'lifetime', 'New public certificates are valid for at most 100 days'],
  ['server_auth_only', 'renewal', 'New public certificates no longer allow client authentication'],
  [
    'chrome_roots_2027_01_15',
    'renewal',
    'Chrome refuses new certificates of ANF Secure Server Root CA, vTrus ECC Root CA and vTrus Root CA',
  ],
])('describes %s as %s: %s', (id, effect, title) => {
  expect(describeRule(id)).toMatchObject({ effect, title });
});

it('says with a limit on lifetimes how long CAs may then rely on a validation', () => {
  expect(describeRule('lifetime_47')?.advice).toContain('again after 10 days at the latest.');
});
