import type { Page } from '@playwright/test';
import { expect, logOut, signUp, test } from './world.ts';

const toasts = (page: Page) => page.getByRole('region', { name: /^Notifications/ });

test('the record of the session is encrypted, ends with the page load and with the session', async ({
  page,
}) => {
  const { email } = await signUp(page);
  const record = () => page.evaluate(() => sessionStorage.getItem('authToken'));
  const first = await record();
  expect(first).not.toBeNull();
  expect(first).not.toContain(email);

  await test.step('a reload makes another one', async () => {
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
    await expect.poll(record).not.toBe(first);
  });
  await test.step('one that cannot be read is removed, and the server asked', async () => {
    await page.evaluate(() => sessionStorage.setItem('authToken', 'nonsense'));
    const asked = page.waitForRequest('**/api/user/me');
    await page.reload();
    await asked;
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
    await expect.poll(record).not.toBe('nonsense');
  });
  await test.step('calls that are refused together share one refresh', async () => {
    await page.context().clearCookies({ name: /session$/ });
    const refreshes: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/auth/refresh')) refreshes.push(request.url());
    });
    await page.goto('/dashboard');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
    expect(refreshes).toHaveLength(1);
  });
  await test.step('a log-out removes it', async () => {
    await logOut(page);
    expect(await record()).toBeNull();
  });
});

test('toasts stand in their region, three at most, for four seconds, and Alt+T leads there', async ({
  page,
}) => {
  await page.clock.install();
  await signUp(page);
  await page.goto('/profile');
  await page.route('**/api/identity/request-password-reset', (route) => route.fulfill({ status: 503 }));
  const reset = page.getByRole('button', { name: 'Reset Password' });
  const list = toasts(page).getByRole('listitem');
  await expect(reset).toBeEnabled();
  await page.clock.pauseAt(Date.now() + 60_000);
  const fail = async (count: number) => {
    await reset.click();
    await expect(async () => {
      await page.clock.runFor(50);
      await expect(list).toHaveCount(count, { timeout: 200 });
      await expect(reset).toBeEnabled({ timeout: 200 });
    }).toPass();
  };

  await fail(1);
  await page.clock.runFor(2_000);
  await expect(list).toHaveCount(1);
  await page.clock.runFor(2_500);
  await expect(list).toHaveCount(0);

  for (const count of [1, 2, 3, 4]) await fail(count);
  await expect(toasts(page).locator('[data-visible=true]')).toHaveCount(3);
  await page.keyboard.press('Alt+KeyT');
  await expect(toasts(page).locator('ol')).toBeFocused();
});

test('the plan is read again when the window gets the focus', async ({ page }) => {
  await page.clock.install();
  await signUp(page);
  for (const path of ['**/api/user/sub', '**/api/user/standing']) {
    const read = page.waitForRequest(path);
    await page.clock.fastForward(61_000);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await read;
  }
});
