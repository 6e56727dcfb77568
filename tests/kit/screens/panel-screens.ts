import type { Page } from '@playwright/test';
import { CLIENT_NAMES } from '../../../contract/check-words.ts';
import type { ReportWire, TransparencyWire } from '../../../contract/domain-report.ts';
import { HOUR_MS } from '../../../contract/durations.ts';
import {
  change,
  changeAndAwaitPreview,
  clickButton,
  panelOf,
  pretendToSave,
  type Screen,
} from './navigation.ts';

const SECTIONS: Screen[] = [
  { name: 'panel', visitor: 'member', show: panelOf('pay.fjord.example', 'overview', 'sort=soonest') },
  {
    name: 'panel-hundred-names',
    visitor: 'member',
    async show(page) {
      await panelOf('cdn.moss.example')(page);
      await page.getByRole('heading', { name: 'Certificate History' }).scrollIntoViewIfNeeded();
    },
  },
  { name: 'panel-wrong-name', visitor: 'member', show: panelOf('shop.moss.example') },
  { name: 'panel-gone', visitor: 'member', show: panelOf('old.moss.example') },
  { name: 'panel-failing', visitor: 'member', show: panelOf('status.fjord.example') },
  { name: 'panel-failing-uptime', visitor: 'member', show: panelOf('status.fjord.example', 'uptime') },
  { name: 'panel-many-addresses', visitor: 'member', show: panelOf('pkg.orchard.example', 'chain') },
  { name: 'panel-incomplete', visitor: 'member', show: panelOf('docs.moss.example') },
  { name: 'panel-mail', visitor: 'member', show: panelOf('mail.orchard.example') },
  { name: 'panel-paused', visitor: 'member', show: panelOf('beta.fjord.example') },
  {
    name: 'panel-chain',
    visitor: 'member',
    async show(page) {
      await panelOf('pay.fjord.example', 'chain')(page);
      await page.locator('summary', { hasText: 'Leaf' }).click();
    },
  },
  {
    name: 'panel-timestamps',
    visitor: 'member',
    async show(page) {
      await page.route('**/api/domain/*/report', (route) =>
        change(route, (report) => ({ ...report, transparency: TIMESTAMPS })),
      );
      await panelOf('pay.fjord.example', 'chain')(page);
      await page.getByRole('cell', { name: 'Counts for' }).first().waitFor();
    },
  },
  { name: 'panel-renewal-fails', visitor: 'member', show: renewalOf('auth.fjord.example') },
  { name: 'panel-renewal-works', visitor: 'member', show: renewalOf('api.fjord.example') },
  { name: 'panel-renewal-not-known', visitor: 'member', show: renewalOf('docs.moss.example') },
  {
    name: 'panel-renewal-pending',
    visitor: 'member',
    show: renewalOf('api.fjord.example', () => ({ forecast: null, forecast_pending: true })),
  },
  {
    name: 'panel-unread',
    visitor: 'member',
    async show(page) {
      await panelOf('staging.moss.example')(page);
      await page.getByText('Certificate not read yet.').first().waitFor();
    },
  },
  {
    name: 'panel-held-back',
    visitor: 'member',
    async show(page) {
      await page.route('**/api/domain/list?*', (route) =>
        change(route, (domains) => (domains as object[]).map(heldBack)),
      );
      await panelOf('staging.moss.example')(page);
      await page.getByRole('heading', { name: 'Check held back' }).waitFor();
    },
  },
  {
    name: 'panel-fixed',
    visitor: 'member',
    async show(page) {
      await panelOf('docs.moss.example')(page);
      await page.getByRole('button', { name: 'Download chain' }).waitFor();
      const mended = (domain: object) => ({ ...domain, findings: [], trusted: true });
      await page.route(/\/api\/domain\/[0-9a-f-]{36}\/check$/, (route) => change(route, mended));
      await page.route('**/api/domain/list?*', (route) =>
        change(route, (domains) => (domains as object[]).map(mended)),
      );
      await page.getByRole('button', { name: 'Check again' }).click();
      await page.getByText('Fixed').waitFor();
    },
  },
];

/** Opens the panel of a domain at the section “Next renewal”, with a changed report. */
function renewalOf(hostname: string, changed?: (report: ReportWire) => Partial<ReportWire>) {
  return async (page: Page) => {
    await page.route('**/api/domain/*/report', (route) =>
      change(route, (report) => ({ ...report, ...(changed ?? withRecord)(report as ReportWire) })),
    );
    await panelOf(hostname)(page);
    await page.getByRole('heading', { name: 'Next renewal' }).evaluate((heading) => heading.scrollIntoView());
  };
}

/** Adds a record to the forecast. The demo has none, because no certificate was renewed since its forecast. */
function withRecord({ forecast }: ReportWire): Partial<ReportWire> {
  return { forecast: forecast && { ...forecast, record: { right: 41, of: 41 } } };
}

