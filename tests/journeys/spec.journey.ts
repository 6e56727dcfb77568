import type { Locator, Page } from '@playwright/test';
import { promise } from '../security/promise.ts';
import { spec } from '../spec/spec.ts';
import { changePublicConfig, createAccount, expect, logIn, logOut, signUpOnPage, test } from './world.ts';

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

const toasts = (page: Page) => page.getByRole('region', { name: /^Notifications/ });

/** Changes properties of `data` in the answers of a call. */
const patchAnswer = (page: Page, url: string, change: object) =>
  page.route(url, async (route) => {
    const answer = await route.fetch();
    const { data } = (await answer.json()) as { data: object };
    await route.fulfill({ json: { data: { ...data, ...change } } });
  });

test('login and sign-up have the specified texts, fields and links', async ({ page }) => {
  await page.goto('/login');
  await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible();
  spec('2R.02', '/login is public');
  spec('2L.03', 'The heading of the login is “Login”');
  await expect(page.getByText('Enter your email and password below to log into your account')).toBeVisible();
  spec('2L.04', 'The login has its subtitle');
  await test.step('the card is centred below the logo', async () => {
    const logo = page.getByRole('main').getByRole('link', { name: 'Certlantern' });
    const form = page.locator('main form').locator('xpath=..');
    const boxes = async () => ({ logo: await logo.boundingBox(), card: await form.boundingBox() });
    const { logo: above, card } = await boxes();
    const middle = (box: { x: number; width: number } | null) => (box ? box.x + box.width / 2 : NaN);
    expect(middle(card)).toBeCloseTo(await page.evaluate(() => document.body.clientWidth / 2), 0);
    expect(middle(above)).toBeCloseTo(middle(card), 0);
    expect((above?.y ?? NaN) + (above?.height ?? NaN)).toBeLessThan(card?.y ?? NaN);
    spec('2L.01', 'The login has a centred layout with the logo above the card');
    expect(card?.width).toBe(480);
    spec('2L.02', 'The login is 480 px wide from the first breakpoint up');
    spec('9.12', 'The login is 480 px wide');
  });

  const password = page.getByLabel('Password', { exact: true });
  await password.fill('correct-horse-7');
  await expect(password).toHaveAttribute('type', 'password');
  await page.getByRole('button', { name: /show password/i }).click();
  await expect(password).toHaveAttribute('type', 'text');
  await page.getByRole('button', { name: /(?:hide|show) password/i }).click();
  await expect(password).toHaveAttribute('type', 'password');
  spec('2L.06', 'The password can be shown and hidden');
  spec('4D.03', 'Sent feedback is cleared, and the password toggles');

  await test.step('the button is disabled while a login is in progress', async () => {
    await page.getByLabel('Email').fill('nobody@orchard.example');
    spec('2L.05', 'The login has a field for the email');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/identity/sign-in/email', async (route) => {
      await held;
      await route.abort();
    });
    const button = page.getByRole('button', { name: 'Login', exact: true });
    await button.click();
    await expect(button).toBeDisabled();
    spec('2L.07', 'The login has the button “Login”');
    spec('2L.08', 'The button waits while a login is in progress');
    release();
    await expect(button).toBeEnabled();
    await expect(
      toasts(page).getByText(
        'Failed to login: The server could not be reached. Your monitoring keeps running.',
      ),
    ).toBeVisible();
    spec('8.07', '“Failed to login: ” and the message; the form can be sent again');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  await expect(page.getByText(/^By clicking login/)).toBeVisible();
  await expect(page.getByRole('link', { name: 'Terms of Service' })).toHaveAttribute('href', '/terms');
  await expect(page.getByRole('link', { name: 'Privacy Policy' })).toHaveAttribute('href', '/privacy');
  spec('2L.12', 'The footer of the login links the terms and the privacy policy');
  await expect(page.getByText('New user?')).toBeVisible();
  await page.getByRole('link', { name: 'Sign up' }).click();
  await expect(page).toHaveURL(/\/signup$/);
  spec('2L.11', '“New user? Sign up” leads to /signup');
  spec('2R.03', '/signup is public');

  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  for (const text of ['Please enter your name', 'Please enter your email', 'Please enter your password'])
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  spec('2S.01', 'Sign-up has a field for the name');
  spec('2S.03', 'Sign-up has fields for email and password');
  spec('2S.04', 'Sign-up has the button “Sign Up”');
  spec('5.05', 'The name is required');
  await page.getByLabel('Email').fill('nobody');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await expect(page.getByText('Invalid email address')).toBeVisible();
  await expect(page.getByText('Password must be at least 7 characters long')).toBeVisible();
  await expect(page.getByLabel('Company')).toHaveValue('');
  await expect(page.getByLabel('Company')).not.toHaveAttribute('aria-invalid', 'true');
  spec('2S.02', 'Sign-up has a field for the company, which may be empty');
  spec('5.06', 'The company is optional; email and password as for the login');
  await expect(page.getByRole('link', { name: 'Terms of Service' })).toHaveAttribute('href', '/terms');
  await expect(page.getByRole('link', { name: 'Privacy Policy' })).toHaveAttribute('href', '/privacy');
  spec('2S.08', 'Sign-up links the terms and the privacy policy');
  spec('2R.08', '/terms is linked from login and sign-up');
  await page.getByText('Have an account?').getByRole('link', { name: 'Login instead' }).click();
  await expect(page).toHaveURL(/\/login$/);
  spec('2S.07', '“Have an account? Login instead” leads to /login');
  await expect(page.getByText('Or continue with')).toBeHidden();

  await test.step('Google is offered if it is configured', async () => {
    await changePublicConfig(page, {
      identity: { provider: 'built-in', oidc: [{ id: 'google', name: 'Google' }] },
    });
    for (const [address, name] of [
      ['/login', 'Sign In with Google'],
      ['/signup', 'Sign Up with Google'],
    ] as const) {
      await page.goto(address);
      await expect(page.getByText('Or continue with')).toBeVisible();
      await expect(page.getByRole('button', { name })).toBeVisible();
    }
    spec('2L.09', 'The divider “Or continue with” stands above other providers');
    spec('2L.10', '“Sign In with Google” stands where Google is configured');
    spec('2S.05', 'Sign-up has the divider above other providers');
    spec('2S.06', '“Sign Up with Google” stands where Google is configured');
  });
});

