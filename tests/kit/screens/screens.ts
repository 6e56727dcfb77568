import type { Page } from '@playwright/test';
import type { Demo } from '../product/demo.ts';
import { ALERTS } from './alert-screens.ts';
import { CERTIFICATES } from './certificate-screens.ts';
import { DASHBOARD } from './dashboard-screens.ts';
import { DEADLINE_SCREENS } from './deadline-screens.ts';
import { STATUS } from './status-screens.ts';
import {
  accountMenu,
  clickButton,
  dashboard,
  dialog,
  domainMenu,
  fromHeader,
  idOf,
  open,
  type Screen,
  showPath,
} from './navigation.ts';

const PUBLIC: Screen[] = [
  { name: 'landing', visitor: 'nobody', show: showPath('/landing') },
  {
    name: 'landing-report',
    visitor: 'nobody',
    async show(page, { portSuffix }) {
      await open(page, '/landing');
      await page.getByLabel('Check any host').fill(`git.orchard.example${portSuffix}`);
      await clickButton(page, 'Check');
      await page.getByRole('article', { name: /^Report on/ }).waitFor();
    },
  },
  {
    name: 'login',
    visitor: 'nobody',
    async show(page) {
      await open(page, '/login');
      // Waits until the script has loaded: before, the buttons of the prerendered page are disabled.
      await page.getByRole('button', { name: 'Login', exact: true, disabled: false }).waitFor();
    },
  },
  {
    name: 'login-errors',
    visitor: 'nobody',
    async show(page) {
      await open(page, '/login');
      await clickButton(page, 'Login');
      await page.getByText('Please enter your email').waitFor();
    },
  },
  { name: 'sign-up', visitor: 'nobody', show: showPath('/signup') },
  { name: 'sign-up-trial', visitor: 'nobody', show: showPath('/signup?trial=1') },
  { name: 'forgot-password', visitor: 'nobody', show: showPath('/forgot-password') },
  { name: 'reset-password', visitor: 'nobody', show: showPath('/reset-password#token') },
  {
    name: 'reset-password-incomplete',
    visitor: 'nobody',
    async show(page) {
      // Leave the page first: the tab would still have the token of the screen before.
      await page.goto('about:blank');
      await open(page, '/reset-password');
      await page.getByText('This link is incomplete').waitFor();
    },
  },
  { name: 'verify', visitor: 'nobody', show: showPath('/verify#token') },
  { name: 'signed-in-failed', visitor: 'nobody', show: showPath('/signed-in?error=failed') },
  { name: 'terms', visitor: 'nobody', show: showPath('/terms') },
  { name: 'privacy', visitor: 'nobody', show: showPath('/privacy') },
  { name: 'not-found', visitor: 'nobody', show: showPath('/no-such-page') },
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
    name: 'import-unverified',
    visitor: 'newcomer',
    async show(page) {
      await open(page, '/dashboard');
      await clickButton(page, 'Import domains');
      await page.getByRole('note').waitFor();
    },
  },
  {
    name: 'next-steps',
    visitor: 'beginner',
    async show(page) {
      await dashboard(page);
      await page.locator('main').hover();
      await page.getByRole('region', { name: 'Next steps' }).waitFor();
    },
  },
  {
    name: 'add-tracked',
    visitor: 'beginner',
    async show(page, { portSuffix }) {
      await dashboard(page);
      await clickButton(page, 'Add Domain');
      await page.getByLabel('Host Address').fill(`git.orchard.example${portSuffix}`);
      await page.getByRole('button', { name: 'Show it' }).waitFor();
    },
  },
  {
    name: 'add-not-in-dns',
    visitor: 'beginner',
    async show(page) {
      await dashboard(page);
      await clickButton(page, 'Add Domain');
      await page.getByLabel('Host Address').fill('shpo.example.com');
      await page.getByLabel('Host Address').press('Enter');
      await page.getByRole('button', { name: 'Add anyway' }).waitFor();
    },
  },
  {
    name: 'add-domain-unverified',
    visitor: 'unverified',
    async show(page) {
      await dashboard(page);
      await page.getByRole('button', { name: 'Add Domain' }).last().click();
      await page.getByRole('note').waitFor();
    },
  },
  {
    name: 'refresh-unverified',
    visitor: 'unverified',
    async show(page) {
      await page.route('**/api/domain/*/check', (route) =>
        route.fulfill({
          status: 403,
          contentType: 'application/problem+json',
          json: {
            type: 'urn:certlantern:problem:email_not_verified',
            title: 'Confirm your email address first',
            status: 403,
            code: 'email_not_verified',
            request_id: 'for-show',
            detail:
              'The limit of 1 check a minute per domain without a confirmed address is reached. Confirm your address, or wait a minute.',
          },
        }),
      );
      await domainMenu(page);
      await page.getByRole('menuitem', { name: 'Refresh' }).click();
      await page.getByText('Could not start the check').waitFor();
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
      await clickButton(page, /Only \$4\.99/);
      await dialog(page, 'Checkout');
    },
  },
  {
    name: 'upgrade-at-limit',
    visitor: 'full',
    async show(page) {
      await dashboard(page);
      await clickButton(page, 'Add Domain');
      await page.getByText('The Free plan is limited to 3 domains').waitFor();
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

/** Opens the palette with this text. */
async function palette(page: Page, text: string): Promise<void> {
  await open(page, '/alerts');
  await clickButton(page, 'Commands');
  await page.getByRole('dialog').getByRole('combobox').fill(text);
  await page.getByRole('listbox').waitFor({ state: 'attached' });
}

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
  { name: 'palette', visitor: 'member', show: (page) => palette(page, '') },
  {
    name: 'palette-search',
    visitor: 'member',
    async show(page) {
      await palette(page, 'moss');
      await page.getByRole('option', { name: 'shop.moss.example' }).waitFor();
    },
  },
  {
    name: 'palette-nothing',
    visitor: 'newcomer',
    async show(page) {
      await palette(page, 'no such thing');
      await page.getByText('Nothing matches').waitFor();
    },
  },
  {
    name: 'palette-error',
    visitor: 'member',
    async show(page) {
      await page.route('**/api/domain/list?*limit*', (route) => route.fulfill({ status: 400 }));
      await palette(page, 'pay');
      await page.getByText('Could not search').waitFor();
    },
  },
  { name: 'profile-free', visitor: 'newcomer', show: showPath('/profile') },
  {
    name: 'profile',
    visitor: 'member',
    async show(page) {
      await open(page, '/profile');
      await page.getByText('This browser').waitFor();
    },
  },
  {
    name: 'profile-time-zone',
    visitor: 'member',
    async show(page) {
      await open(page, '/profile');
      await page.getByRole('combobox', { name: 'Time zone' }).click();
      await page.getByRole('option', { name: 'UTC only' }).waitFor();
    },
  },
  {
    name: 'profile-token',
    visitor: 'member',
    async show(page) {
      await open(page, '/profile');
      await clickButton(page, 'Create a token');
      await page.getByLabel('Name', { exact: true }).last().waitFor();
    },
  },
  {
    name: 'authenticator-app',
    visitor: 'member',
    async show(page) {
      await open(page, '/profile');
      await clickButton(page, 'Set up');
      await dialog(page, 'Set up an authenticator app');
    },
  },
  {
    name: 'passkey',
    visitor: 'member',
    async show(page) {
      await open(page, '/profile');
      await clickButton(page, 'Add a passkey');
      await dialog(page, 'Add a passkey');
    },
  },
  {
    name: 'delete-account',
    visitor: 'member',
    async show(page) {
      await open(page, '/profile');
      await clickButton(page, 'Delete Account');
      await page.getByRole('alertdialog').waitFor();
    },
  },
];

/** Every screen and dialog of the product, in the demo. */
export const SCREENS: readonly Screen[] = [
  ...PUBLIC,
  ...FREE,
  ...DASHBOARD,
  ...SHELL,
  ...ALERTS,
  ...CERTIFICATES,
  ...DEADLINE_SCREENS,
  ...STATUS,
];

/** Shows a screen in the window of its visitor, whatever is open there. Waits until it no longer changes. */
export async function showScreen(screen: Screen, page: Page, demo: Demo): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await screen.show(page, demo);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}
