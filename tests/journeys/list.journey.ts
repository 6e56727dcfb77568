import type { Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { createAccount, expect, test } from './world.ts';

const MANY = 2000;

const host = (page: Page, number: number) =>
  page.getByRole('link', { name: new RegExp(`^host-${String(number).padStart(5, '0')}\\.\\w+\\.example$`) });
const filters = (page: Page) => page.getByRole('group', { name: 'Filter by state' });
const filter = (page: Page, name: string | RegExp) => filters(page).getByRole('button', { name });
const toolbarBottom = async (page: Page) => {
  const { y = 0, height = 0 } = (await page.locator('[data-toolbar]').boundingBox()) ?? {};
  return y + height;
};
const cards = (page: Page) => page.getByRole('list', { name: 'Domains' }).getByRole('listitem');

test('the headline, the links to the most urgent domains, the filter and the list show the same domains, and the toolbar stays in view', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { fleet: 120, premium: true });
  await test.step('a skeleton shows before any script has loaded', async () => {
    await page.route(/\.js$/, (route) => route.abort());
    await page.goto('/dashboard');
    await expect(page.getByText('Loading your domains')).toBeVisible();
    await expectAccessible(page);
    await page.unroute(/\.js$/);
  });
  await test.step('the page below the skeleton is hidden, so that no landmark is there twice', async () => {
    // Makes the page ask the server who is signed in. It shows an empty page until it knows.
    await page.evaluate(() => sessionStorage.clear());
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/**', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto('/dashboard');
    await expect(page.locator('#root main')).toBeAttached();
    await expect(page.getByRole('main')).toContainText('Loading your domains');
    await expectAccessible(page);
    release();
    await expect(page.locator('[data-skeleton]')).toHaveCount(0);
    await page.unroute('**/api/**');
  });
  await page.goto('/dashboard');
  await expect(page.locator('[data-skeleton]')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    '12 certificates need attention, 9 this week',
  );
  const urgent = page.getByRole('list', { name: 'Most urgent' }).getByRole('link');
  await expect(urgent).toHaveText([/^host-\d+\.\w+\.example· expired$/, /expired$/, /expired$/]);

  await test.step('an urgent link opens its panel and gets the focus back', async () => {
    await urgent.first().focus();
    await page.keyboard.press('Enter');
    await expect(page.getByLabel(/^Details for host-00/)).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(urgent.first()).toBeFocused();
  });

  await test.step('the button “Show all” filters by Needs attention', async () => {
    await page.getByRole('button', { name: 'Show all 12' }).click();
    await expect(page).toHaveURL(/status=attention/);
    await expect(filter(page, 'Needs attention, 12')).toHaveAttribute('aria-pressed', 'true');
    await expect(filter(page, 'Expiring, 12')).toBeVisible();
    await expect(filter(page, 'Problems, 0')).toBeVisible();
    await expect(cards(page)).toHaveCount(12);
    await expect(page.getByRole('button', { name: 'Sort: Worst first' })).toBeVisible();
    const names = await urgent.evaluateAll((links) => links.map((link) => link.getAttribute('title') ?? '?'));
    for (const [place, name] of names.entries()) await expect(cards(page).nth(place)).toContainText(name);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await expect(filters(page)).toBeInViewport();
  });

  await test.step('an address in the old format selects a filter under More', async () => {
    await page.goto('/dashboard?status=critical');
    await filter(page, 'More: 0–7 days left, 6').click();
    await page.getByRole('menuitemradio', { name: 'Expired · 3' }).click();
    await expect(page).toHaveURL(/status=expired/);
    await expect(cards(page)).toHaveCount(3);
  });
});

test('search, filter, order and view of the dashboard are in the address, and Back restores them', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { fleet: 120, premium: true });
  await page.goto('/dashboard');
  await expect(host(page, 119)).toBeVisible();
  await expect(filter(page, 'All, 120')).toHaveAttribute('aria-pressed', 'true');

  await filter(page, /^Expiring/).click();
  await expect(page).toHaveURL(/status=expiring/);
  await expect(cards(page)).toHaveCount(12);
  await page.getByRole('button', { name: 'List', exact: true }).click();
  await expect(page.getByRole('table', { name: 'Domains' })).toHaveAttribute('aria-rowcount', '13');
  await page.goBack();
  await page.goBack();
  await expect(page).not.toHaveURL(/status=/);
  await expect(host(page, 119)).toBeVisible();

  const sortBy = async (name: string) => {
    await page.getByRole('button', { name: /^Sort/ }).click();
    await page.getByRole('menuitemradio', { name }).click();
  };
  await sortBy('Worst first');
  await page.goto('/dashboard?view=grid');
  await expect(page.getByRole('button', { name: 'Sort: Worst first' })).toBeVisible();
  await expect(cards(page).first()).toContainText('Expired');
  await sortBy('By name');
  await expect(host(page, 0)).toBeVisible();

  await page.keyboard.press('/');
  await page.keyboard.type('host-0007');
  await expect(page).toHaveURL(/q=host-0007/);
  await expect(host(page, 70)).toBeVisible();
  await expect(page.getByText('10 hits')).toBeVisible();
  await expect(page.getByRole('link', { name: /^host-00000.*, not in the list below$/ })).toBeAttached();
  const dimmedBars = page.getByRole('link', { name: /certificates expire on .*, not in the list below$/ });
  await expect(dimmedBars.first()).toBeAttached();
  await expect(host(page, 0)).toHaveCount(0);
  await page.keyboard.type('git');
  await expect(page.getByText('No domain matches “host-0007git”.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(host(page, 0)).toBeVisible();
  await expect(page).not.toHaveURL(/q=/);

  await page.reload();
  await expect(page.getByRole('button', { name: 'Sort: By name' })).toBeVisible();
});

test('2,000 domains are loaded page by page while scrolling, and the focused row keeps the focus', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { fleet: MANY, premium: true });
  const pages = new Set<string | null>();
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname === '/api/domain/list') pages.add(url.searchParams.get('page'));
  });
  await page.goto('/dashboard?view=list');
  const table = page.getByRole('table', { name: 'Domains' });
  await expect(table).toHaveAttribute('aria-rowcount', String(MANY + 1));
  await host(page, MANY - 3).focus();
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await expect(host(page, 0)).toBeVisible();
  await expect(host(page, MANY - 3)).toBeFocused();
  await expect.poll(() => table.getByRole('row').count()).toBeLessThan(80);
  expect(pages.size).toBeLessThan(8);

  await test.step('at least 15 rows fit into a window that is 900 px high', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 4));
    await expect
      .poll(async () => {
        const bottom = await toolbarBottom(page);
        const boxes = await table
          .locator('tr[data-row]')
          .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().toJSON() as DOMRect));
        return boxes.filter((box) => box.top >= bottom - 1 && box.bottom <= 901).length;
      })
      .toBeGreaterThanOrEqual(15);
  });

  await test.step('a page that fails to load shows an error and can be loaded again', async () => {
    await page.route('**/api/domain/list?page=20*', (route) => route.fulfill({ status: 404, json: {} }));
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2));
    const again = table.getByRole('button', { name: 'Try again' }).first();
    await expect(table).toContainText('Failed to get me.');
    await page.unroute('**/api/domain/list?page=20*');
    await again.click();
    await expect(table).not.toContainText('Failed to get me.');
  });

  await test.step('a deep link opens the panel of a row that is not loaded', async () => {
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await host(page, 1).click();
    await expect(page).toHaveURL(/domain=/);
    await page.reload();
    await expect(page.getByLabel(/^Details for host-00001/)).toBeVisible();
    await page.goto('/dashboard?domain=00000000-0000-4000-8000-000000000000');
    await expect(page.getByText('This domain is no longer in your list.')).toBeVisible();
    await expect(page).not.toHaveURL(/domain=/);
  });
});

