import type { Page, Route } from '@playwright/test';
import type { Demo } from '../demo.ts';
import type { Visitor } from './visitors.ts';

/** One state of a page, or a dialog over it, as somebody sees it. */
export interface Screen {
  /** In kebab case; part of the name of its picture. */
  name: string;
  visitor: Visitor;
  /** Leads there from anywhere and resolves when everything of it is to be seen. */
  show(page: Page, demo: Demo): Promise<void>;
}

const FACTS_OF_ITS_OWN = '**/api/domain/**';

/** Opens an address and waits until it speaks. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  // Not by its role: under a sheet that fills a narrow screen nothing has one.
  await page.locator('h1').first().waitFor();
}

const at = (path: string) => (page: Page) => open(page, path);

/** The dashboard with its cards or rows. */
async function dashboard(page: Page, search = ''): Promise<void> {
  await open(page, `/dashboard${search}`);
  await page.locator('[aria-label^="Actions for "]').first().waitFor();
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

async function dialog(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('dialog', { name }).or(page.getByRole('alertdialog', { name })).waitFor();
}

/** Pages of its own answer a request, until the next navigation of the walk takes the stand-in away. */
async function answering(page: Page, url: string, answer: (route: Route) => unknown): Promise<void> {
  await page.route(url, answer);
}

async function idOf(page: Page, hostname: string): Promise<string> {
  const answer = await page.request.get(`/api/domain/list?q=${hostname}`);
  const { data } = (await answer.json()) as { data: { id: string; hostname: string }[] };
  const found = data.find((domain) => domain.hostname === hostname);
  if (!found) throw new Error(`Nobody watches ${hostname}`);
  return found.id;
}

/** The dashboard with the panel of one domain, its history read. */
const panelOf = (hostname: string) => async (page: Page) => {
  await dashboard(page, `?sort=soonest&domain=${await idOf(page, hostname)}`);
  await page.getByRole('heading', { name: 'Current Certificate' }).waitFor();
  await page.getByText('Loading certificate history...').waitFor({ state: 'hidden' });
};

async function accountMenu(page: Page): Promise<void> {
  await press(page, /^Account of /);
  await page.getByRole('menuitem', { name: 'Log out' }).waitFor();
}

/** What a narrow header has no room for is in the menu of the account. */
async function fromHeader(page: Page, name: string): Promise<void> {
  const button = page.getByRole('banner').getByRole('button', { name });
  if (await button.isVisible()) return button.click();
  await accountMenu(page);
  await page.getByRole('menuitem', { name }).click();
}

/** The menu of the first domain of the list. */
async function domainMenu(page: Page): Promise<void> {
  await dashboard(page, '?sort=soonest');
  await page
    .getByRole('button', { name: /^Actions for / })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Remove' }).waitFor();
}

const PUBLIC: Screen[] = [
  { name: 'landing', visitor: 'nobody', show: at('/landing') },
  { name: 'login', visitor: 'nobody', show: at('/login') },
  {
    name: 'login-errors',
    visitor: 'nobody',
    async show(page) {
      await open(page, '/login');
      await press(page, 'Login');
      await page.getByText('Please enter your email').waitFor();
    },
  },
  { name: 'sign-up', visitor: 'nobody', show: at('/signup') },
  { name: 'sign-up-trial', visitor: 'nobody', show: at('/signup?trial=1') },
  { name: 'forgot-password', visitor: 'nobody', show: at('/forgot-password') },
  { name: 'reset-password', visitor: 'nobody', show: at('/reset-password#token') },
  { name: 'reset-password-spent', visitor: 'nobody', show: at('/reset-password') },
  { name: 'verify', visitor: 'nobody', show: at('/verify#token') },
  { name: 'signed-in-failed', visitor: 'nobody', show: at('/signed-in?error=failed') },
  { name: 'terms', visitor: 'nobody', show: at('/terms') },
  { name: 'privacy', visitor: 'nobody', show: at('/privacy') },
  { name: 'not-found', visitor: 'nobody', show: at('/no-such-page') },
];

const FREE: Screen[] = [
  {
    name: 'dashboard-empty',
    visitor: 'newcomer',
    async show(page) {
      await open(page, '/dashboard');
      await page.getByRole('heading', { name: 'Add your first domain' }).waitFor();
    },
  },
  {
    name: 'upgrade',
    visitor: 'newcomer',
    async show(page) {
      await open(page, '/dashboard');
      await fromHeader(page, 'Upgrade to Premium');
      await dialog(page, 'Supercharge Your Monitoring with Premium');
      await page.getByRole('button', { name: /Only \$4\.99/ }).waitFor();
    },
  },
  {
    name: 'checkout',
    visitor: 'newcomer',
    async show(page) {
      await open(page, '/dashboard');
      await fromHeader(page, 'Upgrade to Premium');
      await press(page, /Only \$4\.99/);
      await dialog(page, 'Checkout');
    },
  },
  {
    name: 'upgrade-at-limit',
    visitor: 'full',
    async show(page) {
      await dashboard(page);
      await press(page, 'Add Domain');
      await page.getByText('You have used all 3 domains').waitFor();
    },
  },
  {
    name: 'panel-free',
    visitor: 'full',
    async show(page) {
      await dashboard(page, `?domain=${await idOf(page, 'lab.moss.example')}`);
      await page.getByText('Upgrade to premium to customize check frequency.').waitFor();
      await page.getByText('Loading certificate history...').waitFor({ state: 'hidden' });
    },
  },
];

const DASHBOARD: Screen[] = [
  {
    name: 'dashboard',
    visitor: 'member',
    show: (page) => dashboard(page, '?sort=soonest&view=grid&span=90'),
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
      await answering(page, FACTS_OF_ITS_OWN, () => undefined);
      await page.goto('/dashboard?view=grid');
      await page.getByRole('button', { name: /^Account of / }).waitFor();
      await page.getByText('Loading').first().waitFor({ state: 'attached' });
    },
  },
  {
    name: 'dashboard-error',
    visitor: 'member',
    async show(page) {
      await answering(page, FACTS_OF_ITS_OWN, (route) => route.fulfill({ status: 400 }));
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

const PANEL: Screen[] = [
  { name: 'panel', visitor: 'member', show: panelOf('pay.fjord.example') },
  { name: 'panel-hundred-names', visitor: 'member', show: panelOf('cdn.moss.example') },
  { name: 'panel-wrong-name', visitor: 'member', show: panelOf('shop.moss.example') },
  { name: 'panel-gone', visitor: 'member', show: panelOf('old.moss.example') },
  { name: 'panel-paused', visitor: 'member', show: panelOf('beta.fjord.example') },
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

const SHELL: Screen[] = [
  {
    name: 'account-menu',
    visitor: 'newcomer',
    async show(page) {
      await open(page, '/profile');
      await accountMenu(page);
    },
  },
  {
    name: 'feedback',
    visitor: 'member',
    async show(page) {
      await open(page, '/profile');
      await fromHeader(page, 'Give Feedback');
      await dialog(page, "We'd love your feedback");
    },
  },
  { name: 'profile-free', visitor: 'newcomer', show: at('/profile') },
  {
    name: 'profile',
    visitor: 'member',
    async show(page) {
      await open(page, '/profile');
      await page.getByText('This browser').waitFor();
    },
  },
  {
    name: 'authenticator-app',
    visitor: 'member',
    async show(page) {
      await open(page, '/profile');
      await press(page, 'Set up');
      await dialog(page, 'Set up an authenticator app');
    },
  },
  {
    name: 'passkey',
    visitor: 'member',
    async show(page) {
      await open(page, '/profile');
      await press(page, 'Add a passkey');
      await dialog(page, 'Add a passkey');
    },
  },
  {
    name: 'delete-account',
    visitor: 'member',
    async show(page) {
      await open(page, '/profile');
      await press(page, 'Delete Account');
      await page.getByRole('alertdialog').waitFor();
    },
  },
];

/** Every screen and dialog of the product, in the demo. */
export const SCREENS: readonly Screen[] = [...PUBLIC, ...FREE, ...DASHBOARD, ...PANEL, ...SHELL];

/** Shows a screen in its visitor's window, whatever was open there before, and lets it come to rest. */
export async function showScreen(screen: Screen, page: Page, demo: Demo): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await screen.show(page, demo);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}
