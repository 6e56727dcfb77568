import type { Locator, Page } from '@playwright/test';
import {
  change,
  clickButton,
  dashboard,
  dialog,
  domainMenu,
  open,
  panelOf,
  type Screen,
} from './navigation.ts';
import { ATTENTION_REASONS, DOMAIN_STATES } from '../../../contract/words.ts';
import { PANEL } from './panel-screens.ts';

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
  {
    name: 'dashboard-attention',
    visitor: 'member',
    show: (page) => dashboard(page, '?status=attention&view=list'),
  },
  {
    name: 'dashboard-renewal-fails',
    visitor: 'member',
    show: (page) => dashboard(page, '?status=renewal_fails&view=grid'),
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
      await clickButton(page, 'Add Domain');
      await dialog(page, 'Add New Domain');
    },
  },
  {
    name: 'add-more',
    visitor: 'member',
    async show(page) {
      await dashboard(page, '?sort=soonest');
      await clickButton(page, 'Add Domain');
      const open = page.getByRole('dialog', { name: 'Add New Domain' });
      await open.getByText('More').click();
      await open.getByLabel('Connect to').fill('10.0.0.7:8443');
    },
  },
  {
    name: 'add-error',
    visitor: 'member',
    async show(page) {
      await dashboard(page, '?sort=soonest');
      await clickButton(page, 'Add Domain');
      await page.getByRole('dialog').getByLabel('Host Address').press('Enter');
      await page.getByText('Please enter a valid host address').waitFor();
    },
  },
];

/** Opens the dashboard with the first two domains selected. */
async function selectTwo(page: Page): Promise<void> {
  await dashboard(page, '?sort=soonest&view=grid');
  for (const box of (await page.getByRole('checkbox', { name: /^Select / }).all()).slice(0, 2))
    await box.dispatchEvent('click');
  await page.getByRole('region', { name: 'Selected domains' }).getByText('2 selected').waitFor();
}

async function addMany(page: Page): Promise<void> {
  await dashboard(page, '?sort=soonest');
  await clickButton(page, 'Add Domain');
  await clickButton(page, 'Import domains');
  await dialog(page, 'Import domains');
}

async function actOnSelected(page: Page, name: string): Promise<void> {
  const bar = page.getByRole('region', { name: 'Selected domains' });
  // A narrow bar offers its actions in a menu.
  const menu = bar.getByRole('button', { name: 'Actions' });
  if (!(await menu.isVisible())) return bar.getByRole('button', { name }).click();
  await menu.click();
  await page.getByRole('menuitem', { name }).click();
}

const MANY: Screen[] = [
  { name: 'selection', visitor: 'member', show: selectTwo },
  {
    name: 'selection-remove',
    visitor: 'member',
    async show(page) {
      await selectTwo(page);
      await actOnSelected(page, 'Delete');
      await page.getByRole('alertdialog').waitFor();
    },
  },
  {
    name: 'selection-tags',
    visitor: 'member',
    async show(page) {
      await selectTwo(page);
      await actOnSelected(page, 'Tags');
      await page.getByLabel('Add tags').waitFor();
    },
  },
  {
    name: 'selection-trouble',
    visitor: 'member',
    async show(page) {
      await selectTwo(page);
      await page.route('**/api/domain/bulk', (route) => route.abort());
      await actOnSelected(page, 'Pause');
      await page.getByRole('button', { name: 'Try again' }).waitFor();
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
      await clickButton(page, 'Preview');
      await page.getByText('Tags for all domains').waitFor();
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
      // On a phone the menu is beside the search field, which a button in the header opens.
      const search = page.getByRole('button', { name: 'Search', exact: true });
      if (await search.isVisible()) await search.click();
      await clickButton(page, 'Filter by tag');
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'filter-menu',
    visitor: 'member',
    async show(page) {
      await dashboard(page, '?sort=soonest');
      await clickButton(page, /^More/);
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'dashboard-search',
    visitor: 'member',
    async show(page) {
      await open(page, '/dashboard?view=grid&q=moss');
      await page.getByText(/^\d+ hits$/).waitFor();
    },
  },
  {
    name: 'sort-menu',
    visitor: 'member',
    async show(page) {
      await dashboard(page, '?sort=soonest');
      await clickButton(page, /^Sort: /);
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

const NO_ATTENTION = {
  total: 0,
  counts: Object.fromEntries(ATTENTION_REASONS.map((reason) => [reason, 0])),
  problems: 0,
  first: [],
};

/** Opens the dashboard as it looks to the owner of an address who has just verified it, after somebody else had created the account. */
async function asNewOwner(page: Page): Promise<void> {
  await page.route('**/api/user/standing', (route) =>
    change(route, (standing) => ({ ...standing, paused_unconfirmed: 3 })),
  );
  const pausedOne = (domain: object) => ({ ...domain, state: 'paused', paused: 'unconfirmed' });
  await page.route('**/api/domain/list?*', (route) =>
    change(route, (domains) => (domains as object[]).map(pausedOne)),
  );
  await page.route('**/api/domain/summary', (route) =>
    change(route, (summary) => ({
      ...summary,
      counts: NONE_BUT_PAUSED,
      attention: NO_ATTENTION,
      expiries: [],
      problems: [],
    })),
  );
  // Matches the call for one domain by its id; calls for parts of a domain have longer paths.
  await page.route(/\/api\/domain\/[0-9a-f-]{36}$/, (route) => change(route, pausedOne));
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
      await page.getByRole('heading', { name: 'Paused until you confirm that it is yours' }).waitFor();
    },
  },
];

/** Shows the tooltip of the last value of a drawing. */
async function readLast(drawing: Locator): Promise<void> {
  await drawing.press('End');
  await drawing.page().locator('[popover]').waitFor();
}

const TOOLTIPS: Screen[] = [
  {
    name: 'strip-tooltip',
    visitor: 'member',
    async show(page) {
      await dashboard(page, '?sort=soonest&view=grid');
      await page.getByRole('heading', { level: 1 }).focus();
      await readLast(page.getByRole('slider', { name: /^Last checks of / }).first());
      await page
        .locator('[popover]')
        .getByText(/ at \d\d:\d\d/)
        .waitFor();
    },
  },
  {
    name: 'chart-tooltip',
    visitor: 'member',
    async show(page) {
      await panelOf('pay.fjord.example', 'uptime')(page);
      await readLast(page.getByRole('slider', { name: 'Response times' }));
    },
  },
];

/** The dashboard of the demo's own person with its dialogs and its panel. */
export const DASHBOARD: readonly Screen[] = [...LIST, ...MANY, ...NEW_OWNER, ...TOOLTIPS, ...PANEL];
