import type { Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { addHost, card, createAccount, expect, showSection, test, type World } from './world.ts';
import { spec } from '../spec/spec.ts';

interface DomainList {
  data: { check_every_minutes: number }[];
}

const PRICE = 'Start Premium – Only $4.99/month';

const upgradeDialog = (page: Page) =>
  page.getByRole('dialog', { name: 'Supercharge Your Monitoring with Premium' });
const toast = (page: Page, text: string | RegExp) =>
  page.getByRole('region', { name: /^Notifications/ }).getByText(text);

/** Opens the dashboard of an account with three domains, as many as Free tracks; returns the hosts, first added first. */
async function openFull(page: Page, world: World, name: string): Promise<string[]> {
  const hosts = await Promise.all([1, 2, 3].map((number) => world.serve(`${name}-${number}.example`)));
  await createAccount(page, world, { hosts });
  await page.goto('/dashboard');
  // Wait until the page knows the plan: before, the button Add Domain opens the form instead of the upgrade dialog.
  await expect(page.getByText('You track 3 of 3 domains on Free.')).toBeVisible();
  return hosts;
}

const LIMIT_REACHED = {
  status: 402,
  contentType: 'application/problem+json',
  body: JSON.stringify({ code: 'limit_reached', detail: 'The Free plan tracks up to 3 domains.' }),
};

async function buyPremium(page: Page): Promise<void> {
  await upgradeDialog(page).getByRole('button', { name: PRICE }).click();
  await page.getByRole('dialog', { name: 'Checkout' }).getByRole('button', { name: 'Pay $4.99' }).click();
  await expect(toast(page, 'Premium is active. Thank you.')).toBeVisible();
}

test('at the domain limit, the upgrade dialog opens, and a payment starts Premium without the limit', async ({
  page,
  world,
}) => {
  await openFull(page, world, 'limit');
  await page.getByRole('button', { name: 'Add Domain' }).click();
  const offer = upgradeDialog(page);
  await expect(offer.getByText('The Free plan is limited to 3 domains.')).toBeVisible();
  spec('2U.01', 'The upgrade dialog has its title');
  spec('2U.11', 'The upgrade dialog opens where a free user reaches the limit');
  const fourthAdd = await page.request.post('/api/domain/add', {
    data: { host: 'limit-5.example' },
    headers: { origin: world.app.url },
  });
  expect(fourthAdd.status()).toBe(402);
  expect(await (await page.request.get('/api/domain/list')).json()).toMatchObject({ total: 3 });
  spec('5.11', 'At the limit nothing is added, and the upgrade dialog opens');
  spec('6.03', 'Free tracks 3 domains');
  spec('9.01', 'The limit of Free is 3 domains');
  await expect(offer.getByRole('row', { name: /Email Alerts/ })).toHaveText('Email AlertsYesYes');
  spec('2U.03', 'Email alerts: yes and yes');
  await expect(offer.getByRole('row', { name: /Tracked Domains/ })).toHaveText('Tracked Domains3Unlimited');
  spec('2U.02', 'Tracked domains: 3 or unlimited');
  await expect(offer.getByRole('row', { name: /Monitoring Frequency/ })).toContainText(
    'DailyUp to every 10 minutes',
  );
  spec('2U.04', 'Monitoring frequency: daily, or up to every 10 minutes');
  spec('9.04', 'The upgrade dialog and the landing page say “up to every 10 minutes”');
  await expect(
    offer.getByText('Includes real-time alerts and webhook support.', { exact: true }),
  ).toBeVisible();
  spec('1.13', 'The upgrade dialog names real-time alerts and webhook support');
  await expect(offer.getByRole('button', { name: PRICE })).toBeEnabled();
  spec('2U.06', 'The button names currency and price a month');
  spec('9.02', 'The price is $4.99, a hundredth of the unit price');

  await offer.getByRole('button', { name: PRICE }).click();
  await expect(page.getByText('Test mode: no money moves')).toBeVisible();
  await page.getByRole('button', { name: 'Pay $4.99' }).click();
  await expect(toast(page, 'Premium is active. Thank you.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeHidden();
  const fourth = await world.serve('limit-4.example');
  const form = page.getByRole('dialog', { name: 'Add New Domain' });
  await form.getByLabel('Host Address').fill(fourth);
  // A new domain starts with daily checks, unless the person chooses another frequency in the form.
  const choice = form.getByRole('radiogroup', { name: 'Check Frequency' });
  await expect(choice.getByRole('radio', { name: 'Daily' })).toBeChecked();
  await choice.getByRole('radio', { name: 'Hourly' }).click();
  const chosen = page.waitForRequest(/\/api\/domain\/[^/]+\/frequency\?check_frequency=60$/);
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await chosen;
  await expect(card(page, fourth)).toBeVisible();
  const strip = page.getByRole('region', { name: 'Next steps' });
  await expect(strip).toContainText('3 domains are still checked once a day.');
  await strip.getByRole('button', { name: 'Check every 10 minutes' }).click();
  await expect(strip).toBeHidden();
  const intervals = ((await (await page.request.get('/api/domain/list')).json()) as DomainList).data;
  expect(intervals.map((domain) => domain.check_every_minutes)).toEqual([60, 10, 10, 10]);
  spec('2H.02', '“Upgrade to Premium” shows only to people who are not subscribed');
  spec('6.06', 'Premium tracks as many as it likes');
});

test('after buying Premium to add a domain, the form opens again with the typed host', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { hosts: [await world.serve('bought-1.example')] });
  await page.goto('/dashboard');
  const host = await world.serve('bought-2.example');
  // The server answers as if other tabs had used up the plan meanwhile.
  await page.route('**/api/domain/add', (route) => route.fulfill(LIMIT_REACHED), { times: 1 });
  await page.getByRole('button', { name: 'Add Domain' }).click();
  const form = page.getByRole('dialog', { name: 'Add New Domain' });
  await form.getByLabel('Host Address').fill(host);
  await form.getByLabel('Host Address').press('Enter');
  await buyPremium(page);
  await expect(form.getByLabel('Host Address')).toHaveValue(host);
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(card(page, host)).toBeVisible();
});

test('after a cancelled upgrade or checkout, the form for adding stays closed', async ({ page, world }) => {
  await createAccount(page, world, { hosts: [await world.serve('declined-1.example')] });
  await page.goto('/dashboard');
  await page.route('**/api/domain/add', (route) => route.fulfill(LIMIT_REACHED), { times: 2 });
  const form = page.getByRole('dialog', { name: 'Add New Domain' });
  const checkout = page.getByRole('dialog', { name: 'Checkout' });
  const addAtLimit = async () => {
    await page.getByRole('button', { name: 'Add Domain' }).click();
    await form.getByLabel('Host Address').fill('declined-2.example');
    await form.getByLabel('Host Address').press('Enter');
    await form.getByRole('button', { name: 'Add anyway' }).click();
    await expect(upgradeDialog(page)).toBeVisible();
  };

  await test.step('the upgrade offer is closed', async () => {
    await addAtLimit();
    await page.keyboard.press('Escape');
    await expect(upgradeDialog(page)).toBeHidden();
    await page.reload();
    await expect(page.getByRole('button', { name: 'Add Domain' })).toBeVisible();
    await expect(form).toBeHidden();
  });

  await test.step('the checkout is closed', async () => {
    await addAtLimit();
    await upgradeDialog(page).getByRole('button', { name: PRICE }).click();
    await expect(checkout).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(checkout).toBeHidden();
    await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
    await buyPremium(page);
    await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeHidden();
    await expect(form).toBeHidden();
  });
});

test('a failed payment and the end of Premium appear on an open page without a reload', async ({
  page,
  world,
  context,
}) => {
  await createAccount(page, world, { verified: true });
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
  await expect(upgradeDialog(page).getByText('The Free plan is limited to')).toBeHidden();
  await buyPremium(page);

  await page.getByRole('button', { name: /^Account of/ }).click();
  const opening = context.waitForEvent('page');
  await page.getByRole('menuitem', { name: 'Billing' }).click();
  const portal = await opening;
  await expect(portal).toHaveURL(/\/billing-test$/);
  await expect(portal.getByRole('button', { name: 'Renew' })).toBeVisible();
  const longest = portal.getByRole('button', { name: 'Cancel at the end of the month' });
  expect(await longest.evaluate((button) => button.scrollWidth - button.clientWidth)).toBeLessThanOrEqual(0);
  await expectAccessible(portal);
  await portal.getByRole('button', { name: 'Fail a payment' }).click();
  await expect(portal.getByRole('definition').filter({ hasText: 'past_due' })).toBeVisible();

  // Live events update this page.
  await expect(page.getByText('Your last payment failed.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Open billing' })).toBeVisible();
  await expectAccessible(page);
  await portal.getByRole('button', { name: 'Cancel now' }).click();
  await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeVisible();
  await expect(page.getByText('Your last payment failed.')).toBeHidden();
});