test('sign-up and login lead to the dashboard, and /login redirects signed-in users there', async ({
  page,
}) => {
  const person = await signUpOnPage(page);
  await expect(page).toHaveURL(/\/dashboard$/);
  expect(await page.evaluate(() => sessionStorage.getItem('authToken'))).not.toBeNull();
  spec('2S.09', 'A sign-up stores the session and leads to /dashboard');
  await page.goto('/login');
  await expect(page).toHaveURL(/\/dashboard$/);
  await logOut(page);
  await logIn(page, person);
  await expect(page).toHaveURL(/\/dashboard$/);
  spec('1.20', 'People sign up and in with email and password');
  const cookies = (await page.context().cookies()).filter(({ name }) => name.endsWith('session'));
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Lax' }]);
  spec('1.22', 'The provider’s token is traded for a cookie session of the product');
  spec('2L.13', 'A login leads to /dashboard');
});

test('the landing page has the specified sections and texts', async ({ page }) => {
  await page.goto('/landing');
  const header = page.getByRole('banner');
  await expect(header.getByRole('link', { name: 'Certlantern' }).locator('svg')).toBeVisible();
  spec('2A.02', 'The header of the landing page has the logo');
  const headline = page.getByRole('heading', { level: 1 });
  await expect(headline).toHaveText('Certlantern: Never miss an SSL certificate expiry again.');
  spec('2R.01', '/landing is public and shows the marketing page');
  spec('2A.07', 'The landing page has the headline');
  const signUpLink = page.getByRole('main').getByRole('link', { name: 'Sign Up' }).first();
  await expect(signUpLink).toBeVisible();
  const top = async (each: Locator) => (await each.boundingBox())?.y ?? NaN;
  expect(await top(signUpLink)).toBeGreaterThan(await top(headline));
  spec('2A.08', 'A “Sign Up” button stands below the headline');
  const features = page.locator('section', { has: page.getByRole('heading', { name: 'Key Features' }) });
  await expect(features.getByRole('heading', { level: 3 })).toHaveText([
    /^SSL Certificate Tracking/,
    /^Email Notifications/,
    /^Webhook Support/,
  ]);
  spec('2A.09', '“Key Features” has three items');
  const footer = page.getByRole('contentinfo');
  for (const [name, address] of [
    ['Terms of Use', /terms-of-use$/],
    ['Privacy Policy', /privacy-policy$/],
  ] as const) {
    await expect(footer.getByRole('link', { name })).toHaveAttribute('href', address);
    const opening = page.waitForEvent('popup');
    await footer.getByRole('link', { name }).click();
    await expect(await opening).toHaveURL(address);
    await (await opening).close();
  }
  spec('2A.15', '“Terms of Use” opens in a new tab');
  spec('2A.16', '“Privacy Policy” opens in a new tab');
  await footer.scrollIntoViewIfNeeded();
  await expect(header.getByRole('link', { name: 'Sign Up' })).toBeInViewport();
  spec('2A.01', 'The header of the landing page stays in view');
  await expect(header.getByRole('button', { name: /theme/i })).toBeInViewport();
  spec('2A.06', 'The landing page has the theme control');
});

