import type { Page } from '@playwright/test';
import { dashboard, dialog, press, type Screen } from './ways.ts';

/** The first two domains of the list are selected. */
async function selected(page: Page): Promise<void> {
  await dashboard(page, '?sort=soonest&view=grid');
  const boxes = page.getByRole('checkbox', { name: /^Select / });
  await boxes.nth(0).click();
  await boxes.nth(1).click({ modifiers: ['Shift'] });
  await page.getByRole('region', { name: 'Selected domains' }).waitFor();
}

/** From the bar, or where it is narrow from its menu. */
async function act(page: Page, name: string): Promise<void> {
  const bar = page.getByRole('region', { name: 'Selected domains' });
  const button = bar.getByRole('button', { name });
  if (await button.isVisible()) return button.click();
  await bar.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name }).click();
}

async function addMany(page: Page): Promise<void> {
  await dashboard(page);
  await press(page, 'Add Domain');
  await press(page, 'Add many at once');
  await dialog(page, 'Add many domains');
}

/** What is done with many domains at once. */
export const MANY: Screen[] = [
  { name: 'selected', visitor: 'member', show: selected },
  {
    name: 'selected-tags',
    visitor: 'member',
    async show(page) {
      await selected(page);
      await act(page, 'Tags');
      await dialog(page, 'Tags of 2 domains');
    },
  },
  {
    name: 'selected-remove',
    visitor: 'member',
    async show(page) {
      await selected(page);
      await act(page, 'Remove');
      await dialog(page, 'Are you sure you want to delete these 2 domains?');
    },
  },
  {
    name: 'selected-trouble',
    visitor: 'member',
    async show(page) {
      await selected(page);
      await page.route('**/api/domain/bulk', (route) => route.abort());
      await act(page, 'Pause');
      await dialog(page, 'Two domains could not be paused');
    },
  },
  { name: 'add-many', visitor: 'member', show: addMany },
  {
    name: 'add-many-preview',
    visitor: 'member',
    async show(page) {
      await addMany(page);
      const hosts = [
        'shop.birch.example',
        'not a host',
        'https://shop.birch.example/',
        'mail.birch.example:993',
      ];
      await page.getByLabel('Hosts').fill(hosts.join('\n'));
      await press(page, 'Preview');
      await page.getByText('Repeated (line 1)').waitFor();
    },
  },
];
