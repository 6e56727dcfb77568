import type { Page } from '@playwright/test';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { expectAccessible } from './axe.ts';
import { card, createAccount, daysFromNow, expect, test } from './world.ts';

/** Holds back the answer to the first read of a report, as a slow network would. Returns a function that releases it. */
async function holdFirstReport(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(
    '**/report',
    async (route) => {
      const response = await route.fetch();
      await promise;
      // The page may have dropped the request by now.
      await route.fulfill({ response }).catch(() => undefined);
    },
    { times: 1 },
  );
  return resolve;
}

test('a refusal from a known day on is no problem today, and the panel says who, from when and what to do', async ({
  page,
  world,
}) => {
  const issuer = mintAuthority({ commonName: 'Moss Root' }).intermediate({
    commonName: 'Moss Aging CA',
    notAfter: daysFromNow(40),
  });
  const validity = { notBefore: daysFromNow(-10), notAfter: daysFromNow(70) };
  const host = await world.serve('aging.example', { issuer, ...validity });
  await createAccount(page, world, { hosts: [host] });
  const release = await holdFirstReport(page);
  await page.goto('/dashboard');
  await card(page, host).getByRole('link').click();
  const panel = page.getByLabel(`Details for ${host}`);
  await panel.getByRole('button', { name: 'Trust this authority' }).click();
  const question = page.getByRole('dialog', { name: 'Trust this authority?' });
  await question.getByRole('button', { name: 'Trust', exact: true }).click();

  const finding = panel.getByText(/From .+ on, .+ refuse this certificate: its root “Moss Aging CA” expires/);
  await expect(finding).toBeVisible();
  release();
  await expect(panel.getByText(/install a certificate that leads to another root/)).toBeVisible();
  const clients = panel.locator('section', { has: page.getByRole('heading', { name: 'Clients' }) });
  await expect(clients.getByRole('listitem').filter({ hasText: 'OpenSSL' })).toContainText('until');
  await expect(clients.getByRole('listitem').filter({ hasText: 'Java' })).not.toContainText('until');
  await expect(page.getByRole('heading', { name: `${host} is fine` })).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 360]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await expect(finding).toBeVisible();
      await expectAccessible(page);
    }

  await page.goto('/alerts');
  const muted = page.getByRole('checkbox', { name: 'Refusals ahead' });
  await expect(muted).toBeChecked();
  await muted.press('Space');
  await expect(muted).not.toBeChecked();
});
