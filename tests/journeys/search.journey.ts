import type { Page, Request } from '@playwright/test';
import { SEARCHED_ROUTES } from '../kit/product/searched-routes.ts';
import { createAccount, expect, logIn, signUpOnPage, test } from './world.ts';

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

// The router's own tests use all hostile addresses.
for (const next of ['//evil.example', '/\\evil.example', 'javascript:location="https://evil.example"'])
  test(`a login with ${JSON.stringify(next)} as its next address ends on the dashboard`, async ({
    page,
    world,
  }) => {
    const foreign = await foreignRequests(page, world.app.url);
    await page.goto(withSearch('/login', { next }));
    await logIn(page, await createAccount(page, world, { session: false }));
    await expect(page).toHaveURL(`${world.app.url}/dashboard`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(foreign).toEqual([]);
  });

for (const next of ['/dashboard?status=soon&sort=name', '/alerts#channels'])
  test(`a login that ${next} required leads back to it`, async ({ page, world }) => {
    await page.goto(withSearch('/login', { next }));
    await logIn(page, await createAccount(page, world, { session: false }));
    await expect(page).toHaveURL(`${world.app.url}${next}`);
  });

test('a sign-up ignores a next address, even a valid one, and ends on the dashboard', async ({
  page,
  world,
}) => {
  await signUpOnPage(page, withSearch('/signup', { next: '/profile' }));
  await expect(page).toHaveURL(`${world.app.url}/dashboard`);
});

for (const { path, names } of SEARCHED_ROUTES)
  test(`bogus search parameters of ${path} cause no error, no refused call and no foreign request`, async ({
    page,
    world,
  }) => {
    const foreign = await foreignRequests(page, world.app.url);
    await createAccount(page, world);
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
    // The router's own tests use all bogus values.
    for (const value of ['{"a":1}', '\u0000', '//evil.example'])
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
