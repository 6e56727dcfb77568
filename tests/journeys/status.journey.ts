import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CALLS } from '../../contract/calls/calls.ts';
import { toasts } from './fault-world.ts';
import { card, createAccount, daysFromNow, expect, removeFromMenu, test } from './world.ts';

test('a status page is visible to visitors from when it is switched on until it is switched off', async ({
  page,
  browser,
  world,
}) => {
  const shop = await world.serve('shop.status.example', { notAfter: daysFromNow(60.5) });
  const inner = await world.serve('inner.status.example', { notAfter: daysFromNow(60.5) });
  await createAccount(page, world, { hosts: [shop, inner], verified: true });
  await page.goto('/dashboard');
  await page.getByRole('link', { name: 'Status page' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Status page');
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeVisible();
  await expect(page.getByText('All changes saved')).toHaveCount(0);
  await page
    .getByRole('button', { name: 'Save and switch on' })
    .or(page.getByRole('button', { name: 'Switch on' }))
    .click();
  await expect(page.getByText('Enter a title')).toBeVisible();
  const slug = `orchard-${process.pid}`;
  await page.getByLabel('Title').fill(`Orchard ${process.pid}`);
  await expect(page.getByLabel('Address', { exact: true })).toHaveValue(slug);
  await expect(page.getByText('Available', { exact: true })).toBeVisible();
  await page.getByRole('radio', { name: /^Chosen/ }).click();
  await page.getByLabel('Add a domain').fill(`https://${shop}/basket`);
  await page.getByLabel('Add a domain').press('Enter');
  await page.getByLabel(`Name of ${shop} on the page`).fill('The shop');
  const preview = page.getByRole('group', { name: 'Preview' });
  await expect(preview.getByRole('listitem')).toHaveText([/The shop.*Up/]);
  await page.getByRole('button', { name: 'Save and switch on' }).click();
  const link = page.getByRole('link', { name: new RegExp(`/status/${slug}`) });
  await expect(link).toBeFocused();

  const context = await browser.newContext({ baseURL: world.app.url, locale: 'de-DE' });
  const stranger = await context.newPage();
  const answer = await stranger.goto(`/status/${slug}`);
  expect(answer?.headers()['x-robots-tag']).toBe('noindex');
  await expect(stranger).toHaveTitle(new RegExp(`^Orchard ${process.pid} ·`));
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText(`Orchard ${process.pid}`);
  await expect(stranger.getByText('The shop is up')).toBeVisible();
  await expect(stranger.getByText('60 days left')).toBeVisible();
  await expect(stranger.locator('body')).not.toContainText('status.example');
  await expect(stranger.getByText(/^Updated/).locator('time')).toHaveAttribute(
    'title',
    /^\d+\. \p{Letter}+ \d{4} um \d\d:\d\d UTC$/u,
  );
  expect(await context.cookies()).toEqual([]);

  await test.step('the day strip can be read day by day with the keyboard', async () => {
    const days = stranger.getByRole('slider', { name: 'Days of The shop' });
    await days.press('End');
    await expect(days).toHaveAttribute('aria-valuetext', /: No downtime$/);
    for (const key of ['ArrowLeft', 'Home']) {
      await days.press(key);
      await expect(days).toHaveAttribute('aria-valuetext', /: No data$/);
    }
    // The Free plan keeps seven days, but a strip always has ninety.
    await expect(days).toHaveAttribute('aria-valuemax', '89');
    await expect(
      stranger.getByRole('img', { name: 'Last 90 days: 0 days with downtime, 89 days without data' }),
    ).toBeVisible();
    await expect(stranger.getByText('100% uptime over 1 day')).toBeVisible();
  });

  await test.step('the feed that the status page links to can be read', async () => {
    const feed = stranger.getByRole('link', { name: 'Atom feed' });
    const href = await feed.evaluate((link: HTMLAnchorElement) => link.href);
    await expect(stranger.locator('link[type="application/atom+xml"]')).toHaveAttribute('href', href);
    const root = await stranger.evaluate(async (url) => {
      const text = await (await fetch(url)).text();
      return new DOMParser().parseFromString(text, 'application/xml').documentElement.tagName;
    }, href);
    expect(root).toBe('feed');
  });

  await test.step('the page prints in light colours and without controls', async () => {
    await stranger.emulateMedia({ colorScheme: 'dark' });
    await expect(stranger.locator('html')).toHaveCSS('color-scheme', 'dark');
    await stranger.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await expect(stranger.locator('html')).not.toHaveCSS('color-scheme', 'dark');
    await expect(stranger.getByRole('link', { name: 'Atom feed' })).toBeHidden();
    await expect(stranger.getByText('The shop is up')).toBeVisible();
    await stranger.emulateMedia({ media: 'screen' });
  });

  await test.step('a switch is saved at once, and a text with the button', async () => {
    await page.getByLabel('Title').fill('Not saved yet');
    await page.getByLabel('Certificates').uncheck();
    await expect(page.getByText('Status page saved.')).toBeVisible();
    await stranger.reload();
    await expect(stranger.getByRole('heading', { level: 1 })).toHaveText(`Orchard ${process.pid}`);
    await expect(stranger.getByText('60 days left')).toHaveCount(0);
    await expect(page.getByText('Unsaved changes')).toBeVisible();
    await page.getByLabel('Title').fill(`Orchard ${process.pid}`);
    await expect(page.getByText('All changes saved')).toBeVisible();
  });

  await test.step('a complete choice of domains is saved at once, an incomplete one is not saved', async () => {
    const sent = () => page.waitForResponse('**/api/status-page');
    await page.getByRole('button', { name: `Remove ${shop} from the page` }).click();
    await expect(page.getByText('Not saved yet. Add at least one domain.')).toBeVisible();
    await stranger.reload();
    await expect(stranger.getByText('The shop is up')).toBeVisible();
    await Promise.all([sent(), page.getByRole('radio', { name: /^All/ }).click()]);
    await expect(page.getByText('All changes saved')).toBeVisible();
    await page.getByRole('radio', { name: /^Chosen/ }).click();
    await expect(page.getByText('Unsaved changes')).toBeVisible();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByLabel('Add a domain')).toBeFocused();
    await expect(page.getByLabel('Add a domain')).toHaveAccessibleDescription('Add at least one domain.');
    await page.getByLabel('Add a domain').fill(inner);
    await Promise.all([sent(), page.getByLabel('Add a domain').press('Enter')]);
    await expect(page.getByText('All changes saved')).toBeVisible();
    await stranger.reload();
    await expect(stranger.getByText(`${inner} is up`)).toBeVisible();
  });

  await page.getByRole('button', { name: 'Switch off' }).click();
  await expect(page.getByText('Nobody can see the page.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Switch on' })).toBeFocused();
  expect((await stranger.reload())?.status()).toBe(404);
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('Page not found');
  await context.close();

  await test.step('leaving the settings with unsaved changes asks first', async () => {
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await page.getByLabel('Title').fill('Another title');
    await page.goBack();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByLabel('Title')).toHaveValue('Another title');
    await page.goBack();
    await question.getByRole('button', { name: 'Leave' }).click();
    await expect(page).toHaveURL(/\/dashboard/);
  });
});

