import { issuerLine } from '../../contract/check-words.ts';
import { expect, it } from 'vitest';
import { HOUR_MS } from '../../contract/durations.ts';
import { EXAMPLE_NOW, exampleDomain } from '../../tests/kit/pages/example-domain.ts';
import { heldBackLine, heldBackSentence, pausedLine, scheduleLine } from './domain-lines.ts';

const at = (hours: number) => new Date(EXAMPLE_NOW + hours * HOUR_MS).toISOString();

/**
 * Returns a certificate that is valid for `lives` hours in all, has `left` hours left, and whose renewal is overdue in
 * `overdueIn` hours.
 */
function certificate({ lives = 160, left = 100, overdueIn = 1 as number | null, isShortLived = true }) {
  const { renewal } = exampleDomain();
  const overdue_at = overdueIn === null ? null : at(overdueIn);
  return exampleDomain({
    valid_from: at(left - lives),
    expiry_date: at(left),
    renewal: renewal && { ...renewal, overdue_at, is_short_lived: isShortLived },
  });
}

it.each([
  [{ lives: 160, overdueIn: 53 }, 'Valid for 7 days in all, renews on schedule, due in 2 days'],
  [{ lives: 24, left: 2, overdueIn: 0 }, 'Valid for 1 day in all, renewal overdue'],
  [
    { lives: 6, left: 5, overdueIn: 2 },
    'Valid for less than a day in all, renews on schedule, due in 2 hours',
  ],
  [{ isShortLived: false }, null],
])('a certificate like %o is described as: %s', (shape, line) =>
  expect(scheduleLine(certificate(shape), EXAMPLE_NOW)).toBe(line),
);

it('pausedLine says who or what paused a domain', () => {
  expect(pausedLine('user', 3)).toBe('Paused by you');
  expect(pausedLine('unconfirmed', 3)).toBe('Paused until you confirm that it is yours');
  expect(pausedLine('plan', 3)).toBe('Paused: the Free plan checks 3 domains');
  expect(pausedLine('plan', 1)).toBe('Paused: the Free plan checks 1 domain');
});

it('heldBackLine and heldBackSentence say until when and why a check is held back', () => {
  const waiting = { reason: 'own_network', until: at(0.01) } as const;
  expect(heldBackLine(waiting, EXAMPLE_NOW)).toMatch(/^Check held back until \d\d:\d\d$/);
  expect(heldBackLine(waiting, EXAMPLE_NOW + HOUR_MS)).toBe('Check held back');
  expect(heldBackSentence({ ...waiting, until: at(-1) }, EXAMPLE_NOW)).toBe(
    'Many hosts failed at once, so our own network may be the cause. We recorded nothing and will try again soon.',
  );
});

it.each([
  ["Let's Encrypt", 'R13', "Let's Encrypt · R13"],
  ['DigiCert Inc', 'DigiCert TLS RSA 2020 CA1', 'DigiCert · TLS RSA 2020 CA1'],
  ['Sectigo Limited', 'Sectigo Public Server DV R36', 'Sectigo · Public Server DV R36'],
  ['GoDaddy.com, Inc.', 'Go Daddy Secure CA', 'GoDaddy.com · Go Daddy Secure CA'],
  ['Inc', 'Root', 'Inc · Root'],
  ['Test CA', 'Test CA', 'Test CA'],
  [null, 'Root', 'Root'],
  ['Acme', null, 'Acme'],
  [null, null, null],
])('the line for the authority %s and the issuer %s is: %s', (authority, issuer, line) => {
  expect(issuerLine(authority, issuer)).toBe(line);
});
