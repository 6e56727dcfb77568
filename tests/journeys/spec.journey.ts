import type { Page } from '@playwright/test';
import { addHost, card, daysFromNow, expect, signUp, test } from './world.ts';

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

const toasts = (page: Page) => page.getByRole('region', { name: /^Notifications/ });
const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/Oslo' });

test('login and sign-up have the specified words, fields and ways', async ({ page }) => {
  await page.goto('/login');
  await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible();
  await expect(page.getByText('Enter your email and password below to log into your account')).toBeVisible();
  const card480 = await page.locator('form').evaluate((form) => {
    const box = form.parentElement?.closest('div');
    return box?.getBoundingClientRect().width ?? 0;
  });
  expect(card480).toBeLessThanOrEqual(480);
  expect(card480).toBeGreaterThan(380);

  const password = page.getByLabel('Password', { exact: true });
  await password.fill('correct-horse-7');
  await expect(password).toHaveAttribute('type', 'password');
  await page.getByRole('button', { name: /show password/i }).click();
  await expect(password).toHaveAttribute('type', 'text');
  await page.getByRole('button', { name: /(?:hide|show) password/i }).click();
  await expect(password).toHaveAttribute('type', 'password');

  await test.step('the button waits while a login is in progress', async () => {
    await page.getByLabel('Email').fill('nobody@orchard.example');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/identity/sign-in/email', async (route) => {
      await held;
      await route.abort();
    });
    const button = page.getByRole('button', { name: 'Login', exact: true });
    await button.click();
    await expect(button).toBeDisabled();
    release();
    await expect(button).toBeEnabled();
    await expect(
      toasts(page).getByText(
        'Failed to login: The server could not be reached. Your monitoring keeps running.',
      ),
    ).toBeVisible();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  await expect(page.getByText(/^By clicking login/)).toBeVisible();
  await expect(page.getByRole('link', { name: 'Terms of Service' })).toHaveAttribute('href', '/terms');
  await expect(page.getByRole('link', { name: 'Privacy Policy' })).toHaveAttribute('href', '/privacy');
  await expect(page.getByText('New user?')).toBeVisible();
  await page.getByRole('link', { name: 'Sign up' }).click();
  await expect(page).toHaveURL(/\/signup$/);

  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  for (const text of ['Please enter your name', 'Please enter your email', 'Please enter your password'])
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  await page.getByLabel('Email').fill('nobody');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await expect(page.getByText('Invalid email address')).toBeVisible();
  await expect(page.getByText('Password must be at least 7 characters long')).toBeVisible();
  await expect(page.getByLabel('Company')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Terms of Service' })).toHaveAttribute('href', '/terms');
  await expect(page.getByRole('link', { name: 'Privacy Policy' })).toHaveAttribute('href', '/privacy');
  await page.getByText('Have an account?').getByRole('link', { name: 'Login instead' }).click();
  await expect(page).toHaveURL(/\/login$/);
  await expect(page.getByText('Or continue with')).toBeHidden();

  await test.step('Google is offered where it is configured', async () => {
    // With a question in its address the login comes without settings of its own, and asks for them.
    await page.route('**/api/config', async (route) => {
      const answer = await route.fetch();
      const { data } = (await answer.json()) as { data: object };
      const identity = { provider: 'built-in', oidc: [{ id: 'google', name: 'Google' }] };
      await route.fulfill({ json: { data: { ...data, identity } } });
    });
    for (const [address, name] of [
      ['/login?next=%2Fdashboard', 'Sign In with Google'],
      ['/signup', 'Sign Up with Google'],
    ] as const) {
      await page.goto(address);
      await expect(page.getByText('Or continue with')).toBeVisible();
      await expect(page.getByRole('button', { name })).toBeVisible();
    }
  });
});

test('the landing page has the specified sections and words', async ({ page }) => {
  await page.goto('/landing');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Certlantern: Never miss an SSL certificate expiry again.',
  );
  await expect(page.getByRole('main').getByRole('link', { name: 'Sign Up' }).first()).toBeVisible();
  for (const name of [/^SSL Certificate Tracking/, /^Email Notifications/, /^Webhook Support/])
    await expect(page.getByRole('heading', { name })).toBeVisible();
  const footer = page.getByRole('contentinfo');
  for (const [name, address] of [
    ['Terms of Use', /terms-of-use$/],
    ['Privacy Policy', /privacy-policy$/],
  ] as const) {
    await expect(footer.getByRole('link', { name })).toHaveAttribute('href', address);
    await expect(footer.getByRole('link', { name })).toHaveAttribute('target', '_blank');
  }
  await footer.scrollIntoViewIfNeeded();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign Up' })).toBeInViewport();
  await expect(page.getByRole('banner').getByRole('button', { name: /theme/i })).toBeInViewport();
});

