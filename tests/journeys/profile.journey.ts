import { mintAuthority } from '../kit/certificates/mint.ts';
import { expectAccessible } from './axe.ts';
import { choose, createAccount, expect, logIn, logOut, loseSession, test } from './world.ts';
import { spec } from '../spec/spec.ts';

test('the chosen font is applied before the first paint, and loaded only if chosen', async ({
  page,
  world,
}) => {
  await createAccount(page, world);
  const fonts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'font') fonts.push(request.url());
  });
  const html = page.locator('html');
  await page.setViewportSize({ width: 360, height: 760 });
  await page.goto('/dashboard');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.evaluate(() => document.fonts.ready);
  expect(fonts.filter((url) => url.includes('manrope'))).toEqual([]);

  await page.goto('/profile');
  await page.getByRole('radio', { name: /Manrope/ }).click();
  await expect(page.getByRole('radio', { name: /Manrope/ })).toBeChecked();
  await expect(html).toHaveAttribute('data-font', 'manrope');
  expect(await page.evaluate(() => localStorage.getItem('font'))).toBe('manrope');
  await expect(page.getByRole('radiogroup', { name: 'Display font' }).getByRole('radio')).toHaveCount(3);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  // The font is set even if the page's scripts do not load.
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.goto('/profile');
  await expect(html).toHaveAttribute('data-font', 'manrope');
  await page.unroute('**/assets/*.js');
  await page.goto('/dashboard');
  const isLoaded = () =>
    page.evaluate(() =>
      [...document.fonts].some(({ family, status }) => /manrope/i.test(family) && status === 'loaded'),
    );
  await expect.poll(isLoaded).toBe(true);
});

test('the time zone is stored in the account, and edits survive a lost session', async ({ page, world }) => {
  const person = await createAccount(page, world);
  await page.goto('/profile');
  const zone = page.getByLabel('Time zone');
  const update = page.getByRole('button', { name: 'Update Profile' });
  await expect(update).toBeDisabled();
  await choose(zone, 'Auckland');
  await expect(page.getByText('Time zone saved.')).toBeVisible();
  await test.step('in a high window, the toast is below a dialog', async () => {
    const size = page.viewportSize()!;
    await page.setViewportSize({ width: 768, height: 1024 });
    await page.getByRole('button', { name: 'Delete Account' }).click();
    const dialog = page.getByRole('alertdialog');
    await expect(async () => {
      const [question, toast] = await Promise.all(
        [dialog, page.locator('[data-sonner-toast]')].map((one) => one.boundingBox()),
      );
      expect(question!.y + question!.height).toBeLessThanOrEqual(toast!.y);
    }).toPass();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.setViewportSize(size);
  });
  await expect(update).toBeDisabled();
  await page.reload();
  await expect(zone).toHaveText('Auckland');
  // The preview shows the time as an email would.
  await expect(page.getByText('Last checked:')).toHaveText(
    /^Last checked: \d+ \w+ \d{4}, \d\d:\d\d GMT\+1[23] \((?:\d+ \w+, )?\d\d:\d\d UTC\)$/,
  );

  await page.getByLabel('Full Name').fill('Alice Berg');
  await loseSession(page, () => update.click());
  await expect(page).toHaveURL(/\/login\?next=%2Fprofile$/);
  await expect(page.getByText('Failed to update: Unauthorized - Refresh token failed')).toBeVisible();
  spec('8.03', '“Unauthorized - Refresh token failed”');
  await logIn(page, person);
  await expect(page).toHaveURL(/\/profile$/);
  await expect(page.getByLabel('Full Name')).toHaveValue('Alice Berg');
  await update.click();
  await expect(page.getByRole('button', { name: 'Account of Alice Berg' })).toBeVisible();

  await test.step('a busy button keeps its width and its name', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/request-password-reset', async (route) => {
      await promise;
      await route.continue();
    });
    const reset = page.getByRole('button', { name: 'Reset Password' });
    const widthNow = async () => (await reset.boundingBox())?.width;
    const before = await widthNow();
    await reset.click();
    await expect(reset).toHaveAttribute('aria-busy', 'true');
    expect(await widthNow()).toBe(before);
    resolve();
    await expect(reset).not.toHaveAttribute('aria-busy');
  });

  await test.step('a logout discards unsaved edits', async () => {
    await page.getByLabel('Company').fill('half a wo');
    await logOut(page);
    await expect(page).toHaveURL(/\/login$/);
    expect(await page.evaluate(() => Object.values(sessionStorage).join())).not.toContain('half a wo');
  });
});

