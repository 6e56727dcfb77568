import type { Page } from '@playwright/test';
import { expect, test } from './world.ts';
import { spec } from '../spec/spec.ts';

interface Watched {
  first: Element | null;
  lost: number;
  shift: number;
}

/** From the first byte on, records whether the headline disappears or changes, and how far the layout shifts. */
async function watchTakeOver(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const watched: Watched = { first: null, lost: 0, shift: 0 };
    Object.assign(window, { watched });
    new MutationObserver(() => {
      const headline = document.querySelector('h1');
      if (watched.first === null) watched.first = headline;
      else if (headline !== watched.first) watched.lost += 1;
    }).observe(document, { childList: true, subtree: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) watched.shift += (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

for (const width of [1440, 360])
  test(`the prerendered landing page does not change when its script loads, at ${width} px`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    await watchTakeOver(page);
    let letScriptsCome = (): void => undefined;
    const late = new Promise<void>((resolve) => (letScriptsCome = resolve));
    await page.route('**/assets/*.js', async (route) => {
      await late;
      await route.continue();
    });
    await page.goto('/landing', { waitUntil: 'commit' });
    const headline = page.getByRole('heading', { level: 1 });
    await expect(headline).toHaveText('Certlantern: Never miss an SSL certificate expiry again.');
    await expect(page.getByRole('heading', { name: 'Pricing' })).toBeAttached();
    await expect(page.getByText('legacy.fjord.example')).toHaveCount(0);

    letScriptsCome();
    await expect(page.getByText('Today', { exact: true }).first()).toBeVisible();
    await page.waitForLoadState('networkidle');
    const { lost, shift, first } = await page.evaluate(() => {
      const { watched } = window as unknown as { watched: Watched };
      return { ...watched, first: watched.first === document.querySelector('h1') };
    });
    expect({ lost, first }).toEqual({ lost: 0, first: true });
    expect(shift).toBeLessThan(0.01);
  });

test('the prerendered login page keeps typed text and submits nothing before its script loads', async ({
  page,
}) => {
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', ({ message }) => problems.push(message));
  let letScriptsCome = (): void => undefined;
  const late = new Promise<void>((resolve) => (letScriptsCome = resolve));
  await page.route('**/assets/*.js', async (route) => {
    await late;
    await route.continue();
  });
  await watchTakeOver(page);
  await page.goto('/login', { waitUntil: 'commit' });
  await page.getByLabel('Email').fill('early@example.test');
  await page.getByLabel('Password', { exact: true }).fill('typed before the script');
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await expect(page.getByRole('button', { name: 'Login', exact: true })).toBeDisabled();

  letScriptsCome();
  await expect(page.getByRole('button', { name: 'Login', exact: true })).toBeEnabled();
  await expect(page).toHaveURL(/\/login$/);
  const { lost, shift } = await page.evaluate(() => (window as unknown as { watched: Watched }).watched);
  expect(lost).toBe(0);
  expect(shift).toBeLessThan(0.01);
  await expect(page.getByLabel('Email')).toHaveValue('early@example.test');
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('typed before the script');
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  await expect(page.getByText(/Failed to login/)).toBeVisible();
  expect(problems.filter((text) => !text.includes('401'))).toEqual([]);

  await page.setViewportSize({ width: 1440, height: 900 });
  const form = await page.locator('main > div').boundingBox();
  expect((form?.x ?? 0) + (form?.width ?? 0) / 2).toBe(720);
});

test('the login page passes a host on to the sign-up link', async ({ page }) => {
  await page.goto('/login?host=later.orchard.example');
  await expect(page.getByRole('link', { name: 'Sign up' })).toHaveAttribute(
    'href',
    '/signup?host=later.orchard.example',
  );
});

test('the landing page has metadata and does not request the config', async ({ page, world }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto('/');
  await expect(page).toHaveURL(/\/landing$/);
  await page.waitForLoadState('networkidle');
  expect(asked).not.toContain('/api/config');
  await expect(page).toHaveTitle('Never miss an SSL certificate expiry · Certlantern');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  const address = new URL('/landing', world.app.url).href;
  await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', address);
  await expect(page.locator('meta[property="og:url"]')).toHaveAttribute('content', address);
  await expect(page.locator('meta[property="og:title"]')).toHaveAttribute('content', await page.title());
  await expect(page.locator('meta[name=description]')).toHaveAttribute(
    'content',
    /Certlantern reads its TLS/,
  );
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`the landing page works without JavaScript, ${colorScheme}`, async ({ browser, world }) => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      colorScheme,
      baseURL: world.app.url,
    });
    const page = await context.newPage();
    await page.goto('/landing');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const grounds = { light: 'oklch(0.984 0.004 240)', dark: 'oklch(0.182 0.041 265)' };
    await expect(page.locator('body')).toHaveCSS('background-color', grounds[colorScheme]);
    // Controls that need JavaScript are hidden.
    for (const dead of ['Features', 'Theme', 'Check'])
      await expect(page.getByRole('button', { name: dead, exact: true })).toBeHidden();
    await expect(page.getByRole('link', { name: 'Start Premium Trial' })).toHaveAttribute(
      'href',
      '/signup?trial=1',
    );
    await expect(page.getByText('This page needs JavaScript.')).toBeHidden();
    await context.close();
  });

test('Features and Pricing scroll to their sections, and Sign Up opens a new tab', async ({ page }) => {
  await page.goto('/landing');
  // The buttons work once the page's code runs. That code also draws the label “Today”.
  await expect(page.getByText('Today', { exact: true }).first()).toBeVisible();
  for (const name of ['Pricing', 'Features']) {
    await page.getByRole('button', { name, exact: true }).click();
    const heading = page.getByRole('heading', { name: name === 'Features' ? 'Key Features' : name });
    await expect(heading).toBeInViewport();
    await expect(heading).toBeFocused();
  }
  spec('2A.03', '“Features” scrolls to the features');
  spec('2A.04', '“Pricing” scrolls to the prices');
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(page.getByRole('banner').getByRole('link', { name: 'Login' })).toBeInViewport();
  const opened = page.waitForEvent('popup');
  await page.getByRole('banner').getByRole('link', { name: 'Sign Up' }).click();
  await expect(await opened).toHaveURL(/\/signup$/);
  spec('2A.05', '“Sign Up” opens /signup in a new tab');
});

test('an unknown address shows a message and has status 404', async ({ page }) => {
  const response = await page.goto('/no/such/page');
  expect(response?.status()).toBe(404);
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('Page not found');
  const [box, size] = [await heading.boundingBox(), page.viewportSize()];
  expect(Math.abs((box?.x ?? 0) + (box?.width ?? 0) / 2 - (size?.width ?? 0) / 2)).toBeLessThan(2);
  expect(Math.abs((box?.y ?? 0) - (size?.height ?? 0) / 2)).toBeLessThan(100);
  await page.getByRole('link', { name: 'Back to the start' }).click();
  await expect(page).toHaveURL(/\/landing$/);
});
