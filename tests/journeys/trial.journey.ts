import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expectAccessible } from './axe.ts';
import { card, createAccount, daysFromNow, expect, newPerson, test, type World } from './world.ts';

/** Moves the end of the trial to `instant` (ms UTC). */
function moveTrialEnd(world: World, email: string, instant: number): void {
  const database = new DatabaseSync(join(world.app.dataDir, 'certlantern.db'), { timeout: 5000 });
  database
    .prepare('UPDATE accounts SET trial_ends_at = ?, plan_ends_at = ? WHERE email = ?')
    .run(instant, instant, email);
  database.close();
}

test('a trial starts at sign-up, announces its end, and then pauses the domains above the Free limit', async ({
  page,
  world,
}) => {
  const person = newPerson();
  await page.goto('/landing');
  await page.getByRole('link', { name: 'Start Premium Trial' }).click();
  await page.getByLabel('Name', { exact: true }).fill(person.name);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  await expect(page.getByText('we sent you a link.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Upgrade to Premium' })).toBeHidden();

  const hosts = await Promise.all([1, 2, 3, 4].map((number) => world.serve(`trial-${number}.example`)));
  for (const host of hosts)
    expect((await page.request.post('/api/domain/add', { data: { host } })).ok()).toBe(true);

  moveTrialEnd(world, person.email, daysFromNow(1.5));
  await page.reload();
  await expect(page.getByText('Your Premium trial ends in 2 days')).toBeVisible();
  await expectAccessible(page);
  // The button is both in the header and in the notice.
  await page.getByRole('button', { name: 'Keep Premium' }).last().click();
  const offer = page.getByRole('dialog', { name: 'Supercharge Your Monitoring with Premium' });
  await expect(offer.getByRole('button', { name: 'Start Premium – Only $4.99/month' })).toBeEnabled();
  await offer.getByRole('button', { name: 'Cancel' }).click();

  moveTrialEnd(world, person.email, Date.now() - 1);
  // The server applies plan ends once a minute, and at startup.
  await world.restart();
  await expect(page.getByText('1 domain is paused: the Free plan checks up to 3.')).toBeVisible();
  await expect(card(page, hosts[3] ?? '').getByText('Paused: the Free plan checks 3 domains')).toBeVisible();
  await expect(card(page, hosts[0] ?? '').getByText(/^Paused/)).toBeHidden();
  await expect(page.getByRole('button', { name: 'Upgrade to Premium' }).first()).toBeVisible();
  const mail = await world.mail.waitFor(
    ({ to, text }) =>
      to.includes(person.email) && text.includes('Premium') && text.includes('trial-4.example'),
  );
  expect(mail.subject).toMatch(/ended/i);
});

test('at the limit, an account starts its unused trial in the upgrade dialog, and goes on adding', async ({
  page,
  world,
}) => {
  const hosts = await Promise.all([1, 2, 3, 4].map((number) => world.serve(`unused-${number}.example`)));
  const fourth = hosts.pop() ?? '';
  await createAccount(page, world, { hosts });
  await page.goto('/profile');
  await expect(page.getByRole('button', { name: 'Start free trial' })).toBeVisible();
  await page.goto('/dashboard');
  // Wait until the page knows the plan: before, the button opens the form.
  await expect(page.getByText('You track 3 of 3 domains on Free.')).toBeVisible();
  await page.getByRole('button', { name: 'Add Domain' }).click();
  const offer = page.getByRole('dialog', { name: 'Supercharge Your Monitoring with Premium' });
  await expect(offer.getByText('Try Premium for 14 days first. No credit card required.')).toBeVisible();
  await expect(offer.getByRole('button', { name: 'Start Premium – Only $4.99/month' })).toBeEnabled();
  await expectAccessible(page);
  await offer.getByRole('button', { name: 'Start free trial' }).click();
  await expect(page.getByText(/^Your Premium trial has started\. It ends on /)).toBeVisible();

  const form = page.getByRole('dialog', { name: 'Add New Domain' });
  await form.getByLabel('Host Address').fill(fourth);
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(card(page, fourth)).toBeVisible();
  // Faster checks are offered only for the domains that were added before, and not again once declined.
  const strip = page.getByRole('region', { name: 'Next steps' });
  await expect(strip).toContainText('3 domains are still checked once a day.');
  await strip.getByRole('button', { name: 'Hide' }).click();
  await page.reload();
  await expect(card(page, fourth)).toBeVisible();
  await expect(strip).toBeHidden();
  await page.getByRole('button', { name: 'Keep Premium' }).click();
  await expect(offer.getByRole('button', { name: 'Start Premium – Only $4.99/month' })).toBeEnabled();
  await expect(offer.getByRole('button', { name: 'Start free trial' })).toBeHidden();
});