test('every legal address shows the one page, at its place', async ({ page }) => {
  for (const [address, place] of [
    ['/terms-of-use', '#terms'],
    ['/terms', '#terms'],
    ['/privacy', '#privacy'],
    ['/privacy-policy', '#privacy'],
    ['/terms#refund', '#refund'],
  ] as const) {
    await page.goto('about:blank');
    await page.goto(address);
    for (const anchor of ['#terms', '#privacy', '#refund']) await expect(page.locator(anchor)).toBeAttached();
    await expect(page.locator(place)).toBeInViewport();
    await expect(page.getByText('January 2025').first()).toBeAttached();
  }
});

test('addresses lead where they should', async ({ page }) => {
  await page.goto('/');
  await expect(page).toHaveURL(/\/landing$/);
  const person = await signUp(page);
  await page.goto('/');
  await expect(page).toHaveURL(/\/dashboard/);
  await page.goto('/no-such-page');
  await expect(page.getByRole('link').first()).toBeVisible();

  await test.step('an empty screen shows while it is asked who is signed in', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/user/me', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('/profile', { waitUntil: 'domcontentloaded' });
    await expect(page.locator('#root, body').first()).toBeAttached();
    expect((await page.locator('body').innerText()).trim()).toBe('');
    release();
    await expect(page.getByLabel('Email')).toHaveValue(person.email);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
  await test.step('a check that fails is logged and counts as nobody', async () => {
    const logged: string[] = [];
    page.on('console', (message) => logged.push(message.text()));
    await page.route('**/api/user/me', (route) => route.fulfill({ status: 400 }));
    await page.goto('/dashboard');
    await expect(page).toHaveURL(/\/login/);
    expect(logged.join()).toContain('Failed to get me.');
  });
});

test('the shell has the specified controls, and its choices last', async ({ page }) => {
  const person = await signUp(page);
  const header = page.getByRole('banner');
  await expect(header.getByRole('link', { name: 'Certlantern' })).toBeVisible();
  await expect(header.getByRole('button', { name: 'Upgrade to Premium' })).toBeVisible();
  await expect(header.getByRole('button', { name: 'Give Feedback' })).toBeVisible();
  await page.getByRole('button', { name: `Account of ${person.name}` }).click();
  for (const name of ['Profile', /^Billing/, 'Log out'])
    await expect(page.getByRole('menuitem', { name })).toBeVisible();
  await page.getByRole('menuitem', { name: 'Profile' }).click();
  await expect(page).toHaveURL(/\/profile$/);

  await page.getByRole('button', { name: /theme/i }).click();
  await expect(page.getByRole('menuitemradio')).toHaveText(['Light', 'Dark', 'System']);
  await expect(page.getByRole('menuitemradio', { name: 'System' })).toBeChecked();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('dark');
  await expect(page.locator('meta[name=theme-color]')).toHaveAttribute('content', '#101a2f');
  await page.getByRole('button', { name: /theme/i }).click();
  await page.getByRole('menuitemradio', { name: 'Light' }).click();
  await expect(page.locator('meta[name=theme-color]')).toHaveAttribute('content', '#ffffff');
});

test('the dashboard adds, shows as cards or rows, and asks before it deletes', async ({ page, world }) => {
  await signUp(page);
  const hosts: string[] = [];
  for (const [name, days] of [
    ['one-day', 1.5],
    ['today', 0.3],
    ['fortnight', 14.5],
  ] as const) {
    hosts.push(
      await world.serve(`${name}.spec.example`, { notBefore: daysFromNow(-60), notAfter: daysFromNow(days) }),
    );
    await addHost(page, hosts.at(-1) ?? '');
  }
  const [oneDay = '', today = '', fortnight = ''] = hosts;

  await test.step('an added domain comes first', async () => {
    await expect(page.locator('[data-domain-id]').first()).toContainText(fortnight);
  });
  await test.step('badges by the day', async () => {
    await expect(card(page, oneDay)).toContainText('Expiring in 1 day');
    await expect(card(page, oneDay)).not.toContainText('1 days');
    await expect(card(page, today)).toContainText('Expiring in 0 days');
    await expect(card(page, fortnight)).toContainText('Expires in 14 days');
    for (const host of hosts) await expect(card(page, host)).toContainText('Active');
  });
  await test.step('the grid has one, two or three columns, and the list short badges', async () => {
    await expect(
      page.getByRole('button', { name: /^Grid/ }).or(page.getByRole('radio', { name: /^Grid/ })),
    ).toBeVisible();
    for (const [width, columns] of [
      [1440, 3],
      [800, 2],
      [500, 1],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await expect
        .poll(() =>
          page
            .locator('li[data-domain-id]')
            .evaluateAll(
              (cards) => new Set(cards.map((each) => Math.round(each.getBoundingClientRect().left))).size,
            ),
        )
        .toBe(columns);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('v');
    await expect(page.getByRole('table')).toBeVisible();
    await expect(page.getByRole('row').filter({ hasText: oneDay })).toContainText('Expiring in 1d');
    await expect(page.getByRole('row').filter({ hasText: fortnight })).toContainText('Expires in 14d');
    await page.keyboard.press('v');
    await expect(card(page, oneDay)).toBeVisible();
  });

  await test.step('the menu and the question', async () => {
    const menu = async (item: string) => {
      await page.getByRole('button', { name: `Actions for ${today}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await menu('Show Details');
    const panel = page.getByLabel(`Details for ${today}`);
    await expect(panel).toBeVisible();
    await panel.getByRole('button', { name: 'Close' }).click();
    await expect(panel).toBeHidden();

    await menu('Remove');
    const question = page.getByRole('alertdialog', { name: 'Are you sure you want to delete this domain?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(question).toBeHidden();
    await expect(card(page, today)).toBeVisible();
    await menu('Remove');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/domain/*', async (route) => {
      await held;
      await route.continue();
    });
    await question.getByRole('button', { name: 'Delete' }).click();
    await expect(question.getByRole('button', { name: 'Processing...' })).toBeVisible();
    release();
    await expect(toasts(page).getByText('Domain deleted successfully')).toBeVisible();
    await expect(question).toBeHidden();
    await expect(card(page, today)).toBeHidden();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  await test.step('the dialog adds by its button too, and clears itself', async () => {
    await page.getByRole('button', { name: 'Add Domain' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add New Domain' });
    const input = dialog.getByLabel('Host Address');
    await expect(input).toHaveAttribute('placeholder', /^[a-z.]+\.[a-z]+$/);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(dialog.getByRole('alert')).toHaveText('Please enter a valid host address');
    await input.fill(`  https://${today}/path?query  `);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(card(page, today)).toBeVisible();
  });
});

test('the panel is 400 px wide, slides for 300 ms, and tells everything of the certificate', async ({
  page,
  world,
}) => {
  await signUp(page);
  const notBefore = daysFromNow(-20);
  const notAfter = daysFromNow(70.5);
  const host = await world.serve('panel.spec.example', {
    notBefore,
    notAfter,
    dnsNames: ['panel.spec.example', 'www.panel.spec.example', 'm.panel.spec.example'],
  });
  await addHost(page, host);
  await expect(card(page, host)).toContainText(/70 ?days left/);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/domain/*/history', async (route) => {
    await held;
    await route.continue();
  });
  await card(page, host).getByRole('link').click();
  const panel = page.getByLabel(`Details for ${host}`);
  await expect(panel.getByText('Loading certificate history...')).toBeVisible();
  release();
  await expect(panel.getByText('Loading certificate history...')).toBeHidden();
  const { width, duration } = await panel.evaluate((element) => ({
    width: element.getBoundingClientRect().width,
    duration: getComputedStyle(element).transitionDuration,
  }));
  expect({ width, duration }).toEqual({ width: 400, duration: '0.3s' });

  for (const name of ['Current Certificate', 'Check Frequency', 'Certificate History'])
    await expect(panel.getByRole('heading', { name: new RegExp(`^${name}`) })).toBeVisible();
  for (const term of ['Issuer', 'Subject', 'Valid From', 'Expires On', 'Last Checked', 'Authority'])
    await expect(panel.getByText(term, { exact: true }).first()).toBeVisible();
  await expect(panel).toContainText('Active');
  await expect(panel).toContainText('Orchard Trust');
  await expect(panel).toContainText('CN=Orchard R1,O=Orchard Trust');
  await expect(panel).toContainText(longDate.format(notBefore));
  await expect(panel).toContainText(longDate.format(notAfter));
  await expect(panel).toContainText(new RegExp(`${longDate.format(Date.now())}.{1,6}\\d{2}:\\d{2}`));
  const names = panel.getByRole('list', { name: 'Names in the certificate' });
  await expect(names.getByText('www.panel.spec.example')).toBeVisible();
  await names.getByRole('button', { name: '+1 more' }).click();
  await expect(names.getByText('m.panel.spec.example', { exact: true })).toBeVisible();

  await test.step('what is revoked says so, on its card and in the panel', async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.route('**/api/domain/list*', async (route) => {
      const answer = await route.fetch();
      const list = (await answer.json()) as { data: object[] };
      const data = list.data.map((domain) => ({ ...domain, is_revoked: true, state: 'revoked' }));
      await route.fulfill({ json: { ...list, data } });
    });
    await page.reload();
    for (const place of [panel, card(page, host)])
      await expect(place.getByText('Revoked', { exact: true }).first()).toBeVisible();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
  await test.step('frequencies of Premium are locked and say why', async () => {
    await expect(panel.getByRole('radio')).toHaveCount(4);
    await expect(panel.getByRole('radio', { name: /^Daily/ })).toBeChecked();
    for (const name of [/^10 min/, /^15 min/, /^Hourly/])
      await expect(panel.getByRole('radio', { name })).toHaveAttribute('aria-disabled', 'true');
    await expect(panel.getByText('Upgrade to premium to customize check frequency.')).toBeVisible();
  });
});

test('the profile resets the password and asks before the account goes', async ({ page }) => {
  const person = await signUp(page);
  await page.goto('/profile');
  await expect(page.getByLabel('Email')).toHaveValue(person.email);
  await expect(page.getByLabel('Email')).not.toBeEditable();
  const update = page.getByRole('button', { name: 'Update Profile' });
  await page.getByLabel('Company').fill('');
  await expect(update).toBeEnabled();
  await page.getByLabel('Full Name').fill('  ');
  await update.click();
  await expect(page.getByText('Please enter your name')).toBeVisible();
  await page.getByLabel('Full Name').fill(person.name);
  await update.click();
  await expect(toasts(page).getByText('User updated successfully')).toBeVisible();
  await expect(update).toBeDisabled();
  await page.getByRole('button', { name: 'Reset Password' }).click();
  await expect(toasts(page).getByText('Password reset email sent.')).toBeVisible();

  await test.step('an account without an address has nowhere to send it', async () => {
    await page.route('**/api/user/me', async (route) => {
      const answer = await route.fetch();
      const { data } = (await answer.json()) as { data: object };
      await route.fulfill({ json: { data: { ...data, email: '' } } });
    });
    await page.reload();
    await page.getByRole('button', { name: 'Reset Password' }).click();
    await expect(toasts(page).getByText('No authenticated user with a valid email.')).toBeVisible();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  await page.getByRole('button', { name: 'Delete Account' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText(
    'Are you sure you want to delete your account? This action cannot be undone.',
  );
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();
});