test('every legal address opens the legal page and scrolls to its section', async ({ page }) => {
  // Distance of the section from the bottom edge of the sticky header, in px.
  const distance = (place: string) =>
    page.evaluate((selector) => {
      const header = document.querySelector('header')?.getBoundingClientRect().bottom ?? NaN;
      return (document.querySelector(selector)?.getBoundingClientRect().top ?? NaN) - header;
    }, place);
  for (const [address, place, scrolls] of [
    ['/terms-of-use', '#terms', false],
    ['/terms', '#terms', false],
    ['/privacy', '#privacy', true],
    ['/privacy-policy', '#privacy', true],
    ['/terms#refund', '#refund', true],
  ] as const) {
    await page.goto('about:blank');
    await page.setViewportSize({ width: 1000, height: 500 });
    await page.goto(address);
    for (const anchor of ['#terms', '#privacy', '#refund']) await expect(page.locator(anchor)).toBeAttached();
    await expect(page.locator(place)).toBeInViewport();
    await expect(page.getByText('January 2025').first()).toBeAttached();
    if (!scrolls) continue;
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(200);
    await expect.poll(() => distance(place)).toBeGreaterThanOrEqual(0);
    // The page cannot scroll its last section up to the header.
    const isAtEnd = await page.evaluate(
      () => window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 1,
    );
    if (!isAtEnd) expect(await distance(place)).toBeLessThan(40);
  }
  spec('2R.04', '/terms-of-use is public and shows the legal page');
  spec('2R.05', '/privacy shows the same legal page');
  spec('2R.06', '/privacy-policy shows the same legal page');
  spec('2R.07', 'The legal page has the anchors terms, privacy and refund');
  spec('1.19', 'The legal page is dated January 2025');
});

