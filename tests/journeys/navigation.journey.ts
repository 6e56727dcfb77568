import type { Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { card, createAccount, daysFromNow, expect, test } from './world.ts';

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' });

/** Returns how far the page's heading is from the logo's left edge. */
async function indent(page: Page): Promise<number> {
  const boxes = ['h1', 'header svg'].map((each) => page.locator(each).first().boundingBox());
  const [heading, logo] = await Promise.all(boxes);
  return (heading?.x ?? NaN) - (logo?.x ?? NaN);
}

test('the main pages are links in the header, and at 360 px tabs that do not cover the page’s button', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { hosts: [await world.serve('tabs.navigation.example')] });
  await page.goto('/dashboard');
  for (const name of ['Certificates', 'Alerts', 'Status page', 'Domains']) {
    await main(page).getByRole('link', { name }).click();
    await expect(main(page).locator('[aria-current=page]')).toHaveText(name);
    await expect.poll(() => indent(page)).toBeCloseTo(0, 0);
  }
  await page.goto('/profile');
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await expect.poll(() => indent(page)).toBeCloseTo(0, 0);
  await expect(main(page).locator('[aria-current=page]')).toHaveCount(0);

  for (const width of [720, 900, 960]) {
    await page.setViewportSize({ width, height: 740 });
    await expect(page.getByRole('button', { name: /^Account of/ })).toBeInViewport({ ratio: 1 });
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await main(page).getByRole('link', { name: 'Domains' }).click();
  const add = page.getByRole('button', { name: 'Add Domain' }).last();
  await expect(add).toBeInViewport();
  const [tabs, button] = [await main(page).boundingBox(), await add.boundingBox()];
  expect((tabs?.y ?? 0) + (tabs?.height ?? 0)).toBe(740);
  expect((button?.y ?? 740) + (button?.height ?? 0)).toBeLessThanOrEqual(tabs?.y ?? 0);

  // Cards scroll below the tabs.
  const menu = await page.getByRole('button', { name: /^Actions for / }).boundingBox();
  const [x, y] = [(menu?.x ?? 0) + 20, (menu?.y ?? 0) + 20];
  await page.setViewportSize({ width: 360, height: Math.round(y + 28) });
  const isTab = (point: number[]) =>
    document.elementFromPoint(point[0] ?? 0, point[1] ?? 0)?.closest('[data-tabs]') !== null;
  expect(await page.evaluate(isTab, [x, y])).toBe(true);
});

