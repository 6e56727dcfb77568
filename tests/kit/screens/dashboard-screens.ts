import type { Page, Route } from '@playwright/test';
import { dashboard, dialog, domainMenu, foresee, idOf, open, panelOf, press, type Screen } from './ways.ts';
import { DOMAIN_STATES } from '../../../contract/words.ts';

const DOMAIN_CALLS = '**/api/domain/**';

const LIST: Screen[] = [
  {
    name: 'dashboard',
    visitor: 'member',
    show: (page) => dashboard(page, '?sort=soonest&view=grid&span=90'),
  },
  {
    name: 'dashboard-problems',
    visitor: 'member',
    show: (page) => dashboard(page, '?status=problem&view=grid'),
  },
  { name: 'dashboard-newest', visitor: 'member', show: (page) => dashboard(page, '?sort=newest&view=grid') },
  { name: 'dashboard-list', visitor: 'member', show: (page) => dashboard(page, '?sort=soonest&view=list') },
  {
    name: 'dashboard-30-days',
    visitor: 'member',
    show: (page) => dashboard(page, '?sort=soonest&view=grid&span=30'),
  },
  {
    name: 'dashboard-1-year',
    visitor: 'member',
    show: (page) => dashboard(page, '?sort=soonest&view=grid&span=365'),
  },
  {
    name: 'dashboard-loading',
    visitor: 'member',
    async show(page) {
      await page.route(DOMAIN_CALLS, () => undefined);
      await page.goto('/dashboard?view=grid');
      await page.getByRole('button', { name: /^Account of / }).waitFor();
      await page.getByText('Loading').first().waitFor({ state: 'attached' });
    },
  },
  {
    name: 'dashboard-error',
    visitor: 'member',
    async show(page) {
      await page.route(DOMAIN_CALLS, (route) => route.fulfill({ status: 400 }));
      await page.goto('/dashboard?view=grid');
      await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    },
  },
  {
    name: 'domain-menu',
    visitor: 'member',
    show: domainMenu,
  },
  {
    name: 'remove',
    visitor: 'member',
    async show(page) {
      await domainMenu(page);
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      await dialog(page, 'Are you sure you want to delete this domain?');
    },
  },
  {
    name: 'add',
    visitor: 'member',
    async show(page) {
      await dashboard(page, '?sort=soonest');
      await press(page, 'Add Domain');
      await dialog(page, 'Add New Domain');
    },
  },
  {
    name: 'add-error',
    visitor: 'member',
    async show(page) {
      await dashboard(page, '?sort=soonest');
      await press(page, 'Add Domain');
      await page.getByRole('dialog').getByLabel('Host Address').press('Enter');
      await page.getByText('Please enter a valid host address').waitFor();
    },
  },
];

/** Opens the dashboard with the first two domains selected. */
async function selected(page: Page): Promise<void> {
  await dashboard(page, '?sort=soonest&view=grid');
  for (const box of (await page.getByRole('checkbox', { name: /^Select / }).all()).slice(0, 2))
    await box.dispatchEvent('click');
  await page.getByRole('region', { name: 'Selected domains' }).getByText('2 selected').waitFor();
}

async function addMany(page: Page): Promise<void> {
  await dashboard(page, '?sort=soonest');
  await press(page, 'Add Domain');
  await press(page, 'Add many at once');
  await dialog(page, 'Add many domains');
}

async function actOnSelected(page: Page, name: string): Promise<void> {
  const bar = page.getByRole('region', { name: 'Selected domains' });
  // A narrow bar has its actions in a menu.
  const menu = bar.getByRole('button', { name: 'Actions' });
  if (!(await menu.isVisible())) return bar.getByRole('button', { name }).click();
  await menu.click();
  await page.getByRole('menuitem', { name }).click();
}

