import type { Route } from '@playwright/test';
import type { DeadlinesWire } from '../../../contract/calls/deadline.ts';
import { open, type Screen } from './navigation.ts';

const SOURCE = { source: 'https://publisher.example/policy', reviewed_on: '2026-12-01' };
const LIMIT = {
  ...SOURCE,
  effect: 'lifetime' as const,
  advice:
    'Certificates that you have stay valid. Automate their renewal before this day. From then on, CAs also validate your domains again after 10 days at the latest.',
  clients: ['Chrome', 'Safari'],
  total: 26,
  changed_at: null,
};

/** Deadlines for the pictures. The certificates of the demo have none, because their authorities are private. */
const DEADLINES: DeadlinesWire = {
  deadlines: [
    {
      rule: 'root_expires',
      date: '2027-01-28',
      effect: 'refused',
      title: 'Clients refuse certificates whose root has expired',
      advice:
        'Before this day, install certificates that lead to another root. If the authority is your own, renew its root and have it trusted everywhere.',
      clients: [],
      total: 14,
      done: 12,
      left: 2,
      changed_at: '2026-11-30T09:00:00.000Z',
      source: null,
      reviewed_on: null,
      limit: null,
    },
    {
      ...LIMIT,
      rule: 'lifetime_100',
      date: '2027-03-15',
      title: 'New public certificates are valid for at most 100 days',
      done: 22,
      left: 4,
      limit: { days: 100, renewals: 166 },
    },
    {
      ...LIMIT,
      rule: 'lifetime_47',
      date: '2029-03-15',
      title: 'New public certificates are valid for at most 47 days',
      done: 0,
      left: 26,
      limit: { days: 47, renewals: 303 },
    },
  ],
  replacements: { total: 3, done: 2 },
  renewals: { certificates: 26, now: 141 },
};

const CERTIFICATES = [
  'pay.fjord.example',
  'a-longer-name.staging.eu-north-1.internal.moss.example',
  'git.orchard.example',
].map((name, index) => ({
  rule: 'root_expires',
  date: '2027-01-28',
  title: 'Clients refuse certificates whose root has expired',
  fingerprint: String(index).repeat(64),
  display_name: name,
  issuer: 'R13',
  authority_name: 'Orchard Trust',
  expiry_date: '2027-04-01T12:00:00.000Z',
  renewed_at: index === 2 ? '2026-11-30T09:00:00.000Z' : null,
  domain_count: index === 1 ? 12 : 1,
  domain: { id: crypto.randomUUID(), display_name: name },
}));

const answer = (body: object) => (route: Route) => route.fulfill({ json: body });

/** The page of deadlines. */
export const DEADLINE_SCREENS: readonly Screen[] = [
  {
    name: 'deadlines',
    visitor: 'member',
    async show(page) {
      await page.route('**/api/deadline/list', answer({ data: DEADLINES }));
      const list = {
        data: CERTIFICATES,
        page: 1,
        page_size: 100,
        total: CERTIFICATES.length,
        next_cursor: null,
      };
      await page.route('**/api/deadline/certificates*', answer(list));
      await open(page, '/deadlines');
      await page
        .getByRole('table', { name: 'Certificates with deadlines' })
        .getByText('pay.fjord.example')
        .first()
        .waitFor();
      await page.unrouteAll();
    },
  },
  {
    name: 'deadlines-none',
    visitor: 'member',
    async show(page) {
      await open(page, '/deadlines');
      await page.getByText('Nothing will break on a known date.').waitFor();
    },
  },
];
