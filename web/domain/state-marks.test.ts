import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { STATE_NAMES } from '../../contract/state/state-words.ts';
import { ATTENTION_REASONS, DOMAIN_STATES } from '../../contract/words.ts';
import { STATE_MARKS, stateOfFinding } from './state-marks.tsx';

const STATES = [...new Set([...DOMAIN_STATES, ...ATTENTION_REASONS])].filter((state) => state !== 'pending');

it('every state has the listed symbol, colour and name', () => {
  const table = STATES.map((state) => {
    const { glyph, tone } = STATE_MARKS[state];
    return `${state}: ${glyph} ${tone}, ${STATE_NAMES[state]}`;
  });
  expect(table).toEqual([
    'unread: fault soon, Certificate not read',
    'expired: expired expired, Expired',
    'critical: critical critical, 0–7 days left',
    'soon: soon soon, 8–14 days left',
    'ok: ok ok, More than 14 days left',
    'revoked: revoked revoked, Revoked',
    'paused: paused plain, Paused',
    'untrusted: fault critical, Not trusted',
    'down: fault critical, Down',
    'refused: fault soon, Refused by some clients',
    'unreachable: fault soon, Certificate not read',
    'overdue: fault soon, Renewal overdue',
    'flawed: fault soon, Needs a fix',
  ]);
});

it.each([
  [{ code: 'expired', severity: 'critical' }, 'expired'],
  [{ code: 'revoked', severity: 'critical' }, 'revoked'],
  [{ code: 'expired', severity: 'warning' }, 'flawed'],
  [{ code: 'name_mismatch', severity: 'critical' }, 'untrusted'],
  [{ code: 'unverifiable', severity: 'warning' }, 'untrusted'],
  [{ code: 'renewal_overdue', severity: 'warning' }, 'overdue'],
  [{ code: 'certificates_differ', severity: 'warning' }, 'flawed'],
  [{ code: 'certificates_differ', severity: 'note' }, null],
] as const)('the finding %j has the mark of the state %s', (finding, state) =>
  expect(stateOfFinding(finding, 'ok')).toBe(state),
);

it('the finding of an overdue renewal has the mark of a near expiry, as the card has', () => {
  const overdue = { code: 'renewal_overdue', severity: 'warning' } as const;
  expect(stateOfFinding(overdue, 'critical')).toBe('critical');
  expect(stateOfFinding(overdue, 'soon')).toBe('soon');
});

/** Returns the components in these folders of `features` whose code has a match, by their path. */
function componentsWith(pattern: RegExp, features: readonly string[]): string[] {
  const folder = join(import.meta.dirname, '../features');
  return features
    .flatMap((feature) =>
      readdirSync(join(folder, feature), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.tsx'))
        .map((path) => `/${feature}/${path}`),
    )
    .filter((path) => pattern.test(readFileSync(join(folder, path), 'utf8')));
}

it('only the public status page names the symbol of a state itself instead of using STATE_MARKS', () =>
  // The overall state of a status page may be unknown, which no domain list shows.
  expect(
    componentsWith(/(glyph|name)(=|: )\{?['"](expired|revoked|soon|fault)['"]/, [
      'dashboard',
      'domain-panel',
      'certificates',
      'status',
      'palette',
    ]),
  ).toEqual(['/status/public/status-view.tsx']));

it('channels and lines of an import use none of the symbols for expiry', () =>
  expect(
    componentsWith(/(glyph|name)(=|: )\{?['"](expired|critical|soon)['"]/, [
      'alerts/channels',
      'domain-alerts',
      'domain-import',
    ]),
  ).toEqual([]));