const MANY: Screen[] = [
  { name: 'selection', visitor: 'member', show: selected },
  {
    name: 'selection-remove',
    visitor: 'member',
    async show(page) {
      await selected(page);
      await actOnSelected(page, 'Remove');
      await page.getByRole('alertdialog').waitFor();
    },
  },
  {
    name: 'selection-tags',
    visitor: 'member',
    async show(page) {
      await selected(page);
      await actOnSelected(page, 'Tags');
      await page.getByLabel('Add tags').waitFor();
    },
  },
  {
    name: 'selection-trouble',
    visitor: 'member',
    async show(page) {
      await selected(page);
      await page.route('**/api/domain/bulk', (route) => route.abort());
      await actOnSelected(page, 'Pause');
      await page.getByRole('button', { name: 'Try these again' }).waitFor();
    },
  },
  { name: 'add-many', visitor: 'member', show: addMany },
  {
    name: 'add-many-preview',
    visitor: 'member',
    async show(page) {
      await addMany(page);
      await page
        .getByLabel('Hosts')
        .fill('one.moss.example\nhttps://two.moss.example/path\npay.fjord.example\nnot a host\nlocalhost');
      await press(page, 'Preview');
      await page.getByText('Tags for all of them').waitFor();
    },
  },
  {
    name: 'dashboard-filtered',
    visitor: 'member',
    show: (page) => dashboard(page, '?sort=soonest&view=grid&status=critical'),
  },
  {
    name: 'dashboard-no-hits',
    visitor: 'member',
    async show(page) {
      await open(page, '/dashboard?view=grid&q=nowhere');
      await page.getByText('No domain matches “nowhere”.').waitFor();
    },
  },
  {
    name: 'tag-menu',
    visitor: 'member',
    async show(page) {
      await dashboard(page, '?sort=soonest');
      // On a phone it is beside the search, which the header opens.
      const search = page.getByRole('button', { name: 'Search', exact: true });
      if (await search.isVisible()) await search.click();
      await press(page, 'Filter by tag');
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'sort-menu',
    visitor: 'member',
    async show(page) {
      await dashboard(page, '?sort=soonest');
      await press(page, /^Sort: /);
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'shortcuts',
    visitor: 'member',
    async show(page) {
      await dashboard(page, '?sort=soonest');
      await page.keyboard.press('?');
      await dialog(page, 'Keyboard shortcuts');
    },
  },
];

const NONE_BUT_PAUSED = Object.fromEntries(DOMAIN_STATES.map((state) => [state, state === 'paused' ? 3 : 0]));

/** Opens the dashboard as the owner sees it who has just verified the address of an account that somebody else created. */
async function asNewOwner(page: Page): Promise<void> {
  await page.route('**/api/user/standing', (route) =>
    change(route, (standing) => ({ ...standing, paused_unconfirmed: 3 })),
  );
  const pausedOne = (domain: object) => ({ ...domain, state: 'paused', paused: 'unconfirmed' });
  await page.route('**/api/domain/list?*', (route) =>
    change(route, (domains) => (domains as object[]).map(pausedOne)),
  );
  await page.route('**/api/domain/summary', (route) =>
    change(route, (summary) => ({ ...summary, counts: NONE_BUT_PAUSED, expiries: [], problems: [] })),
  );
  // Matches one domain by its id; its parts have longer paths.
  await page.route(/\/api\/domain\/[0-9a-f-]{36}$/, (route) => change(route, pausedOne));
}

async function change(route: Route, of: (data: object) => object): Promise<void> {
  const response = await route.fetch();
  const answer = (await response.json()) as { data: object };
  await route.fulfill({ response, json: { ...answer, data: of(answer.data) } });
}

const NEW_OWNER: Screen[] = [
  {
    name: 'new-owner-dashboard',
    visitor: 'full',
    async show(page) {
      await asNewOwner(page);
      await dashboard(page, '?sort=soonest&view=grid');
      await page.getByRole('link', { name: 'Show paused domains' }).waitFor();
    },
  },
  {
    name: 'new-owner-panel',
    visitor: 'full',
    async show(page) {
      await asNewOwner(page);
      await panelOf('lab.moss.example')(page);
      await page.getByRole('heading', { name: 'Paused until you confirm it' }).waitFor();
    },
  },
];

const PANEL: Screen[] = [
  { name: 'panel', visitor: 'member', show: panelOf('pay.fjord.example') },
  { name: 'panel-hundred-names', visitor: 'member', show: panelOf('cdn.moss.example') },
  { name: 'panel-wrong-name', visitor: 'member', show: panelOf('shop.moss.example') },
  { name: 'panel-gone', visitor: 'member', show: panelOf('old.moss.example') },
  { name: 'panel-failing', visitor: 'member', show: panelOf('status.fjord.example') },
  { name: 'panel-many-addresses', visitor: 'member', show: panelOf('pkg.orchard.example') },
  { name: 'panel-incomplete', visitor: 'member', show: panelOf('docs.moss.example') },
  { name: 'panel-mail', visitor: 'member', show: panelOf('mail.orchard.example') },
  { name: 'panel-paused', visitor: 'member', show: panelOf('beta.fjord.example') },
  {
    name: 'panel-chain',
    visitor: 'member',
    async show(page) {
      await panelOf('pay.fjord.example')(page);
      // Open the path, and in it the leaf.
      await page.locator('summary', { hasText: 'Path' }).click();
      await page.locator('summary', { hasText: 'Leaf' }).click();
    },
  },
  {
    name: 'panel-unread',
    visitor: 'member',
    async show(page) {
      await dashboard(page, `?sort=soonest&domain=${await idOf(page, 'staging.moss.example')}`);
      await page.getByRole('heading', { name: 'Certificate History' }).waitFor();
      await page.getByText('Loading certificate history...').waitFor({ state: 'hidden' });
    },
  },
];

/** Opens the panel of a domain at its alerts. */
const alertsOf = (hostname: string) => async (page: Page) => {
  await panelOf(hostname)(page);
  const heading = page.getByRole('heading', { name: 'Alerts', exact: true });
  await page.getByText('Alerts for this domain').waitFor();
  await heading.evaluate((element) => element.scrollIntoView());
};

async function ownSettings(page: Page, part: string): Promise<void> {
  await page.locator('summary', { hasText: /^As in your account|^Own / }).click();
  await press(page, `Change: ${part}`);
}

const PANEL_ALERTS: Screen[] = [
  { name: 'panel-alerts', visitor: 'member', show: alertsOf('pay.fjord.example') },
  { name: 'panel-alerts-acknowledged', visitor: 'member', show: alertsOf('git.orchard.example') },
  { name: 'panel-alerts-snoozed', visitor: 'member', show: alertsOf('mail.orchard.example') },
  { name: 'panel-alerts-well', visitor: 'member', show: alertsOf('auth.fjord.example') },
  {
    name: 'panel-alerts-receipts',
    visitor: 'member',
    async show(page) {
      await alertsOf('pay.fjord.example')(page);
      await page.locator('summary', { hasText: 'If nobody renews' }).click();
      await page.locator('summary', { hasText: 'Receipts' }).nth(1).click();
      await page.getByText('503 Service Unavailable').first().waitFor();
    },
  },
  {
    name: 'panel-alerts-snooze',
    visitor: 'member',
    async show(page) {
      await alertsOf('pay.fjord.example')(page);
      await press(page, 'Snooze');
      await page.getByRole('menuitem', { name: '1 week' }).waitFor();
    },
  },
  {
    name: 'panel-alerts-steps',
    visitor: 'member',
    async show(page) {
      await alertsOf('auth.fjord.example')(page);
      await ownSettings(page, 'Steps');
      await foresee(page, () => page.getByRole('radio', { name: /Steps you choose/ }).click());
      await page.getByText('14 days before').last().waitFor();
      await page.getByRole('heading', { name: 'If nobody renews, this is sent' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'panel-alerts-quiet-hours',
    visitor: 'member',
    async show(page) {
      await alertsOf('auth.fjord.example')(page);
      await ownSettings(page, 'Quiet hours');
      await foresee(page, () => page.getByLabel('Send nothing at night').click());
      await page.getByRole('heading', { name: 'If nobody renews, this is sent' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'panel-alerts-free',
    visitor: 'full',
    async show(page) {
      await alertsOf('lab.moss.example')(page);
      await ownSettings(page, 'Steps');
      await page.getByText('Steps of its own come with Premium.').scrollIntoViewIfNeeded();
    },
  },
];

/** The dashboard of the demo's own person with its dialogs and its panel. */
export const DASHBOARD: readonly Screen[] = [...LIST, ...MANY, ...NEW_OWNER, ...PANEL, ...PANEL_ALERTS];