/** Timestamps for the picture of the panel. The certificates of the demo have none, because their authorities are private. */
const TIMESTAMPS: TransparencyWire = {
  timestamps: [
    { log: "Google 'Xenon2026h2' log", operator: 'Google', why: null },
    { log: "Let's Encrypt 'Oak2026h2'", operator: "Let's Encrypt", why: 'the log is retired' },
    { log: null, operator: null, why: 'the log is not in the browser’s list' },
  ].map(({ log, operator, why }, index) => ({
    log_id: '2AlVO5RPev/IFhlvlE+Fq7D4/F6HVSYPFdEucrtFSxQ=',
    log,
    operator,
    at: `2026-10-0${index + 1}T09:30:00.000Z`,
    delivery: 'certificate',
    clients: (['chromium', 'firefox', 'apple'] as const).map((client) => {
      const counts = why === null || (log !== null && client !== 'apple');
      return { client, name: CLIENT_NAMES[client], counts, why: counts ? null : why };
    }),
  })),
  unreadable: 0,
  policies: [
    { client: 'chromium', outcome: 'met', message: 'Chrome: enough (2 count, 2 needed).' },
    { client: 'firefox', outcome: 'met', message: 'Firefox: enough (2 count, 2 needed).' },
    {
      client: 'apple',
      outcome: 'not_known',
      message:
        'Safari needs 2 timestamps from different logs in the certificate, and 1 counts. We do not know whether it refuses the certificate, because we do not read timestamps in the TLS handshake.',
    },
  ],
  note: 'Judged by the lists of logs of 2026-11-30 for Chrome, Firefox and Safari.',
};

/** Returns the domain as it is while many hosts fail at once. */
const heldBack = (domain: object) => ({
  ...domain,
  checking: false,
  waiting: { reason: 'own_network', until: new Date(Date.now() + 50_000).toISOString() },
});

/** Opens the panel of a domain at its alerts. */
const alertsOf = (hostname: string) => async (page: Page) => {
  await panelOf(hostname, 'alerts')(page);
  await page.getByText('Alerts for this domain').waitFor();
};

async function ownSettings(page: Page, part: string): Promise<void> {
  await pretendToSave(page, '**/api/domain/*/alerts', (stored, own) => ({ ...stored, own }));
  await page.locator('summary', { hasText: /^Account defaults|^Custom / }).click();
  await clickButton(page, `Change: ${part}`);
}

const ALERTS: Screen[] = [
  { name: 'panel-alerts', visitor: 'member', show: alertsOf('pay.fjord.example') },
  { name: 'panel-alerts-acknowledged', visitor: 'member', show: alertsOf('git.orchard.example') },
  { name: 'panel-alerts-snoozed', visitor: 'member', show: alertsOf('mail.orchard.example') },
  {
    name: 'panel-alerts-held',
    visitor: 'member',
    async show(page) {
      const quiet_until = new Date(Date.now() + 5 * HOUR_MS).toISOString();
      await page.route('**/api/domain/*/alerts', (route) =>
        change(route, (alerts) => ({ ...alerts, quiet_until })),
      );
      await page.route('**/api/channels', (route) =>
        change(route, (channels) =>
          (channels as object[]).map((channel, index) => ({
            ...channel,
            ...(index === 1 && { state: 'failing', detail: 'HTTP 503' }),
          })),
        ),
      );
      await alertsOf('pay.fjord.example')(page);
      await page.getByText('These channels cannot receive alerts:').waitFor();
    },
  },
  { name: 'panel-alerts-well', visitor: 'member', show: alertsOf('auth.fjord.example') },
  {
    name: 'panel-alerts-receipts',
    visitor: 'member',
    async show(page) {
      await alertsOf('pay.fjord.example')(page);
      await page.locator('summary', { hasText: 'Upcoming alerts if nothing is renewed' }).click();
      await page.locator('summary', { hasText: 'Delivery details' }).nth(1).click();
      await page.getByText('503 Service Unavailable').first().waitFor();
    },
  },
  {
    name: 'panel-alerts-snooze',
    visitor: 'member',
    async show(page) {
      await alertsOf('pay.fjord.example')(page);
      await clickButton(page, 'Snooze');
      await page.getByRole('menuitem', { name: '1 week' }).waitFor();
    },
  },
  {
    name: 'panel-alerts-steps',
    visitor: 'member',
    async show(page) {
      await alertsOf('auth.fjord.example')(page);
      await ownSettings(page, 'Steps');
      await changeAndAwaitPreview(page, () => page.getByRole('radio', { name: /Custom/ }).click());
      await page.getByText('14 days before').last().waitFor();
      await page
        .getByRole('heading', { name: 'Upcoming alerts if nothing is renewed' })
        .scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'panel-alerts-quiet-hours',
    visitor: 'member',
    async show(page) {
      await alertsOf('auth.fjord.example')(page);
      await ownSettings(page, 'Quiet hours');
      await changeAndAwaitPreview(page, () => page.getByLabel('Hold alerts at night').click());
      await page
        .getByRole('heading', { name: 'Upcoming alerts if nothing is renewed' })
        .scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'panel-alerts-free',
    visitor: 'full',
    async show(page) {
      await alertsOf('lab.moss.example')(page);
      await ownSettings(page, 'Steps');
      await page.getByText('Custom steps for a domain need Premium.').scrollIntoViewIfNeeded();
    },
  },
];

/** The panel of a domain, as the demo's own person sees it. */
export const PANEL: readonly Screen[] = [...SECTIONS, ...ALERTS];