test('the header has Upgrade, Feedback and the theme down to 640 px; below, the account menu has them', async ({
  page,
  world,
}) => {
  const person = await createAccount(page, world);
  await page.goto('/dashboard');
  const header = page.getByRole('banner');
  const controls = ['Upgrade to Premium', 'Give Feedback', 'Theme'];
  for (const [width, isShown] of [
    [960, true],
    [720, true],
    [640, true],
    [639, false],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    for (const name of controls)
      await expect(header.getByRole('button', { name })).toBeVisible({ visible: isShown });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const menu = await page.getByRole('button', { name: `Account of ${person.name}` }).boundingBox();
    expect((menu?.x ?? NaN) + (menu?.width ?? NaN)).toBeLessThanOrEqual(width);
  }
  await page.getByRole('button', { name: `Account of ${person.name}` }).click();
  for (const item of ['Upgrade to Premium', 'Give Feedback'])
    await expect(page.getByRole('menuitem', { name: item })).toBeVisible();
  await expect(page.getByRole('menuitemradio', { name: 'Dark' })).toBeVisible();
});

test('the link to the Alerts page says when a channel does not work', async ({ page, world }) => {
  await page.route('**/api/user/standing', async (route) => {
    const { data } = (await (await route.fetch()).json()) as { data: object };
    await route.fulfill({ json: { data: { ...data, dead_channels: 1 } } });
  });
  await createAccount(page, world);
  await page.goto('/profile');
  await expect(main(page).getByRole('link', { name: 'Alerts (a channel does not work)' })).toBeVisible();
  await expectAccessible(page);
});

test('the command palette opens, pauses and adds domains, filters the list and opens pages by keyboard', async ({
  page,
  world,
}) => {
  const notAfter = new Date(daysFromNow(60));
  const host = await world.serve('pay.palette.example', { notAfter: notAfter.getTime() });
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/profile');
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  const palette = page.getByRole('dialog', { name: 'Commands' });
  const input = palette.getByRole('combobox');
  const open = async () => {
    await page.keyboard.press('Control+K');
    await expect(input).toBeFocused();
  };
  const marked = palette.locator('[aria-selected=true]');

  await test.step('opens and closes, and returns the focus', async () => {
    const opener = page.getByRole('button', { name: 'Commands' });
    await opener.click();
    await expect(input).toBeFocused();
    await expect(marked).toHaveText('Add Domain');
    await palette.getByRole('option', { name: 'More than 14 days left' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await expect(marked).toContainText('More than 14 days left');
    await expect(input).toHaveAttribute('aria-activedescendant', (await marked.getAttribute('id')) ?? '');
    await page.keyboard.press('Control+K');
    await expect(palette).toBeHidden();
    await expect(opener).toBeFocused();
  });

  await test.step('Enter opens a domain even if it is pressed before the search has answered', async () => {
    await open();
    const searched = page.waitForRequest(/domain\/list\?.*sort=worst/);
    await page.keyboard.type('pay.pal');
    await page.keyboard.press('Enter');
    await searched;
    const heading = page.getByLabel(`Details for ${host}`).getByRole('heading', { name: host });
    await expect(heading).toBeFocused();
    // The focus also moves to the panel if the panel is open already.
    await open();
    await page.keyboard.type('pay.pal');
    await page.keyboard.press('Enter');
    await expect(heading).toBeFocused();
  });

  await test.step('the palette finds and carries out settings, themes, exports and checks', async () => {
    await open();
    await page.keyboard.type('dark');
    await page.keyboard.press('Enter');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await open();
    await page.keyboard.type('check now');
    await page.keyboard.press('Enter');
    await expect(input).toHaveValue('refresh ');
    await page.keyboard.press('Enter');
    await expect(page.getByText(`Checking ${host} …`)).toBeVisible();
    await open();
    await page.keyboard.type('export');
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(file.suggestedFilename()).toMatch(/domains.*\.csv$/);
    for (const [text, heading] of [
      ['security', 'Password'],
      ['channels', 'Channels'],
    ] as const) {
      await open();
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await expect(page.getByRole('heading', { name: heading, exact: true })).toBeFocused();
    }
  });

  await test.step('a chosen month filters the list until the button with the month is pressed', async () => {
    const name = notAfter.toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    await open();
    await page.keyboard.type(`expiring in ${name.toLowerCase()}`);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`expires=${notAfter.toISOString().slice(0, 7)}`));
    await expect(card(page, host)).toBeVisible();
    await page.getByRole('button', { name: `Expiring in ${name} (UTC): show every date` }).press('Enter');
    await expect(page).not.toHaveURL(/expires=/);
    await page.goto('/dashboard?expires=2001-01');
    await expect(page.getByText('No certificate expires in January 2001 (UTC).')).toBeVisible();
    await page.getByRole('button', { name: 'Clear' }).press('Enter');
    await expect(card(page, host)).toBeVisible();
  });

  await test.step('a domain is paused and found among the paused ones', async () => {
    await open();
    await page.keyboard.type('pause');
    await page.keyboard.press('Enter');
    await expect(input).toHaveValue('pause ');
    await expect(marked).toContainText(host);
    await page.keyboard.press('Enter');
    await expect(page.getByText(`${host} paused.`)).toBeVisible();
    await open();
    await page.keyboard.type('pause p');
    await expect(palette.getByRole('status')).toHaveText('No active domain matches “p”.');
    await input.fill('paused');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/status=paused/);
  });

  await test.step('a new host is written into the form', async () => {
    await open();
    await page.keyboard.type('new.palette.example');
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'Add New Domain' });
    await expect(form.getByLabel('Host Address')).toHaveValue('new.palette.example');
    await page.keyboard.press('Control+K');
    await expect(palette).toBeHidden();
    await page.keyboard.press('Escape');
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(form).toBeHidden();
  });

  await test.step('a failed search says so and can be retried, at 360 px too', async () => {
    await page.setViewportSize({ width: 360, height: 640 });
    await page.route('**/api/domain/list?*limit*', (route) => route.fulfill({ status: 400 }));
    await page.getByRole('button', { name: 'Commands' }).click();
    await input.fill('tokens');
    await expect(palette.getByRole('alert')).toContainText('Could not search your domains');
    await page.unroute('**/api/domain/list?*limit*');
    await palette.getByRole('button', { name: 'Try again' }).click();
    await expect(palette.getByRole('alert')).toBeHidden();
    await input.press('Enter');
    await expect(page).toHaveURL(/\/profile#api-tokens$/);
  });
});

