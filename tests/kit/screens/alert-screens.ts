import type { Page } from '@playwright/test';
import {
  changeAndAwaitPreview,
  clickButton,
  dialog,
  open,
  pretendToSave,
  type Screen,
  showPath,
} from './navigation.ts';

/** Opens the page and waits for its data. */
async function alerts(page: Page): Promise<void> {
  await open(page, '/alerts');
  await page.getByRole('button', { name: 'Add channel' }).waitFor();
  await page.getByRole('heading', { name: 'Calendar' }).waitFor();
  await page
    .getByRole('region', { name: 'Upcoming alerts if nothing is renewed' })
    .locator('li, p')
    .first()
    .waitFor();
}

const kind = (name: string) => async (page: Page) => {
  await alerts(page);
  await clickButton(page, 'Add channel');
  await dialog(page, 'Add channel');
  await clickButton(page, new RegExp(`^${name} `));
  await dialog(page, `Add ${name}`);
};

const SUBJECT = {
  address: 'm•••@fjord.example',
  domain: 'pay.fjord.example',
  mail: 'alert',
  unsubscribed: 'no',
};

/** Opens the page of a mailed link with faked data, because no picture can receive mail. */
const mailed = (subject: object) => async (page: Page) => {
  await page.route('**/api/recipients/subscription', (route) =>
    route.fulfill({ json: { data: { ...SUBJECT, ...subject } } }),
  );
  await open(page, '/unsubscribe#a-token-that-is-only-for-show');
  await page.getByText(SUBJECT.address).waitFor();
};

/** The page Alerts with its dialogs, and the pages of mailed links. */
export const ALERTS: readonly Screen[] = [
  { name: 'alerts', visitor: 'member', show: alerts },
  { name: 'alerts-free', visitor: 'newcomer', show: alerts },
  {
    name: 'alerts-broken-channel',
    visitor: 'member',
    async show(page) {
      await page.route('**/api/channels', async (route) => {
        const response = await route.fetch();
        const { data, ...rest } = (await response.json()) as { data: { kind: string }[] };
        const [email, first, ...others] = data;
        await route.fulfill({
          response,
          json: { ...rest, data: [email, { ...first, state: 'broken' }, ...others] },
        });
      });
      await alerts(page);
    },
  },
  {
    name: 'alerts-own-steps',
    visitor: 'member',
    async show(page) {
      await alerts(page);
      await pretendToSave(page, '**/api/alerts', (stored, { settings }) => ({
        ...stored,
        settings: { ...stored.settings, ...settings },
      }));
      await changeAndAwaitPreview(page, () => page.getByRole('radio', { name: /^Custom/ }).click());
      await page.getByText('30 days before').first().waitFor();
    },
  },
  {
    name: 'alerts-kinds',
    visitor: 'member',
    async show(page) {
      await alerts(page);
      await clickButton(page, 'Add channel');
      await dialog(page, 'Add channel');
    },
  },
  {
    name: 'alerts-kinds-free',
    visitor: 'newcomer',
    async show(page) {
      await alerts(page);
      await clickButton(page, 'Add channel');
      await page.getByText(/^Upgrade to premium to send alerts/).waitFor();
    },
  },
  {
    name: 'alerts-kinds-unverified',
    visitor: 'unverified',
    async show(page) {
      await alerts(page);
      await clickButton(page, 'Add channel');
      await page.getByRole('note').waitFor();
    },
  },
  { name: 'alerts-add-slack', visitor: 'member', show: kind('Slack') },
  { name: 'alerts-add-telegram', visitor: 'member', show: kind('Telegram') },
  { name: 'alerts-add-ntfy', visitor: 'member', show: kind('ntfy') },
  { name: 'alerts-add-matrix', visitor: 'member', show: kind('Matrix') },
  {
    name: 'alerts-messages',
    visitor: 'member',
    async show(page) {
      await alerts(page);
      await clickButton(page, 'Actions for Deployment pipeline');
      await page.getByRole('menuitem', { name: 'Last messages' }).click();
      await dialog(page, 'Last messages');
      await page
        .getByRole('button', { name: /^Send again/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'alerts-maintenance',
    visitor: 'member',
    async show(page) {
      await alerts(page);
      await clickButton(page, 'Plan maintenance');
      await dialog(page, 'Plan maintenance');
    },
  },
  {
    name: 'alerts-maintenance-repeats',
    visitor: 'member',
    async show(page) {
      await alerts(page);
      await clickButton(page, 'Plan maintenance');
      await dialog(page, 'Plan maintenance');
      await page.getByRole('combobox', { name: 'Repeats' }).click();
      await page.getByRole('option', { name: 'Every week' }).waitFor();
    },
  },
  {
    name: 'alerts-error',
    visitor: 'member',
    async show(page) {
      for (const path of ['channels', 'alerts', 'maintenance'])
        await page.route(`**/api/${path}`, (route) => route.fulfill({ status: 400 }));
      await page.goto('/alerts');
      await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    },
  },
  { name: 'unsubscribe', visitor: 'nobody', show: mailed({}) },
  { name: 'unsubscribe-domain', visitor: 'nobody', show: mailed({ unsubscribed: 'domain' }) },
  { name: 'unsubscribe-all', visitor: 'nobody', show: mailed({ unsubscribed: 'all' }) },
  {
    name: 'unsubscribe-bad-link',
    visitor: 'nobody',
    async show(page) {
      await open(page, `/unsubscribe#${'x'.repeat(40)}`);
      await page.getByText('This link does not work').waitFor();
    },
  },
  { name: 'confirm-recipient', visitor: 'nobody', show: showPath('/confirm-recipient#a-token-for-show') },
  {
    name: 'confirm-recipient-done',
    visitor: 'nobody',
    async show(page) {
      await page.route('**/api/recipients/confirm', (route) =>
        route.fulfill({ json: { data: { address: 'ops@fjord.example', account: 'mara@fjord.example' } } }),
      );
      await open(page, '/confirm-recipient#a-token-for-show');
      await clickButton(page, 'Send me alerts');
      await page.getByText('Address confirmed').waitFor();
    },
  },
];
