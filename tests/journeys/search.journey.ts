import type { Page, Request } from '@playwright/test';
import { BOGUS_VALUES, HOSTILE_ADDRESSES, searchedRoutes } from '../kit/product/searched-routes.ts';
import { expect, logIn, signUp, signUpOnPage, test } from './world.ts';

/** Records requests of the browser to other origins and blocks them. */
async function foreignRequests(page: Page, origin: string): Promise<string[]> {
  const foreign: string[] = [];
  await page.context().route(
    (url) => url.origin !== origin,
    (route) => {
      foreign.push(route.request().url());
      return route.abort();
    },
  );
  return foreign;
}

const withSearch = (path: string, search: Record<string, string>) => `${path}?${new URLSearchParams(search)}`;

test('a login with a hostile next address ends on the dashboard', async ({ page, world }) => {
  test.setTimeout(180_000);
  const foreign = await foreignRequests(page, world.app.url);
  const person = await signUp(page, world);
  for (const next of HOSTILE_ADDRESSES)
    await test.step(JSON.stringify(next), async () => {
      await page.context().clearCookies();
      await page.goto(withSearch('/login', { next }));
      await logIn(page, person);
      await expect(page).toHaveURL(`${world.app.url}/dashboard`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect(foreign).toEqual([]);
    });
});

test('a login leads back to the page that required it', async ({ page, world }) => {
  const person = await signUp(page, world);
  for (const next of ['/profile', '/dashboard?status=soon&sort=name', '/alerts#channels']) {
    await page.context().clearCookies();
    await page.goto(withSearch('/login', { next }));
    await logIn(page, person);
    await expect(page).toHaveURL(`${world.app.url}${next}`);
  }
});

test('a sign-up with a hostile next address ends on the dashboard', async ({ page, world }) => {
  const foreign = await foreignRequests(page, world.app.url);
  for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', '/profile']) {
    await page.context().clearCookies();
    await signUpOnPage(page, withSearch('/signup', { next }));
    await expect(page).toHaveURL(`${world.app.url}/dashboard`);
    expect(foreign).toEqual([]);
  }
});

for (const { path, names } of searchedRoutes())
  test(`bogus search parameters of ${path} are ignored`, async ({ page, world }) => {
    test.setTimeout(180_000);
    const foreign = await foreignRequests(page, world.app.url);
    await signUp(page, world);
    const refused: string[] = [];
    const pending = new Set<Request>();
    page.on('request', (request) => {
      // The event stream never ends.
      if (!request.url().endsWith('/api/events')) pending.add(request);
    });
    page.on('requestfinished', (request) => pending.delete(request));
    page.on('requestfailed', (request) => pending.delete(request));
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    // Every second value, to save time: the router's own tests use all of them.
    const values = [...BOGUS_VALUES.filter((_, index) => index % 2 === 0), '//evil.example'];
    for (const value of values)
      await test.step(JSON.stringify(value), async () => {
        const search = Object.fromEntries([...names, 'unknown'].map((name) => [name, value]));
        pending.clear();
        await page.goto(withSearch(path, search));
        await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
        await expect.poll(() => pending.size).toBe(0);
        await expect(page).not.toHaveURL(/unknown=/);
        await expect(page.locator('[role=alert]:visible')).toHaveCount(0);
        await expect(page.getByText(/could not|failed to/i)).toHaveCount(0);
        expect(refused).toEqual([]);
        expect(foreign).toEqual([]);
      });
  });
