import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../server/store/db/open-store.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { type ForecastHost, storeForecasts } from '../kit/product/stored-forecasts.ts';
import { expectAccessible } from './axe.ts';
import { createAccount, daysFromNow, expect, test, type World } from './world.ts';

// Forecasts know how CAA records name this CA.
const root = mintAuthority({ organization: 'Internet Security Research Group', commonName: 'ISRG Root X9' });
const authority = root.intermediate({ organization: "Let's Encrypt", commonName: 'E99' });

test.use({
  environment: [
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'certlantern-forecasts-'));
      const file = join(folder, 'ca.pem');
      writeFileSync(file, root.certificatePem);
      await use({ EXTRA_CA_FILE: file });
      rmSync(folder, { recursive: true });
    },
    { scope: 'worker' },
  ],
});

/** Stores forecasts, which workers make only for certificates of public CAs. */
async function store(
  { app }: World,
  accountId: string,
  hosts: readonly (ForecastHost & { host: string })[],
): Promise<void> {
  const opened = await openStore({ databaseUrl: null, dataDir: app.dataDir, mayMigrate: false });
  try {
    const named = hosts.map((each) => ({ ...each, host: each.host.replace(/:\d+$/, '') }));
    await storeForecasts(opened, { accountId, hosts: named, now: Date.now() });
  } finally {
    await opened.close();
  }
}

test('a renewal that will fail is shown on its card, in the panel with the record to write, and by the filter', async ({
  page,
  context,
  world,
}) => {
  const days = { notBefore: daysFromNow(-30), notAfter: daysFromNow(60), issuer: authority };
  const failing = await world.serve('caa.forecast.example', days);
  const fine = await world.serve('fine.forecast.example', days);
  const { id } = await createAccount(page, world, { hosts: [failing, fine] });
  await store(world, id, [{ host: failing, caa: ['pki.goog'] }, { host: fine }]);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);

  const line = page.getByText(/^Next renewal will fail:\sCAA forbids Let's Encrypt$/);
  for (const width of [360, 1440])
    await test.step(`${width} px`, async () => {
      await page.setViewportSize({ width, height: 900 });
      await page.goto('/dashboard');
      const cardOf = (host: string) => page.getByRole('listitem').filter({ hasText: host });
      await expect(cardOf(failing).locator(line)).toBeVisible();
      await expect(cardOf(fine).getByText("Let's Encrypt · E99")).toBeVisible();
      // A forecast is no problem of today.
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Both are fine');
      await expect(cardOf(failing).getByText('Active')).toBeVisible();

      await page.getByRole('button', { name: 'More filters' }).click();
      await page.getByRole('menuitemradio', { name: 'Next renewal will fail · 1' }).click();
      await expect(page).toHaveURL(/status=renewal_fails/);
      await expect(cardOf(fine)).toBeHidden();
      await expect(cardOf(failing)).toBeVisible();

      await page.getByRole('link', { name: failing, exact: true }).click();
      const panel = page.getByLabel(`Details for ${failing}`);
      const section = panel.locator('section', {
        has: page.getByRole('heading', { name: 'Next renewal', exact: true }),
      });
      await expect(section.getByText("The next renewal will fail: CAA forbids Let's Encrypt.")).toBeVisible();
      await expect(section.getByText('0 issue "pki.goog"')).toBeVisible();
      await section.getByRole('button', { name: 'Copy record' }).click();
      await expect(section.getByRole('button', { name: 'Copied' })).toBeVisible();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
        'caa.forecast.example. IN CAA 0 issue "letsencrypt.org"',
      );
      const names = section.getByText('All names of the certificate exist.');
      await expect(names).toBeHidden();
      await section.getByText(/^\d checks passed$/).click();
      await expect(names).toBeVisible();
      if (width === 360) await expectAccessible(page);
    });

  await page.goto('/dashboard?status=renewal_fails&view=list');
  await expect(page.getByRole('row').filter({ hasText: failing }).locator(line)).toBeVisible();
  await page.goto('/certificates?status=renewal_fails');
  await expect(page.getByRole('combobox', { name: 'Status' })).toHaveText('Next renewal will fail');
  await expect(page.locator('tr[data-row]')).toHaveCount(1);
  await expect(page.getByText(/^Next renewal will fail:/).filter({ visible: true })).toHaveCount(1);
});