test('public pages need no session, and protected pages check it', async ({ page, world }) => {
  for (const path of ['/landing', '/login', '/signup', '/terms-of-use', '/privacy', '/privacy-policy']) {
    expect((await page.goto(path))?.status()).toBe(200);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`${path}$`));
  }
  spec('6.01', 'Anonymous people see landing, login, sign-up and legal pages');
  await page.goto('/');
  await expect(page).toHaveURL(/\/landing$/);
  const person = await createAccount(page, world);
  await page.goto('/');
  await expect(page).toHaveURL(/\/dashboard/);
  spec('2R.11', 'The root leads to the dashboard with a session, else to the landing page');
  await page.goto('/no-such-page');
  await expect(page.getByRole('link').first()).toBeVisible();

  await test.step('the screen is empty while the session is checked', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/user/me', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('/profile', { waitUntil: 'domcontentloaded' });
    await expect(page.locator('#root, body').first()).toBeAttached();
    expect((await page.locator('body').innerText()).trim()).toBe('');
    spec('2P.02', 'While it asks, the screen is empty');
    release();
    await expect(page.getByLabel('Email')).toHaveValue(person.email);
    spec('2P.01', 'A protected page asks who is signed in when it opens');
    spec('4A.01', 'The check of the session loads, then shows the page or leads to /login');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
  await test.step('a failed session check is logged and leads to the login', async () => {
    const logged: string[] = [];
    page.on('console', (message) => logged.push(message.text()));
    await page.route('**/api/user/me', (route) => route.fulfill({ status: 400 }));
    await page.goto('/dashboard');
    await expect(page).toHaveURL(/\/login/);
    spec('2P.06', 'A failed check counts as nobody signed in');
    expect(logged.join()).toContain('Failed to get me.');
    spec('2P.05', 'A failed check of the user is logged');
  });
});

test('the app shell has the specified controls, and their settings are stored', async ({ page, world }) => {
  const person = await createAccount(page, world);
  await page.goto('/dashboard');
  const header = page.getByRole('banner');
  await expect(header.getByRole('link', { name: 'Certlantern' }).locator('svg')).toBeVisible();
  await expect(header.getByRole('link', { name: 'Certlantern' })).toHaveText('Certlantern');
  spec('2H.01', 'The header has the logo and the product’s name');
  await expect(header.getByRole('button', { name: 'Upgrade to Premium' })).toBeVisible();
  spec('6.05', 'Free sees the offer to upgrade');
  await expect(header.getByRole('button', { name: 'Give Feedback' })).toBeVisible();
  spec('2H.03', 'The header has “Give Feedback”');
  const notice = page.getByRole('region', { name: 'Notice' });
  await expect(notice).toContainText('we sent you a link.');
  const [above, bar, content] = await Promise.all(
    [header, notice, page.getByRole('main')].map((part) => part.boundingBox()),
  );
  const bottom = (box: { y: number; height: number } | null = null) => (box ? box.y + box.height : NaN);
  expect(bar?.y).toBe(bottom(above));
  expect(bottom(bar)).toBeLessThanOrEqual(content?.y ?? NaN);
  spec('2H.08', 'A notice stands below the header');
  await page.getByRole('button', { name: `Account of ${person.name}` }).click();
  for (const name of ['Profile', /^Billing/, 'Log out'])
    await expect(page.getByRole('menuitem', { name })).toBeVisible();
  spec('2H.05', 'The menu of the account has “Billing”');
  spec('2H.06', 'The menu of the account has “Log out”');
  promise('7.4.4');
  await page.getByRole('menuitem', { name: 'Profile' }).click();
  await expect(page).toHaveURL(/\/profile$/);
  spec('2H.04', 'The menu of the account has “Profile”');

  await page.getByRole('button', { name: /theme/i }).click();
  await expect(page.getByRole('menuitemradio')).toHaveText(['Light', 'Dark', 'System']);
  spec('2H.07', 'The theme is Light, Dark or System');
  await expect(page.getByRole('menuitemradio', { name: 'System' })).toBeChecked();
  spec('2T.02', 'The default theme is the system’s');
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('dark');
  spec('2T.01', 'The theme is stored in the browser');
  await expect(page.locator('meta[name=theme-color]')).toHaveAttribute('content', '#101a2f');
  await page.getByRole('button', { name: /theme/i }).click();
  await page.getByRole('menuitemradio', { name: 'Light' }).click();
  await expect(page.locator('meta[name=theme-color]')).toHaveAttribute('content', '#ffffff');
  spec('2T.03', 'The browser’s frame is navy in the dark and white in the light');
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-font', 'inter');
  spec('2T.05', 'The default font is Inter');
});