test('a private authority is added, listed and removed', async ({ page, world }) => {
  await createAccount(page, world);
  await page.goto('/profile');
  const row = page.locator('section', { has: page.getByRole('heading', { name: 'Private authorities' }) });
  await row.getByRole('button', { name: 'Add an authority' }).click();
  const pem = row.getByLabel('Certificate in PEM');
  await expect(pem).toBeFocused();
  await pem.fill('not a certificate');
  await row.getByRole('button', { name: 'Add authority' }).click();
  await expect(row.getByRole('alert')).toContainText('Paste a certificate in PEM');
  const authority = mintAuthority({ commonName: 'Moss Internal Root' });
  await pem.fill(authority.issue({ commonName: 'leaf.moss.example' }).certificatePem);
  await row.getByRole('button', { name: 'Add authority' }).click();
  await expect(row.getByRole('alert')).toBeVisible();
  await expectAccessible(page);

  const file = row.getByLabel('File of certificates');
  const choose = (name: string, buffer: Buffer) =>
    file.setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  await pem.fill('');
  const { keyPem } = authority.issue({ commonName: 'leaf.moss.example' });
  await choose('leaf.key', Buffer.from(keyPem));
  await expect(row.getByRole('alert')).toContainText('private key. Nothing was sent');
  await expect(pem).toHaveValue('');
  await choose('root.der', authority.der);
  await expect(row.getByRole('alert')).toHaveCount(0);
  await row.getByRole('button', { name: 'Add authority' }).click();
  await expect(page.getByText('Authority added: your domains now trust it.')).toBeVisible();
  await expect(row.getByRole('listitem')).toContainText('Moss Internal Root');

  await row.getByRole('button', { name: 'Remove the authority Moss Internal Root' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Authority removed: your domains no longer trust it.')).toBeVisible();
  await expect(row.getByRole('listitem')).toHaveCount(0);
  await expect(row.getByRole('button', { name: 'Add an authority' })).toBeFocused();
});

test('an API token is shown once, works, and stops working when it is revoked', async ({
  page,
  context,
  world,
}) => {
  await createAccount(page, world);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/profile#api-tokens');
  const section = page.locator('#api-tokens');
  await expect(section).toContainText('No tokens yet.');
  await expect(section.getByRole('heading')).toBeInViewport();
  const create = section.getByRole('button', { name: 'Create a token' });
  await create.click();
  await section.getByRole('button', { name: 'Cancel' }).click();
  await expect(create).toBeFocused();
  await create.click();
  await expect(section.getByLabel('Name')).toBeFocused();
  await section.getByRole('button', { name: 'Create token' }).click();
  await expect(section.getByText('Enter a name for the token')).toBeVisible();
  await expectAccessible(page);

  await section.getByLabel('Name').fill('Nightly\u0007job');
  await section.getByRole('button', { name: 'Create token' }).click();
  await expect(section.getByLabel('Name')).toHaveAccessibleDescription(/./);
  await expect(section.getByLabel('Name')).toBeFocused();
  await section.getByLabel('Name').fill('Nightly job');
  await choose(section.getByLabel('Expires'), 'In a year');
  await section.getByRole('button', { name: 'Create token' }).click();
  const secret = await section.getByLabel('Your new token').inputValue();
  expect(secret).toMatch(/^clt_[\w-]{43}$/);
  await section.getByRole('button', { name: 'Copy the token' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await section.getByRole('button', { name: 'Done' }).click();
  await expect(create).toBeFocused();
  await page.reload();
  await expect(section).toContainText(`${secret.slice(0, 10)}… · Read`);
  await expect(page.locator('body')).not.toContainText(secret.slice(10));

  const ask = () =>
    page.evaluate(async (token) => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await fetch('/api/domain/list', { headers, credentials: 'omit' })).status;
    }, secret);
  expect(await ask()).toBe(200);
  await page.setViewportSize({ width: 360, height: 760 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await section.getByRole('button', { name: 'Revoke the token Nightly job' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect(section).toContainText('No tokens yet.');
  await expect(create).toBeFocused();
  expect(await ask()).toBe(401);
});

test('the API docs page fits 1440 and 360 px, follows the theme and is accessible', async ({ page }) => {
  // The page contains every call of the API, so axe takes long.
  test.slow();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [360, 'dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await page.goto('/api/docs');
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await page.getByRole('navigation').getByRole('link', { name: 'Domains' }).click();
    await expect(page.getByRole('heading', { name: 'Domains' })).toBeInViewport();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    // Another test measures the contrast of all tokens. Here, axe would show in the dark theme if a token is not defined
    // there.
    await expectAccessible(page, { colours: colorScheme === 'dark' });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  expect(faults).toEqual([]);
});