test('when Premium ends, the newest domain above the limit is paused and can be swapped with another', async ({
  page,
  world,
}) => {
  const [oldest = ''] = await openFull(page, world, 'swap');
  await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
  await buyPremium(page);
  const newest = await world.serve('swap-4.example');
  await addHost(page, newest);
  const ended = await page.request.post('/api/payment/test/event', {
    data: { event: 'cancel' },
    headers: { origin: world.app.url },
  });
  expect(ended.ok()).toBe(true);

  await expect(page.getByText('1 domain is paused: the Free plan checks up to 3.')).toBeVisible();
  await expect(card(page, newest).getByText('Paused: the Free plan checks 3 domains')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    '3 certificates are fine, 1 domain is paused',
  );
  await expectAccessible(page);

  await card(page, newest)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await expect(page.getByRole('menuitem')).toHaveText([
    /Refresh/,
    /Show Details/,
    'Resume',
    'Select',
    /Remove/,
  ]);
  await expect(page.getByRole('menuitem', { name: 'Refresh' })).toBeDisabled();
  await page.getByRole('menuitem', { name: 'Resume' }).click();
  const swap = page.getByRole('dialog', {
    name: 'Free checks 3 domains. Which one should pause instead?',
  });
  await expect(swap.getByRole('button', { name: 'Swap' })).toBeDisabled();
  await expectAccessible(page);
  await swap.getByLabel(oldest).check();
  await swap.getByRole('button', { name: 'Swap' }).click();
  await expect(swap).toBeHidden();
  await expect(card(page, newest).getByText(/^Paused/)).toBeHidden();
  await expect(card(page, oldest).getByText(/^Paused/)).toHaveCount(1);

  await card(page, oldest).getByRole('link').click();
  const panel = page.getByLabel(`Details for ${oldest}`);
  await expect(panel.getByText('We do not check it and send no alerts about it.')).toBeVisible();
  for (const name of ['Alerts', 'Chain', 'Uptime', 'Overview']) {
    await showSection(panel, name);
    await expect(panel.getByRole('heading', { name: /paused/i })).toHaveCount(1);
  }
});