test('the account menu shows the photo, or initials if it does not load', async ({ page, world }) => {
  const person = await createAccount(page, world);
  await page.goto('/profile');
  const account = page.getByRole('button', { name: `Account of ${person.name}` });
  await expect(account).toBeVisible();
  await expect(account.locator('img')).toHaveCount(0);
  for (const [photo, images] of [
    ['/favicon.svg', 1],
    ['/no-such-photo.png', 0],
  ] as const) {
    await page.route('**/api/user/me', async (route) => {
      const { data } = (await (await route.fetch()).json()) as { data: object };
      await route.fulfill({ json: { data: { ...data, photo_url: photo } } });
    });
    await page.reload();
    await expect(account).toBeVisible();
    await expect(account.locator('img')).toHaveCount(images);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
  await expect(account).toHaveText('AL');
});

test('the profile resets the password and asks before it deletes the account', async ({ page, world }) => {
  const person = await createAccount(page, world);
  await page.goto('/profile');
  await expect(page.getByLabel('Email')).toHaveValue(person.email);
  await expect(page.getByLabel('Email')).not.toBeEditable();
  spec('2Q.01', 'The email on the profile is read-only');
  spec('6.08', 'Nobody edits the email on the profile');
  const update = page.getByRole('button', { name: 'Update Profile' });
  await expect(update).toBeDisabled();
  await page.getByLabel('Company').fill('');
  await expect(update).toBeEnabled();
  spec('2Q.02', 'The profile has full name and company');
  spec('2Q.03', '“Update Profile” is enabled only after a change');
  await page.getByLabel('Full Name').fill('  ');
  await update.click();
  await expect(page.getByText('Please enter your name')).toBeVisible();
  spec('5.13', 'The profile needs a full name');
  await page.getByLabel('Full Name').fill(person.name);
  const updated = page.waitForRequest('**/api/user/update');
  await update.click();
  expect((await updated).postDataJSON()).toEqual({ full_name: person.name, company: null });
  spec('3.07', 'The update of the profile sends full_name and company');
  spec('5.14', 'The company may be null');
  await expect(toasts(page).getByText('User updated successfully')).toBeVisible();
  spec('8.19', '“User updated successfully”');
  await expect(update).toBeDisabled();
  const asked = page.waitForRequest('**/api/identity/request-password-reset');
  await page.getByRole('button', { name: 'Reset Password' }).click();
  expect((await asked).postDataJSON()).toEqual({ email: person.email });
  spec('7.19', 'The mail for a new password comes from the provider');
  await expect(toasts(page).getByText('Password reset email sent.')).toBeVisible();
  spec('2Q.04', 'The profile has “Reset Password”');
  spec('8.21', '“Password reset email sent.”');

  await test.step('the password reset shows an error if the account has no address', async () => {
    await patchAnswer(page, '**/api/user/me', { email: '' });
    await page.reload();
    await page.getByRole('button', { name: 'Reset Password' }).click();
    await expect(toasts(page).getByText('No authenticated user with a valid email.')).toBeVisible();
    spec('8.23', '“No authenticated user with a valid email.”');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  await patchAnswer(page, '**/api/domain/summary', { total: 19 });
  await patchAnswer(page, '**/api/user/standing', { source: 'subscription', status: 'active' });
  await page.reload();
  await page.getByRole('button', { name: 'Delete Account' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText(
    'This deletes 19 domains with their history and all alert settings. It also cancels your Premium subscription.',
  );
  await expect(question).toContainText(
    'Are you sure you want to delete your account? This action cannot be undone.',
  );
  await expect(question.getByRole('button', { name: 'Delete' })).toBeVisible();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();
  spec('2Q.05', '“Delete Account” asks first, with “Cancel” and “Delete”');
});