test('a status page that a visitor has open says when it was switched off', async ({
  page,
  browser,
  world,
}) => {
  await createAccount(page, world, { verified: true });
  const slug = `moss-${process.pid}`;
  await page.goto('/status-page');
  await page.getByLabel('Title').fill(`Moss ${process.pid}`);
  await page.getByRole('button', { name: 'Save and switch on' }).click();
  await expect(page.getByRole('button', { name: 'Switch off' })).toBeVisible();
  const context = await browser.newContext({ baseURL: world.app.url });
  const stranger = await context.newPage();
  await stranger.clock.install();
  await stranger.goto(`/status/${slug}`);
  await expect(stranger.getByText('This page shows no domains yet')).toBeVisible();
  await page.getByRole('button', { name: 'Switch off' }).click();
  await expect(page.getByText('Nobody can see the page.')).toBeVisible();
  await stranger.clock.runFor(60_000);
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('Page not found');
  await context.close();
});

test('a domain’s badge loads on another site until it is switched off', async ({ page, browser, world }) => {
  const host = await world.serve('badge.status.example', { notAfter: daysFromNow(45.5) });
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  await page.getByRole('link', { name: host, exact: true }).click();
  const panel = page.getByLabel(`Details for ${host}`);
  await panel.locator('summary', { has: page.getByRole('heading', { name: 'Badge', exact: true }) }).click();
  await panel.getByRole('button', { name: 'Create badge' }).click();
  await expect(panel.getByRole('button', { name: 'Copy Markdown' })).toBeFocused();
  await expect(panel.getByRole('img', { name: /^Current badge of/ })).toHaveJSProperty('complete', true);
  const snippet = (await panel.locator('code').filter({ hasText: '/badge/' }).textContent()) ?? '';
  const [, url = ''] = /\((http\S+\.svg)\)$/.exec(snippet) ?? [];

  // Another origin: the product's headers must not block the image there.
  const readme = createServer((_, answer) =>
    answer
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><html lang="en"><title>A README</title><img alt="badge" src="${url}">`),
  );
  await new Promise<void>((listening) => readme.listen(0, '127.0.0.1', listening));
  const context = await browser.newContext();
  const elsewhere = await context.newPage();
  const show = async () => {
    await elsewhere.goto(`http://127.0.0.1:${(readme.address() as AddressInfo).port}/`);
    return elsewhere.getByRole('img').evaluate((image: HTMLImageElement) => image.naturalWidth);
  };
  expect(await show()).toBeGreaterThan(100);
  await panel.getByRole('button', { name: 'Switch off' }).click();
  await expect(panel.getByRole('button', { name: 'Create badge' })).toBeFocused();
  expect(await show()).toBe(0);
  await context.close();
  readme.close();
});