test('keyboard shortcuts move, open, remove, filter and sort on the dashboard, and can be switched off', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { fleet: 120, premium: true });
  await page.goto('/dashboard');
  await expect(host(page, 119)).toBeVisible();
  await page.keyboard.press('j');
  await expect(host(page, 119)).toBeFocused();
  // Goes beyond the rows that are loaded.
  for (let step = 0; step < 55; step += 1) await page.keyboard.press('j');
  await expect(host(page, 64)).toBeFocused();
  await expect(host(page, 64)).toBeInViewport();
  await page.keyboard.press('k');
  await expect(host(page, 65)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel(/^Details for host-00065/)).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.getByLabel(/^Details for host-00064/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(host(page, 64)).toBeFocused();

  await page.keyboard.press('Delete');
  await expect(page.getByRole('alertdialog')).toContainText('host-00064');
  await page.keyboard.press('Escape');
  await page.keyboard.press('v');
  await expect(page.getByRole('table', { name: 'Domains' })).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.locator('tr :focus')).toHaveCSS('outline-style', 'solid');
  await page.keyboard.press('s');
  await expect(page.getByRole('button', { name: 'Sort: Soonest first' })).toBeVisible();
  await page.keyboard.press('2');
  await expect(filter(page, /^Needs attention/)).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('6');
  await expect(filter(page, 'More: Revoked, 0')).toBeVisible();
  await page.keyboard.press('1');
  await expect(filter(page, /^All/)).toHaveAttribute('aria-pressed', 'true');

  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(help).toBeVisible();
  await expect(help.getByRole('definition').filter({ hasText: 'Shift+→' })).toHaveText('Shift+←Shift+→');
  await help.getByLabel('Single-key shortcuts').uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('grid, list and search fit into a window that is 320 px wide', async ({ page, world }) => {
  await page.setViewportSize({ width: 320, height: 800 });
  await createAccount(page, world, { fleet: 60, premium: true });
  for (const view of ['grid', 'list']) {
    await page.goto(`/dashboard?view=${view}`);
    await expect(host(page, 59)).toBeVisible();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  }
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page.getByRole('searchbox', { name: 'Find a domain' })).toBeFocused();
});

