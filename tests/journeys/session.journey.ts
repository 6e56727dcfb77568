import { expectAccessible } from './axe.ts';
import { expect, newPerson, signUp, test } from './world.ts';

test('protected pages lead to the login, and back in', async ({ page }) => {
  const person = await signUp(page);

  await page.getByRole('button', { name: `Account of ${person.name}` }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/login/);
  for (const path of ['/dashboard', '/profile']) {
    await page.goto(path);
    await expect(page).toHaveURL(/\/login/);
  }
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Login' }).click();
  await expect(page.getByText('Please enter your email')).toBeVisible();
  await expect(page.getByText('Please enter your password')).toBeVisible();
  await page.getByLabel('Email').fill('nobody');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Login' }).click();
  await expect(page.getByText('Invalid email address')).toBeVisible();
  await expect(page.getByText('Password must be at least 7 characters long')).toBeVisible();

  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill('wrong-horse-7');
  await page.getByRole('button', { name: 'Login' }).click();
  await expect(page.getByText(/^Failed to login: /)).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Login' }).click();
  // Where the way was barred, not the dashboard.
  await expect(page).toHaveURL(/\/profile$/);
});

test('an expired session is renewed unnoticed, a lost one asks to sign in', async ({ page, context }) => {
  await signUp(page);
  await context.clearCookies({ name: /session$/ });
  await page.goto('/profile');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Profile');
  await context.clearCookies();
  await page.goto('/dashboard');
  await expect(page).toHaveURL(/\/login/);
});

test('the profile takes a new name', async ({ page }) => {
  await signUp(page);
  await page.goto('/profile');
  const update = page.getByRole('button', { name: 'Update Profile' });
  await expect(update).toBeDisabled();
  await page.getByLabel('Full Name').fill('Alice Berg');
  await update.click();
  await expect(page.getByText('User updated successfully')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Full Name')).toHaveValue('Alice Berg');
});

test('the theme stays chosen', async ({ page }) => {
  await signUp(page);
  await page.getByRole('button', { name: /theme/i }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('an address that is taken says so at sign-up', async ({ page, context }) => {
  const person = await signUp(page);
  await context.clearCookies();
  await page.goto('/signup');
  const other = newPerson();
  await page.getByLabel('Name', { exact: true }).fill(other.name);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(other.password);
  await page.getByRole('button', { name: 'Sign Up' }).click();
  await expect(page.getByText(/^Failed to login: /)).toBeVisible();
  await expect(page).toHaveURL(/\/signup/);
});