test('if another tab deletes a domain, the status page settings report it if it is not saved yet, and else remove it', async ({
  page,
  context,
  world,
}) => {
  const hosts = ['shop', 'inner', 'late'].map((name) => world.serve(`${name}.left.example`));
  const [shop = '', inner = '', late = ''] = await Promise.all(hosts);
  await createAccount(page, world, { hosts: [shop, inner, late], verified: true });
  await page.goto('/status-page');
  await page.getByLabel('Title').fill(`Left ${process.pid}`);
  await page.getByRole('radio', { name: /^Chosen/ }).click();
  const add = page.getByLabel('Add a domain');
  for (const host of [shop, inner, late]) {
    await add.fill(host);
    await add.press('Enter');
    await expect(page.getByLabel(`Name of ${host} on the page`)).toBeVisible();
  }
  const second = await context.newPage();
  await second.goto('/dashboard');
  const remove = async (host: string) => {
    await (await removeFromMenu(second, host)).click();
    await expect(card(second, host)).toHaveCount(0);
  };
  await remove(late);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(add).toHaveAccessibleDescription(`You no longer track ${late}. Remove it from the page.`);
  await expect(add).toBeFocused();
  await expect(toasts(page).getByText('Could not save')).toHaveCount(0);
  await page.getByRole('button', { name: `Remove ${late} from the page` }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('All changes saved')).toBeVisible();

  await remove(inner);
  await page.getByLabel(`Name of ${shop} on the page`).fill('The shop');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('All changes saved')).toBeVisible();
  await expect(page.getByLabel(`Name of ${inner} on the page`)).toHaveCount(0);
  await expect(page.getByLabel(`Name of ${shop} on the page`)).toHaveValue('The shop');
});

test('the preview of a long status page scrolls on its own, so that the settings stay short', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { fleet: 60, premium: true, verified: true });
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/status-page');
    const preview = page.getByRole('group', { name: 'Preview' });
    await expect(preview.getByRole('listitem')).toHaveCount(60);
    expect((await preview.boundingBox())!.height).toBeLessThan(900);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(4_000);
  }
  await test.step('its heading stays below the header of the page at the end of the settings', async () => {
    for (const height of [600, 800]) {
      await page.setViewportSize({ width: 1200, height });
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      const heading = page.getByRole('heading', { name: 'Preview', exact: true });
      const bottom = await page
        .getByRole('banner')
        .evaluate((header) => header.getBoundingClientRect().bottom);
      await expect.poll(async () => (await heading.boundingBox())?.y).toBeGreaterThan(bottom);
    }
  });
});

test('in a narrow window, Save stands above the tabs, and leaving while a choice is being saved does not ask', async ({
  page,
  world,
}) => {
  const person = await createAccount(page, world, { verified: true });
  await person.ask(CALLS.saveStatusPage, { body: { title: 'Leaving', slug: `leaving-${process.pid}` } });
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto('/status-page');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const tabs = page.getByRole('navigation');
  await expect(save).toBeVisible();
  const [above, below] = await Promise.all([save.boundingBox(), tabs.boundingBox()]);
  expect(above!.y + above!.height).toBeLessThanOrEqual(below!.y);

  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/status-page', async (route, request) => {
    if (request.method() === 'PATCH') await released;
    await route.continue();
  });
  await page.getByLabel('Uptime').uncheck();
  await page.getByRole('link', { name: 'Alerts', exact: true }).click();
  await expect(page).toHaveURL(/\/alerts/);
  release();
  await expect(toasts(page).getByText('Status page saved.')).toBeVisible();
  expect((await person.ask(CALLS.statusPage)).ok.data.show_uptime).toBe(false);
});
