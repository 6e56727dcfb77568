import type { Locator, Page } from '@playwright/test';
import { card, createAccount, expect, removeFromMenu, test } from './world.ts';

const toasts = (page: Page) => page.getByRole('region', { name: /^Notifications/ });
const OFFLINE = 'The server could not be reached. Your monitoring keeps running.';

/** Records the write requests below a path of the API. A preview of alerts is a POST that stores nothing. */
function recordWrites(page: Page, path: string): string[] {
  const writes: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'GET' || pathname === '/api/alerts/preview') return;
    if (pathname.startsWith(`/api${path}`)) writes.push(`${request.method()} ${pathname}`);
  });
  return writes;
}

/** Clicks twice before the page can render in between. */
const clickTwice = (button: Locator) =>
  button.evaluate((element: HTMLElement) => {
    element.click();
    element.click();
  });

test('offline writes fail at once and are not sent later', async ({ page, context, world }) => {
  const host = await world.serve('kept.writes.example');
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Give Feedback' }).click();
  await page.getByRole('dialog').getByLabel('Feedback').fill('Hello');
  const writes = recordWrites(page, '/');
  await context.setOffline(true);

  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(
    toasts(page).getByText(`Something happened while sending. Please try again later: ${OFFLINE}`),
  ).toBeVisible();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Add Domain' }).click();
  await page.getByLabel('Host Address').fill('given-up.writes.example');
  await page.getByLabel('Host Address').press('Enter');
  await expect(toasts(page).getByText(OFFLINE, { exact: true })).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

  await (await removeFromMenu(page, host)).click();
  await expect(toasts(page).getByText(`Failed to delete domain: ${OFFLINE}`)).toBeVisible();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();

  const failed = [...writes];
  await context.setOffline(false);
  await page.reload();
  await expect(card(page, host)).toBeVisible();
  await expect(page.getByText('given-up.writes.example')).toHaveCount(0);
  expect(writes).toEqual(failed);
});

test('a double click sends one request', async ({ page, world }) => {
  await createAccount(page, world, { trial: true });
  await page.goto('/dashboard');
  const host = await world.serve('once.writes.example');
  const adds = recordWrites(page, '/domain/add');
  await page.getByLabel('Host Address').fill(host);
  await clickTwice(page.locator('form').getByRole('button', { name: 'Add Domain' }));
  await expect(card(page, host)).toBeVisible();
  expect(adds).toHaveLength(1);

  const changes = recordWrites(page, '/domain/');
  await card(page, host).getByRole('link', { name: host }).click();
  await clickTwice(page.getByRole('radio', { name: /Hourly/ }));
  await expect(toasts(page).getByText('Check frequency updated!')).toHaveCount(1);
  expect(changes).toHaveLength(1);

  const feedback = recordWrites(page, '/user_feedback/create');
  await page.getByRole('button', { name: 'Give Feedback' }).click();
  await page.getByRole('dialog').getByLabel('Feedback').fill('Hello');
  await clickTwice(page.getByRole('button', { name: 'Submit' }));
  await expect(toasts(page).getByText(/^Thanks for your feedback!/)).toHaveCount(1);
  expect(feedback).toHaveLength(1);

  const checkouts = recordWrites(page, '/payment/checkout');
  await page.getByRole('button', { name: 'Keep Premium' }).first().click();
  const start = page.getByRole('button', { name: /^Start Premium – Only/ });
  await expect(start).toBeEnabled();
  await clickTwice(start);
  const paying = page.getByRole('dialog', { name: 'Checkout' });
  await expect(paying).toBeVisible();
  expect(checkouts).toHaveLength(1);
  await page.keyboard.press('Escape');

  await clickTwice(await removeFromMenu(page, host));
  await expect(toasts(page).getByText('Domain deleted successfully')).toHaveCount(1);
  expect(changes).toHaveLength(2);
});

test('the page stays usable when a dialog’s code cannot be loaded, and the dialog opens once online', async ({
  page,
  context,
  world,
}) => {
  await createAccount(page, world);
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  // The first move of the pointer makes the page load the code of the toasts.
  await page.mouse.move(200, 200);
  await expect(toasts(page)).toBeAttached();
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Give Feedback' }).click();
  await expect(
    toasts(page).getByText('Could not load this part of the page. Check your connection, then try again.'),
  ).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Give Feedback' }).click();
  await expect(page.getByRole('dialog', { name: "We'd love your feedback" })).toBeVisible();
});

test('the page reloads once when a deployment has removed a dialog’s code', async ({ page, world }) => {
  await createAccount(page, world);
  await page.route(/\/assets\/feedback-dialog-.*\.js$/, (route) => route.fulfill({ status: 404 }));
  await page.goto('/dashboard');
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  const button = page.getByRole('button', { name: 'Give Feedback' });
  await button.click();
  await expect.poll(() => loads).toBe(1);
  await button.click();
  await expect(toasts(page).getByText(/^Could not load this part of the page/)).toBeVisible();
  expect(loads).toBe(1);
});

test('the delete dialog closes with a message if another tab removed the domain', async ({
  page,
  context,
  world,
}) => {
  const host = await world.serve('gone.writes.example');
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  await removeFromMenu(page, host);
  const second = await context.newPage();
  await second.goto('/dashboard');
  await (await removeFromMenu(second, host)).click();
  await expect(second.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  await expect(toasts(page).getByText(`${host} was already deleted.`)).toBeVisible();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
});

test('Add Domain on the empty dashboard opens the dialog', async ({ page, world }) => {
  await createAccount(page, world);
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Add Domain' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add New Domain' });
  const host = await world.serve('first.writes.example');
  await dialog.getByLabel('Host Address').fill(host);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(card(page, host)).toBeVisible();
  await expect(dialog).toBeHidden();
});
