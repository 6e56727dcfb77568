import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { CertificateWire } from '../../../contract/calls/certificate.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { badgeWords, CertificateBadges } from './certificate-parts.tsx';

const NOW = Date.UTC(2026, 10, 20, 12);
const inDays = (days: number) => new Date(NOW + days * DAY_MS).toISOString();

function certificate(differences: Partial<CertificateWire>): CertificateWire {
  return {
    fingerprint: 'ab'.repeat(32),
    subject: 'shop.example',
    display_name: 'shop.example',
    names: ['shop.example'],
    name_count: 1,
    issuer: 'R13',
    authority_name: 'Orchard Trust',
    valid_from: inDays(-40),
    expiry_date: inDays(50.5),
    state: 'ok',
    renewal: null,
    next_renewal: null,
    problem: null,
    paused: false,
    domain_count: 1,
    domains: [],
    tags: [],
    ...differences,
  };
}

const dueLater = {
  from: inDays(0.1),
  overdue_at: inDays(0.5),
  is_short_lived: true,
} as CertificateWire['renewal'];

const overdue = { ...dueLater, overdue_at: inDays(-0.5) } as CertificateWire['renewal'];

const htmlOf = (differences: Partial<CertificateWire>) =>
  renderToStaticMarkup(<CertificateBadges certificate={certificate(differences)} now={NOW} />);

it.each<[Partial<CertificateWire>, string[], string]>([
  [{}, ['50 days left'], '50 days left'],
  [
    { problem: 'wrong_name' },
    ['Not trusted: wrong name', '50 days left'],
    'Not trusted: wrong name, 50 days left',
  ],
  [
    { problem: 'refused', state: 'expired', expiry_date: inDays(-3) },
    ['Expired', 'Refused by some clients'],
    'Expired, Refused by some clients',
  ],
  [
    { problem: 'wrong_name', state: 'expired', expiry_date: inDays(-3) },
    ['Expired', 'Not trusted: wrong name'],
    'Expired, Not trusted: wrong name',
  ],
  [
    { problem: 'flawed', state: 'critical', expiry_date: inDays(2.5) },
    ['Expiring in 2d', 'Needs a fix'],
    '2 days left, Needs a fix',
  ],
  [
    { problem: 'untrusted', state: 'critical', expiry_date: inDays(2.5) },
    ['Not trusted', 'Expiring in 2d'],
    'Not trusted, 2 days left',
  ],
  [
    { problem: 'flawed', state: 'critical', expiry_date: inDays(2.5), renewal: dueLater },
    ['Needs a fix', 'Expiring in 2d'],
    'Needs a fix, 2 days left, renews on schedule, due in 12 hours',
  ],
  [{ problem: 'flawed', paused: true }, ['Paused', '50 days left'], 'Paused, 50 days left'],
  [
    { problem: 'overdue', renewal: overdue },
    ['Renewal overdue', '50 days left'],
    'Renewal overdue, 50 days left',
  ],
  [
    { problem: 'untrusted', state: 'critical', expiry_date: inDays(2.5), renewal: overdue },
    ['Not trusted', 'Expiring in 2d', 'Renewal overdue'],
    'Not trusted, 2 days left, Renewal overdue',
  ],
  [
    { state: 'critical', expiry_date: inDays(2.5), renewal: dueLater },
    ['Expiring in 2d'],
    '2 days left, renews on schedule, due in 12 hours',
  ],
  [{ problem: 'revoked', state: 'revoked', renewal: overdue }, ['Revoked'], 'Revoked'],
])('%o has its badges and printed words in order of urgency', (differences, badges, printed) => {
  const html = htmlOf(differences);
  expect([...html.matchAll(/>([^<>]+)</g)].map(([, text]) => text)).toEqual(badges);
  expect(badgeWords(certificate(differences), NOW)).toBe(printed);
});

it('the badge of an overdue renewal has the colour of the near expiry, as on the card', () => {
  expect(htmlOf({ renewal: overdue })).toContain('bg-soon-bg');
  const near = htmlOf({ state: 'critical', expiry_date: inDays(2.5), renewal: overdue });
  expect(near.match(/bg-(critical|soon)-bg/g)).toEqual(['bg-critical-bg', 'bg-critical-bg']);
});
