import type { Page } from '@playwright/test';
import { spec } from '../spec/spec.ts';
import { card, createAccount, expect, logOut, test } from './world.ts';

const toasts = (page: Page) => page.getByRole('region', { name: /^Notifications/ });

test('the session record is encrypted, renewed by each page load, and removed by a logout', async ({
  page,
  world,
}) => {
  const { email } = await createAccount(page, world);
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  const record = () => page.evaluate(() => sessionStorage.getItem('authToken'));
  const first = await record();
  expect(first).not.toBeNull();
  expect(first).not.toContain(email);
  spec('4S.01', 'At the start a record is looked for under authToken in the session storage');

  await test.step('a reload creates a new record', async () => {
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
    await expect.poll(record).not.toBe(first);
  });
  await test.step('an unreadable record is removed, and the server is asked', async () => {
    await page.evaluate(() => sessionStorage.setItem('authToken', 'nonsense'));
    const asked = page.waitForRequest('**/api/user/me');
    await page.reload();
    await asked;
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
    await expect.poll(record).not.toBe('nonsense');
  });
  await test.step('calls that are answered 401 at the same time share one refresh', async () => {
    await page.context().clearCookies({ name: /session$/ });
    const refreshes: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/auth/refresh')) refreshes.push(request.url());
    });
    await page.goto('/dashboard');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
    expect(refreshes).toHaveLength(1);
  });
  await test.step('a logout removes the record and ends the session at server and provider', async () => {
    const refreshes = countReads(page, /\/api\/auth\/refresh$/);
    const ended = ['/api/auth/logout', '/api/identity/sign-out'].map((path) =>
      page.waitForResponse(`**${path}`),
    );
    await logOut(page);
    expect(await record()).toBeNull();
    expect((await Promise.all(ended)).map((answer) => answer.status())).toEqual([200, 200]);
    await expect(page.getByRole('button', { name: 'Login', exact: true })).toBeVisible();
    expect(refreshes()).toBe(0);
    expect((await page.request.get('/api/user/me')).status()).toBe(401);
    spec('2H.10', '“Log out” ends the session at the server and at the provider, and leads to /login');
  });
});

test('at most three toasts are shown at once, for four seconds, and Alt+T moves the focus to them', async ({
  page,
  world,
}) => {
  await page.clock.install();
  await createAccount(page, world);
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
  spec('9.13', 'The region of the toasts is labelled Notifications');
  const place = await list.first().boundingBox();
  const { width = NaN, height = NaN } = page.viewportSize() ?? {};
  expect(place?.x).toBeGreaterThan(width / 2);
  expect(place?.y).toBeGreaterThan(height / 2);
  spec('9.15', 'Toasts stand at the bottom right');
  await page.clock.runFor(2_000);
  await expect(list).toHaveCount(1);
  await page.clock.runFor(2_500);
  await expect(list).toHaveCount(0);
  spec('9.16', 'A toast stays for 4000 ms');

  for (const count of [1, 2, 3, 4]) await fail(count);
  await expect(toasts(page).locator('[data-visible=true]')).toHaveCount(3);
  spec('9.17', 'At most 3 toasts are visible');
  await page.keyboard.press('Alt+KeyT');
  await expect(toasts(page).locator('ol')).toBeFocused();
  spec('9.14', 'Alt+T leads to the toasts');
});

/** Counts GET requests to a path of the API. */
function countReads(page: Page, path: RegExp): () => number {
  let reads = 0;
  page.on('request', (request) => {
    if (request.method() === 'GET' && path.test(new URL(request.url()).pathname)) reads += 1;
  });
  return () => reads;
}

/** Lets the page record when it requests the plan, by its own clock. Returns a function that reads these times, in ms. */
async function recordPlanReads(page: Page): Promise<() => Promise<number[]>> {
  await page.addInitScript(() => {
    const times: number[] = [];
    const send = window.fetch.bind(window);
    window.fetch = (input, init) => {
      if (new Request(input).url.endsWith('/api/user/sub')) times.push(Date.now());
      return send(input, init);
    };
    Object.assign(window, { planReads: times });
  });
  return () => page.evaluate(() => (window as unknown as { planReads: number[] }).planReads);
}

/** Acts, and returns when the page has processed the response that the act causes. Then the test may move the page's clock. */
async function awaitResponse(page: Page, url: string, act: () => Promise<unknown>): Promise<void> {
  const answered = page.waitForResponse(url);
  await act();
  await (await answered).finished();
  // A later request is processed later, so its answer shows that the first one was processed.
  await page.evaluate(() => fetch('/api/health').then(({ status }) => status));
}

/** Fires the focus event of a window that was already visible. */
const focus = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('focus')));

