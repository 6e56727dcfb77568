import type { Page } from '@playwright/test';
import { changePublicConfig, expect, test } from './world.ts';
import { spec } from '../spec/spec.ts';

/** Opens the landing page of a deployment with these settings. */
async function visit(page: Page, settings: object): Promise<void> {
  await changePublicConfig(page, settings);
  await page.goto('/landing');
  await expect(page.getByRole('heading', { name: 'Key Features' })).toBeVisible();
}

test('the landing page shows how alert dates move when certificates are valid for 398, 47 or 6 days', async ({
  page,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/landing');
  const story = page.getByRole('region', { name: /^From 398 days to 47/ });
  await story.scrollIntoViewIfNeeded();
  await expect(story.getByRole('button', { name: /^398 days/ })).toHaveAttribute('aria-pressed', 'true');
  await expect(story).toContainText('We email you 30 days, 14 days, 7 days, 3 days and 1 day before expiry.');
  await expect(story).toContainText('when 92% of the lifetime is used');
  await story.getByRole('button', { name: /^47 days/ }).click();
  await expect(story).toContainText(
    'We email you 11 days, 9 days, 4 days, 2 days and 22 hours before expiry.',
  );
  await expect(story).toContainText('when 36% of the lifetime is used');
  await story.getByRole('button', { name: /^6 days/ }).click();
  await expect(story).toContainText('comes before the certificate exists');

  await test.step('marks of alerts never cover each other', async () => {
    const size = page.viewportSize()!;
    const drawn = () =>
      story.locator('[aria-hidden="true"] > span:has(svg)').evaluateAll((marks) =>
        marks
          .filter((mark) => getComputedStyle(mark).opacity === '1')
          .map((mark) => mark.getBoundingClientRect())
          .every(({ left }, place, all) => place === 0 || left >= all[place - 1]!.right),
      );
    for (const width of [size.width, 360]) {
      await page.setViewportSize({ width, height: size.height });
      for (const days of [398, 200, 100, 47]) {
        await story.getByRole('button', { name: `${days} days` }).click();
        await expect.poll(drawn, `${days} days at ${width} px`).toBe(true);
      }
    }
    await page.setViewportSize(size);
  });

  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.clock.install();
  await page.reload();
  await story.scrollIntoViewIfNeeded();
  const last = story.getByRole('button', { name: /^6 days/ });
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000);
      return last.getAttribute('aria-pressed');
    })
    .toBe('true');
});

