import type { Page } from '@playwright/test';
import { open, panelOf, type Screen } from './navigation.ts';

/** Opens the settings and waits for their data. */
async function settings(page: Page): Promise<void> {
  await open(page, '/status-page');
  const preview = page.getByRole('group', { name: 'Preview' });
  await preview.getByRole('heading', { level: 3 }).waitFor();
}

const ADDRESS = 'fjord-systems';

/** Publishes the page with these choices, as its owner would. */
async function publish(page: Page, choices: object): Promise<void> {
  await open(page, '/status-page');
  const status = await page.evaluate(
    async (body) =>
      (
        await fetch('/api/status-page', {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).status,
    { title: 'Fjord Systems', slug: ADDRESS, enabled: true, shows: 'all', domains: [], ...choices },
  );
  if (status !== 200) throw new Error(`The status page was not saved: ${status}`);
}

/** The settings of the status page, the page itself, and the badge of a domain. */
export const STATUS: readonly Screen[] = [
  { name: 'status-settings-new', visitor: 'newcomer', show: settings },
  {
    name: 'status-settings',
    visitor: 'member',
    async show(page, { portSuffix }) {
      await publish(page, { shows: 'chosen' });
      await settings(page);
      const host = `fjord.example${portSuffix}`;
      await page.getByLabel('Add a domain').fill(host);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByLabel(`Name of ${host} on the page`).fill('Website');
      await page.getByText('Website is up').waitFor();
    },
  },
  {
    name: 'status-public',
    visitor: 'member',
    async show(page) {
      await publish(page, {});
      await open(page, `/status/${ADDRESS}`);
      await page.getByRole('heading', { name: 'Incidents' }).waitFor();
    },
  },
  {
    name: 'status-public-empty',
    visitor: 'member',
    async show(page) {
      await publish(page, { shows: 'chosen', title: 'Moss' });
      await open(page, `/status/${ADDRESS}`);
      await page.getByText('This page shows no domains yet').waitFor();
    },
  },
  {
    name: 'panel-badge',
    visitor: 'member',
    async show(page) {
      await panelOf('fjord.example')(page);
      await page
        .locator('summary', { has: page.getByRole('heading', { name: 'Badge', exact: true }) })
        .click();
      const image = page.getByRole('img', { name: /^Current badge of/ });
      const off = page.getByRole('button', { name: 'Create badge' });
      await image.or(off).waitFor();
      if (await off.isVisible()) await off.click();
      await image.waitFor();
      await page.getByText('this address stops working').scrollIntoViewIfNeeded();
    },
  },
];