test('a late answer to one addition does not close the form opened for the next domain', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { fleet: 1, premium: true });
  await page.goto('/dashboard');
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/domain/add', async (route) => {
    await held;
    await route.continue();
  });
  const dialog = page.getByRole('dialog', { name: 'Add New Domain' });
  await page.getByRole('button', { name: 'Add Domain' }).click();
  await page.getByLabel('Host Address').fill(world.dead('slow.moss.example'));
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Add Domain' }).click();
  await page.getByLabel('Host Address').fill('next.moss.example');
  release?.();
  await expect(
    page.getByRole('link', { name: 'slow.moss.example:1', exact: true, includeHidden: true }),
  ).toHaveCount(1);
  await expect(dialog).toBeVisible();
  await expect(page.getByLabel('Host Address')).toHaveValue('next.moss.example');
});

test('the panel adds no history entry, leaves its row in its place, and closes when its domain is removed', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { fleet: 60, premium: true });
  await page.goto('/profile');
  await page.goto('/dashboard?sort=name&view=list');
  await expect(host(page, 3)).toBeVisible();
  await page.evaluate(() => window.scrollTo(0, 150));
  const place = () => host(page, 3).evaluate((link) => Math.round(link.getBoundingClientRect().top));
  const before = await place();
  await host(page, 3).click();
  await expect(page).toHaveURL(/domain=/);
  await expect(page.getByRole('complementary')).toBeVisible();
  await expect.poll(place).toBe(before);
  await page.mouse.move(300, 500);
  await page.mouse.wheel(0, -60);
  await expect.poll(place).toBe(before + 60);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(page).not.toHaveURL(/domain=/);
  await expect(page.getByRole('complementary')).toHaveCount(0);
  await expect.poll(place).toBe(before + 60);
  await page.goBack();
  await expect(page).toHaveURL(/profile/);

  await page.goForward();
  await host(page, 4).click();
  const id = new URL(page.url()).searchParams.get('domain');
  // Wait until everything that the panel reads has arrived: a request during the removal may be refused.
  await page.waitForLoadState('networkidle');
  const refused: string[] = [];
  page.on('response', (response) => response.status() === 404 && refused.push(response.url()));
  await page.evaluate(
    (gone) =>
      fetch(`/api/domain/${gone}`, { method: 'DELETE', headers: { 'content-type': 'application/json' } }),
    id,
  );
  await expect(page).not.toHaveURL(/domain=/);
  await expect(host(page, 4)).toHaveCount(0);
  await expect(page.getByText('This domain is no longer in your list.')).toHaveCount(0);
  expect(refused).toEqual([]);
});