test('the command palette shows why a domain needs attention instead of its remaining days', async ({
  page,
  world,
}) => {
  const host = await world.serve('wrong.palette.example', { dnsNames: ['parking.palette.example'] });
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/profile');
  await expect(page.getByRole('heading', { level: 1, name: 'Profile' })).toBeVisible();
  await page.getByRole('button', { name: 'Commands' }).click();
  const palette = page.getByRole('dialog', { name: 'Commands' });
  await palette.getByRole('combobox').fill('wrong.pal');
  const option = palette.getByRole('option', { name: host });
  await expect(option).toContainText('Not trusted');
  await expect(option).not.toContainText('days left');
});

test('a panel whose code loads late does not take focus or text from the open command palette', async ({
  page,
  world,
}) => {
  const host = await world.serve('late.palette.example');
  await createAccount(page, world, { hosts: [host] });
  const code = Promise.withResolvers<void>();
  await page.route('**/panel-content-*.js', async (route) => {
    await code.promise;
    await route.continue();
  });
  await page.goto('/dashboard');
  await page.getByRole('link', { name: host, exact: true }).click();
  const panel = page.getByLabel(`Details for ${host}`);
  await expect(panel).toBeVisible();
  await page.keyboard.press('Control+K');
  const input = page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox');
  await expect(input).toBeFocused();
  await page.keyboard.type('pro');
  code.resolve();
  await expect(panel.getByText('Overview')).toBeAttached();
  await page.keyboard.type('file');
  await expect(input).toHaveValue('profile');
  await page.keyboard.press('Escape');
  await expect(panel.getByRole('tab', { name: 'Overview' })).toBeVisible();
});

test('a page that fails to load is replaced inside the shell, which keeps the only main element', async ({
  browser,
  world,
}) => {
  // Uses a context of its own, because the page logs an error that this test expects.
  const context = await browser.newContext({ baseURL: world.app.url });
  const page = await context.newPage();
  await createAccount(page, world);
  await page.route(/\/profile-page-[^/]*\.js$/, (route) => route.abort());
  await page.goto('/profile');
  await expect(page.getByRole('heading', { level: 1, name: 'Could not load this page' })).toBeVisible();
  await expect(main(page)).toBeVisible();
  await expect(page.getByRole('main')).toHaveCount(1);
  await page.setViewportSize({ width: 1440, height: 900 });
  const message = page.getByText('Your monitoring keeps running; only this page is affected.');
  const box = (await message.boundingBox())!;
  expect(Math.abs(box.x + box.width / 2 - 720)).toBeLessThanOrEqual(1);
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(900);
  await context.clearCookies();
  await page.route(/\/signup-page-[^/]*\.js$/, (route) => route.abort());
  await page.goto('/signup');
  await expect(page.getByRole('heading', { level: 1, name: 'Could not load this page' })).toBeVisible();
  await expect(message, 'visitors have no monitoring').toHaveCount(0);
  await context.close();
});

test('the row of filters fades out at each end while there is more beyond it', async ({ page, world }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await createAccount(page, world, { fleet: 120, premium: true });
  const filters = page.getByRole('group', { name: 'Filter by state' });
  const fades = () =>
    filters.evaluate((row) =>
      ['::before', '::after'].map((end) => Number(getComputedStyle(row, end).opacity)),
    );
  await page.goto('/dashboard');
  await expect(filters.getByRole('button', { name: 'All, 120' })).toBeVisible();
  await expect.poll(fades).toEqual([0, 1]);
  await page.goto('/dashboard?status=critical');
  await expect(filters.getByRole('button', { name: /^More: / })).toBeInViewport({ ratio: 1 });
  await expect.poll(fades).toEqual([1, 0]);
});