test('the landing page shows the plans and links to the trial', async ({ page }) => {
  await page.goto('/landing');
  await expect(page.getByRole('heading', { name: 'Free Tier' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Premium Most Popular' })).toBeVisible();
  await expect(page.getByText('No credit card required • Setup in 2 minutes')).toBeVisible();
  spec('2A.14', 'Below it: no credit card, two minutes');
  const linesOf = (name: string) =>
    page
      .locator('div', { has: page.getByRole('heading', { name, level: 3 }) })
      .last()
      .getByRole('listitem');
  await expect(linesOf('Free Tier')).toHaveText([
    'Up to 3 certificates',
    'Email notifications',
    'Uptime monitoring',
    'Daily SSL and uptime checks',
    'Community support',
  ]);
  spec('1.04', 'Free tracks up to 3 certificates');
  spec('1.05', 'Free has email notifications');
  spec('1.06', 'Free has uptime monitoring');
  spec('1.07', 'Free has daily SSL and uptime checks');
  spec('1.08', 'Free has community support');
  await expect(linesOf('Premium')).toHaveText([
    'Unlimited certificates',
    'Advanced email notifications',
    'Advanced uptime monitoring',
    'Checks up to every 10 minutes',
    'Webhook integration',
    'Priority support',
  ]);
  spec(
    '1.10',
    'Premium has unlimited certificates, advanced mails, advanced uptime monitoring and more checks',
  );
  spec('1.11', 'Premium has webhook integration');
  spec('1.12', 'Premium has priority support');
  spec('9.04', 'The upgrade dialog and the landing page say “up to every 10 minutes”');
  await expect(page.getByRole('heading', { name: 'Webhook Support Premium' })).toBeVisible();
  spec('2A.10', 'Webhook Support is marked Premium');
  for (const [name, address] of [
    ['Get Started Free', '/signup'],
    ['Start Premium Trial', '/signup?trial=1'],
    ['Start Your Free Trial', '/signup?trial=1'],
  ] as const)
    await expect(page.getByRole('link', { name })).toHaveAttribute('href', address);
  spec('2A.11', 'The card of the Free Tier has “Get Started Free”');
  spec('2A.12', 'Premium is marked “Most Popular” and has “Start Premium Trial”');
  spec('2A.13', 'The landing page ends with “Start Your Free Trial”');
  await expect(page.getByText('$4.99').first()).toBeVisible();
  await expect(page.getByText('per month').first()).toBeVisible();
  spec('1.09', 'Premium costs $4.99 per month');
});

test('the landing page has no sign-up links where sign-up is closed', async ({ page }) => {
  await visit(page, { signups: 'closed' });
  await expect(page.getByRole('main').getByRole('link', { name: 'Login' })).toHaveCount(2);
  await expect(page.locator('a[href^="/signup"]')).toHaveCount(0);
  await expect(page.getByText('$4.99')).toHaveCount(0);
  await expect(page.getByText(/trial/i)).toHaveCount(0);
});

test('the landing page has no Premium where nothing is sold', async ({ page }) => {
  await visit(page, { billing: { mode: 'unset' } });
  await expect(page.getByRole('heading', { name: 'Free Tier' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Webhook Support', exact: true })).toBeVisible();
  await expect(page.getByText('$4.99')).toHaveCount(0);
  await expect(page.getByText(/trial/i)).toHaveCount(0);
});

test('the landing page has no prices where everybody has Premium', async ({ page }) => {
  await visit(page, { billing: { mode: 'none' } });
  await expect(page.getByText('$0')).toHaveCount(0);
  await expect(page.getByText('Pricing')).toHaveCount(0);
  await expect(page.getByText('Free for 3 domains.')).toHaveCount(0);
  await expect(page.getByText(/trial/i)).toHaveCount(0);
});

test('the legal page mentions only services that are configured', async ({ page }) => {
  await page.goto('/privacy');
  const privacy = page.locator('#privacy');
  await expect(privacy).toContainText('There are no analytics.');
  await expect(privacy).toContainText('a salted hash of your email address for 12 months');
  // Google also publishes lists of Certificate Transparency logs, which every deployment fetches by default.
  await expect(privacy).not.toContainText(/Paddle|Firebase|Google(?! and Apple publish)/);

  await visit(page, {
    billing: { mode: 'paddle', client_token: 'live_1', environment: 'live' },
    analytics_id: 'G-TEST123456',
    identity: { provider: 'built-in', oidc: [{ id: 'google', name: 'Google' }] },
  });
  await page.goto('/privacy');
  await expect(privacy).toContainText('Payments are made with Paddle');
  await expect(privacy).toContainText('Sign-up and login events contain your email address');
  await expect(privacy).toContainText('If you sign in with Google');
  const refunds = page.locator('#refund');
  await expect(refunds).toContainText('billed through the payment provider Paddle');
  spec('1.17', 'Premium is billed by the month through the payment provider');
  await expect(refunds).toContainText('First-time premium users have a 7-day money-back guarantee');
  spec('1.14', 'Refunds: a 7-day money-back guarantee for a first Premium');
  await expect(refunds).toContainText(/ask by email to \S+@\S+ within 7 days/);
  spec('1.15', 'Refunds are requested by email to the support address');
  await expect(refunds).toContainText('There are no prorated refunds.');
  spec('1.16', 'Refunds: none for a part of a month');
  await expect(refunds).toContainText('You can cancel it at any time');
  spec('1.18', 'Premium can be cancelled at any time');
  spec('9.05', 'Refunds are for 7 days');
});