test('the list can be grouped by tag, issuer or state, and an opened group shows its domains', async ({
  page,
  world,
}) => {
  // Of each fifty, one has expired, two end within a week and one within two weeks; every seventh has the tag “shop”.
  await createAccount(page, world, { fleet: 60, premium: true });
  await page.goto('/dashboard?view=list');
  const table = page.getByRole('table', { name: 'Domains' });
  const expectDomains = (count: number) => expect(table).toHaveAttribute('aria-rowcount', String(count + 1));
  const group = (name: RegExp) => page.getByRole('heading', { level: 3 }).getByRole('button', { name });
  const groupBy = async (name: string) => {
    await page.getByRole('button', { name: /^Sort: / }).click();
    await page.getByRole('menuitemradio', { name, exact: true }).click();
  };

  await test.step('by tag: the groups are closed until one is chosen', async () => {
    await groupBy('Tag');
    await expect(page).toHaveURL(/group=tag/);
    await expect(page.getByRole('heading', { level: 3 })).toHaveText([/^No tag51 domains/, /^shop9 domains/]);
    await expect(table).toBeHidden();
    await group(/^shop/).press('Enter');
    await expect(page).toHaveURL(/tag=shop/);
    await expect(group(/^shop/)).toHaveAttribute('aria-expanded', 'true');
    await expectDomains(9);
    await group(/^No tag/).click();
    await expect(group(/^shop/)).toHaveAttribute('aria-expanded', 'false');
    await expectDomains(51);
    await group(/^No tag/).click();
    await expect(table).toBeHidden();
    await expect(page).not.toHaveURL(/without=|tag=/);
  });

  await test.step('by issuer, within what the other filters show', async () => {
    await groupBy('Issuer');
    await expect(page.getByRole('heading', { level: 3 })).toHaveText([
      /^DigiCert20 domains/,
      /^Google Trust Services20 domains/,
      /^Let’s Encrypt20 domains/,
    ]);
    await group(/^DigiCert/).click();
    await expectDomains(20);
    await page.getByRole('searchbox').fill('host-0000');
    await expect(group(/^DigiCert/)).toHaveAccessibleName(/^DigiCert 3 domains/);
    await expectDomains(3);
    await page.reload();
    await expectDomains(3);
    await page.getByRole('button', { name: 'Clear search' }).click();
    await groupBy('Worst first');
    await group(/^DigiCert/).click();
  });

  await test.step('sorted by worst first, the group with the worst domain comes first', async () => {
    await groupBy('Worst first');
    // The hosts of the first two have expired.
    await expect(page.getByRole('heading', { level: 3 })).toHaveText([/^Google/, /^Let’s/, /^DigiCert/]);
    await group(/^Google/).click();
    await expect(table.getByRole('row').nth(1)).toContainText('Expired');
    await groupBy('Newest first');
  });

  await test.step('by state, in the order of the filters; a filter of several states narrows the groups', async () => {
    await groupBy('State');
    await expect(page).not.toHaveURL(/issuer=/);
    await expect(page.getByRole('heading', { level: 3 })).toHaveText([
      /^Expired2 domains.*2 need attention/,
      /^0–7 days left4 domains/,
      /^8–14 days left2 domains/,
      /^More than 14 days left52 domains$/,
    ]);
    await page.getByRole('button', { name: /^Needs attention/ }).click();
    await expect(page.getByRole('heading', { level: 3 })).toHaveCount(3);
    await group(/^8–14 days/).click();
    await expectDomains(2);
    await expectAccessible(page);
    await groupBy('One list');
    await expect(page.getByRole('heading', { level: 3 })).toHaveCount(0);
    await expectDomains(2);
  });
});