test('a domain can be paused and resumed', async ({ page, world }) => {
  const host = await world.serve('quiet.example');
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  await card(page, host)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'Pause' }).click();
  await expect(card(page, host).getByText('Paused by you')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your domain is paused');
  await card(page, host)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'Resume' }).click();
  await expect(card(page, host).getByText('Paused by you')).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^quiet\.example\S* is fine$/);
});

test('the upgrade dialog says that prices failed to load, the offer has ended, or Premium is already active', async ({
  page,
  world,
}) => {
  await createAccount(page, world);
  await page.goto('/dashboard');
  const held = Promise.withResolvers<void>();
  await page.route('**/api/payment/products', async (route) => {
    await held.promise;
    await route.fulfill({ status: 500 });
  });
  await page.getByRole('button', { name: 'Upgrade to Premium' }).click();
  const start = upgradeDialog(page).getByRole('button', { name: /^Start Premium/ });
  await expect(start).toBeDisabled();
  await expect(start.locator('svg, [class*=spin]').first()).toBeVisible();
  await expect(start).toHaveAttribute('aria-busy', 'true');
  spec('2U.07', 'The button waits with a spinner until the products are there');
  held.resolve();
  await expect(toast(page, 'Failed to load payment products.')).toBeVisible();
  await page.unroute('**/api/payment/products');
  await upgradeDialog(page).getByRole('button', { name: 'Try again' }).click();
  await expect(start).toHaveText(PRICE);

  const problem = { type: 'about:blank', title: 'Refused', request_id: 'r', status: 409 };
  await page.route('**/api/payment/checkout', (route) =>
    route.fulfill({ status: 409, json: { ...problem, code: 'price_gone', detail: 'This offer has ended.' } }),
  );
  const again = page.waitForRequest('**/api/payment/products');
  await start.click();
  await expect(toast(page, 'This offer has ended.')).toBeVisible();
  await again;

  await page.route('**/api/payment/checkout', (route) =>
    route.fulfill({
      status: 409,
      json: { ...problem, code: 'already_subscribed', detail: 'You already have Premium.' },
    }),
  );
  const standing = page.waitForRequest('**/api/user/standing');
  await start.click();
  await expect(toast(page, 'You already have Premium.')).toBeVisible();
  await expect(upgradeDialog(page)).toBeHidden();
  await standing;
});

