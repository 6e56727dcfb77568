import type { Locator, Page } from '@playwright/test';
import { card, createAccount, daysFromNow, expect, test } from './world.ts';

/** The position of a focused element, or of the label around it, in the document, in px. */
interface Stop {
  name: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Presses Tab until the focus has left the page, and returns what got it. */
async function tabStops(page: Page): Promise<Stop[]> {
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    window.scrollTo(0, 0);
  });
  const stops: Stop[] = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const focused = document.activeElement;
      if (!focused || focused === document.body) return null;
      // The input of a radio button is invisible; its label is not.
      const seen = focused.closest('label') ?? focused;
      const { left, right, top, bottom } = seen.getBoundingClientRect();
      // The focus scrolls some rows sideways. This undoes that, and treats parts that were out of view as if they were at the
      // end of the row.
      const row = focused.closest('[role=group]');
      const end = (row ?? document.body).getBoundingClientRect().right;
      const across = (x: number) => Math.min(x + (row?.scrollLeft ?? 0), end);
      const isIn = (selector: string) => focused.closest(selector) !== null;
      // The header counts as being above the page, and the bars at the bottom of a phone as below it.
      const bars = [...document.querySelectorAll('main + nav, main .fixed')];
      const offset = isIn('header')
        ? -100_000
        : bars.some((bar) => bar.contains(focused))
          ? 100_000
          : window.scrollY;
      const name = focused.ariaLabel ?? (seen.textContent || focused.id);
      return {
        name,
        left: across(left) - 2,
        right: across(right),
        top: top + offset,
        bottom: bottom + offset,
      };
    });
    if (stop?.name === 'Skip to content') continue;
    if (stop === null) return stops;
    stops.push(stop);
  }
}

/** Returns the steps of the focus that go up, or to the left in the same line, except from one card to the next. */
function backwards(stops: readonly Stop[]): string[] {
  return stops.flatMap((stop, index) => {
    const next = stops[index + 1];
    if (!next) return [];
    const isInLine = Math.min(stop.bottom, next.bottom) - Math.max(stop.top, next.top) > 4;
    const isBack = isInLine ? next.right <= stop.left + 1 : next.bottom < stop.top - 2;
    // The checkbox lies over the icon, halfway down the card or row, so it is lower than the name.
    const isBesideName = stop.name === `Select ${next.name}`;
    const isNextCard = next.name.startsWith('Select ') && next.left > stop.left;
    // The preview is a column of its own.
    const isPreview = next.name.startsWith('Days of ') && next.left > stop.right;
    return isBack && !isBesideName && !isNextCard && !isPreview ? [`${stop.name} → ${next.name}`] : [];
  });
}

test('the Tab key goes through every page in the order that the eye follows, at 1440 and 360 px', async ({
  page,
  world,
}) => {
  const hosts = await Promise.all(
    [5.5, 60.5].map((days) =>
      world.serve(`d${days.toFixed()}.keys.example`, { notAfter: daysFromNow(days) }),
    ),
  );
  await createAccount(page, world, { hosts, trial: true });
  const loaded: Record<string, Locator> = {
    '/dashboard?view=grid': card(page, hosts[0] ?? ''),
    '/dashboard?view=list': page.getByRole('link', { name: hosts[0] ?? '', exact: true }),
    '/certificates': page.getByRole('link', { name: 'd6.keys.example' }).first(),
    '/alerts': page.getByRole('button', { name: 'Create calendar link' }),
    '/status-page': page.getByRole('button', { name: 'Add' }),
    '/profile': page.getByRole('button', { name: 'Add a passkey' }),
  };
  for (const [path, part] of Object.entries(loaded)) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(path);
    await expect(part).toBeVisible();
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const stops = await tabStops(page);
      expect(stops.length).toBeGreaterThan(10);
      expect(backwards(stops), `${path} at ${width} px`).toEqual([]);
    }
  }

  await test.step('the primary button of a dialog comes first where it is on top', async () => {
    await page.goto('/dashboard');
    await page.getByRole('button', { name: 'Add Domain' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add New Domain' });
    await dialog.getByRole('button', { name: 'Add', exact: true }).focus();
    await page.keyboard.press('Tab');
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  });
});

test('“a” adds the first domain, and “?” lists the shortcuts of the key map', async ({ page, world }) => {
  const host = await world.serve('first.keys.example');
  await createAccount(page, world);
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { name: 'Add your first domain' })).toBeVisible();
  await page.keyboard.press('a');
  const input = page.getByRole('dialog', { name: 'Add New Domain' }).getByLabel('Host Address');
  await expect(input).toBeFocused();
  await input.fill(host);
  await input.press('Enter');
  await expect(card(page, host)).toBeVisible();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  for (const [action, keys] of [
    ['Add Domain', 'a'],
    ['Next domain', 'j↓'],
    ['Filters', '1–8'],
    ['Commands', 'Ctrl+K'],
  ] as const)
    await expect(list.getByRole('term').filter({ hasText: action }).locator('+ dd')).toHaveText(keys);
});

test('the palette gets what was typed while its code was loading, and the page takes none of it for shortcuts', async ({
  page,
  world,
}) => {
  await createAccount(page, world);
  const released = Promise.withResolvers<void>();
  const requested = page.waitForRequest('**/command-palette*.js');
  await page.route('**/command-palette*.js', async (route) => {
    await released.promise;
    await route.continue();
  });
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { name: 'Add your first domain' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await requested;
  // Without the palette, "s" would change the order of the list.
  await page.keyboard.type('settingx');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('s');
  released.resolve();
  const input = page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox');
  await expect(input).toBeFocused();
  await expect(input).toHaveValue('settings');
  await page.keyboard.type('!');
  await expect(input).toHaveValue('settings!');
  expect(new URL(page.url()).search).toBe('');
});