test('the plan is refetched after 60 seconds, on focus, and on navigation', async ({ page, world }) => {
  await page.clock.install();
  // Live events also cause refetches.
  await page.route('**/api/events', () => undefined);
  const reads = countReads(page, /\/api\/user\/sub$/);
  const readAt = await recordPlanReads(page);
  await createAccount(page, world);
  await awaitResponse(page, '**/api/user/sub', () => page.goto('/dashboard'));
  expect(reads()).toBe(1);

  await test.step('the plan is refetched after 60 seconds', async () => {
    await awaitResponse(page, '**/api/user/sub', () => page.clock.runFor(61_000));
    expect(reads()).toBe(2);
    const [first = NaN, second = NaN] = await readAt();
    expect(second - first).toBeGreaterThanOrEqual(60_000);
    spec('4A.03', 'The plan is read again when it is older than 60 seconds');
  });
  await test.step('the plan is refetched on navigation if it is older than 60 seconds', async () => {
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Profile' }).click();
    await expect(page).toHaveURL(/\/profile$/);
    await expect(page.getByRole('button', { name: 'Update Profile' })).toBeVisible();
    expect(reads()).toBe(2);
    // Shows or hides the tab. A hidden tab does not poll.
    const see = (state: 'hidden' | 'visible') =>
      page.evaluate(
        (now) => Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => now }),
        state,
      );
    await see('hidden');
    await page.clock.fastForward(61_000);
    const old = reads();
    await page.getByRole('banner').getByRole('link', { name: 'Certlantern' }).click();
    await expect(page).toHaveURL(/\/dashboard/);
    await expect.poll(reads).toBe(old + 1);
    spec('9.08', 'The plan and the products are old after 60 seconds');
    await see('visible');
  });
  await test.step('the plan is refetched on focus, after which the page shows Premium', async () => {
    await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeVisible();
    const [product] = (
      (await (await page.request.get('/api/payment/products')).json()) as { data: { price_id: string }[] }
    ).data;
    const post = (path: string, data: object) =>
      page.request.post(path, { data, headers: { origin: world.app.url } });
    const { data: checkout } = (await (
      await post('/api/payment/checkout', { price_id: product?.price_id })
    ).json()) as { data: { price_id: string; reference: string } };
    const { price_id, reference } = checkout;
    expect((await post('/api/payment/test/pay', { price_id, reference })).ok()).toBe(true);
    const before = reads();
    await focus(page);
    await expect.poll(reads).toBeGreaterThan(before);
    spec('4A.04', 'The plan is read again when the window gets the focus');
    await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeHidden();
  });
});

test('a token of the plan that the page refuses counts as Free at once', async ({ page, world }) => {
  await createAccount(page, world);
  await page.route('**/api/user/sub', (route) => route.fulfill({ json: { data: 'nonsense' } }));
  await page.route('**/api/user/standing', (route) => route.abort());
  const reads = countReads(page, /\/api\/user\/sub$/);
  await page.goto('/dashboard');
  await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeVisible();
  expect(reads()).toBe(1);
});

test('products, list and history are cached for 60 seconds, and only products are refetched on focus', async ({
  page,
  world,
}) => {
  // The page's clock stands still: on a busy machine, the steps below may take more than a minute.
  const start = Date.now();
  await page.clock.setFixedTime(start);
  const host = await world.serve('kept.states.example');
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  // The end of the first check changes the history, so that it is read again.
  await expect(card(page, host)).toContainText('days left');
  const products = countReads(page, /\/payment\/products$/);
  const lists = countReads(page, /\/domain\/list$/);
  const histories = countReads(page, /\/history$/);
  const offer = page.getByRole('dialog', { name: 'Supercharge Your Monitoring with Premium' });
  const lookAtOffer = async () => {
    await page.getByRole('banner').getByRole('button', { name: 'Upgrade to Premium' }).click();
    await expect(offer.getByRole('button', { name: /^Start Premium – Only/ })).toBeEnabled();
  };
  const lookAtHistory = async () => {
    await card(page, host).getByRole('link').click();
    const panel = page.getByLabel(`Details for ${host}`);
    // Closing the panel before the answer would cancel the request, and opening it again would send another.
    await expect(panel.getByRole('heading', { name: /^Certificate History/ })).toBeVisible();
    await expect(panel.getByRole('list', { name: 'Names in the certificate' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();
  };
  for (let time = 0; time < 2; time++) {
    await lookAtOffer();
    await page.keyboard.press('Escape');
    await lookAtHistory();
  }
  expect([products(), histories()]).toEqual([1, 1]);
  const read = lists();
  await focus(page);
  await lookAtOffer();
  expect(lists()).toBe(read);
  expect(histories()).toBe(1);
  const known = products();
  await awaitResponse(page, '**/api/payment/products', () => focus(page));
  expect(products()).toBe(known + 1);
  await page.keyboard.press('Escape');
  await expect(offer).toBeHidden();
  await page.clock.setFixedTime(start + 61_000);
  const old = products();
  await lookAtOffer();
  await expect.poll(products).toBeGreaterThan(old);
  await page.keyboard.press('Escape');
  await lookAtHistory();
  await expect.poll(histories).toBeGreaterThan(1);
});