test('feedback is mailed to the support address', async ({ page, world }) => {
  const person = await createAccount(page, world);
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Give Feedback' }).click();
  const dialog = page.getByRole('dialog', { name: "We'd love your feedback" });
  const submit = dialog.getByRole('button', { name: 'Submit' });
  await expect(submit).toBeDisabled();
  spec('2F.01', 'The feedback dialog has its title');
  spec('2F.03', 'The feedback dialog has “Submit”');
  await dialog.getByPlaceholder('Your thoughts...').fill('   ');
  await expect(submit).toBeDisabled();
  spec('2F.02', 'The feedback has its placeholder');
  spec('2F.04', '“Submit” is disabled while the trimmed text is empty');
  spec('5.12', 'Empty feedback cannot be sent');

  await page.route('**/api/user_feedback/create', (route) => route.abort(), { times: 1 });
  await dialog.getByPlaceholder('Your thoughts...').fill('The horizon is lovely.');
  await submit.click();
  await expect(toast(page, /^Something happened while sending\. Please try again later: /)).toBeVisible();
  const held = Promise.withResolvers<void>();
  await page.route('**/api/user_feedback/create', async (route) => {
    await held.promise;
    await route.continue();
  });
  const sending = page.waitForRequest('**/api/user_feedback/create');
  await submit.click();
  expect((await sending).postDataJSON()).toEqual({ title: 'feedback', message: 'The horizon is lovely.' });
  spec('3.18', 'Feedback has the title “feedback” and the message');
  spec('7.11', 'POST /user_feedback/create sends title and message; whatever fails is a toast (decision 31)');
  await expect(submit).toBeDisabled();
  spec('2F.05', '“Submit” is disabled while it is being sent');
  held.resolve();
  await expect(toast(page, 'Thanks for your feedback! We really appreciate it. 🙏')).toBeVisible();
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Give Feedback' }).click();
  await expect(dialog.getByPlaceholder('Your thoughts...')).toHaveValue('');
  spec('2F.06', 'Feedback that was sent closes the dialog and clears it');

  spec('4D.03', 'Sent feedback is cleared, and the password toggles');

  const mail = await world.mail.waitFor(({ text }) => text.includes('The horizon is lovely.'));
  expect(mail.text).toContain(person.email);
});
