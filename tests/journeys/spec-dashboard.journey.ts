import type { Locator, Page } from '@playwright/test';
import { spec } from '../spec/spec.ts';
import { card, createAccount, daysFromNow, expect, test } from './world.ts';

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

const toasts = (page: Page) => page.getByRole('region', { name: /^Notifications/ });

/** Returns lightness and hue of a badge's background (oklch). */
async function fillOf(badge: Locator): Promise<{ light: number; hue: number }> {
  const read = () => badge.evaluate((element) => getComputedStyle(element).backgroundColor);
  // A badge that is replaced at this moment has no colour, so try again.
  await expect.poll(read).toMatch(/^oklch/);
  const colour = await read();
  const [light = NaN, , hue = NaN] = (/^oklch\((.+)\)$/.exec(colour)?.[1] ?? '').split(' ').map(Number);
  return { light, hue };
}

test('the dashboard adds domains, shows cards or rows, and asks before it deletes', async ({
  page,
  world,
}) => {
  const hosts: string[] = [];
  for (const [name, days] of [
    ['one-day', 1.5],
    ['today', 0.3],
    ['fortnight', 14.5],
  ] as const) {
    hosts.push(
      await world.serve(`${name}.spec.example`, { notBefore: daysFromNow(-60), notAfter: daysFromNow(days) }),
    );
  }
  const [oneDay = '', today = '', fortnight = ''] = hosts;
  await createAccount(page, world, { hosts });
  await page.goto('/dashboard');

  await test.step('a new domain is first in the list', async () => {
    await expect(page.locator('[data-domain-id]').first()).toContainText(fortnight);
    spec('4D.01', 'An added domain comes first in the list');
  });
  await test.step('badges show the days left', async () => {
    await expect(card(page, oneDay)).toContainText('Expiring in 1 day');
    await expect(card(page, oneDay)).not.toContainText('1 days');
    await expect(card(page, today)).toContainText('Expiring in 0 days');
    await expect(card(page, fortnight)).toContainText('Expires in 14 days');
    spec('2D.13', 'A card has its expiry badge');
    for (const host of hosts)
      await expect(card(page, host).getByText('Active', { exact: true })).toBeVisible();
    spec('2D.14', 'A card has its revocation badge');
  });
  await test.step('the grid has one, two or three columns, and the list short badges', async () => {
    await expect(page.getByRole('button', { name: 'Grid' })).toHaveAttribute('aria-pressed', 'true');
    spec('2D.06', 'The grid is the default');
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
    spec('2D.07', 'The grid has one, two or three columns by its width');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('v');
    await expect(page.getByRole('table')).toBeVisible();
    await expect(page.getByRole('row').filter({ hasText: oneDay })).toContainText('Expiring in 1d');
    spec('4B.03', 'The list says “Expiring in Nd”');
    await expect(page.getByRole('row').filter({ hasText: fortnight })).toContainText('Expires in 14d');
    spec('4B.05', 'The list says “Expires in Nd”');
    await page.keyboard.press('v');
    await expect(card(page, oneDay)).toBeVisible();
    spec('2D.05', 'Domains show as a grid or a list');
  });

  await test.step('removing asks for confirmation', async () => {
    const menu = async (item: string) => {
      await page.getByRole('button', { name: `Actions for ${today}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await menu('Show Details');
    const panel = page.getByLabel(`Details for ${today}`);
    await expect(panel).toBeVisible();
    spec('2D.10', 'The menu of a domain has “Show Details”');
    await panel.getByRole('button', { name: 'Close' }).click();
    await expect(panel).toBeHidden();

    await menu('Remove');
    const question = page.getByRole('alertdialog', { name: 'Are you sure you want to delete this domain?' });
    await expect(question).toBeVisible();
    spec('2D.11', 'The menu of a domain has “Remove”');
    spec('2D.15', 'Removing asks first');
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
    spec('2D.17', 'The question has “Delete”, “Processing...” and “Cancel”');
    await expect(page.locator('[data-domain-id]')).toHaveCount(3);
    release();
    await expect(toasts(page).getByText('Domain deleted successfully')).toBeVisible();
    spec('8.15', '“Domain deleted successfully”');
    await expect(question).toBeHidden();
    await expect(card(page, today)).toBeHidden();
    spec('4D.02', 'A deleted domain goes after the answer, and the dialog closes');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  await test.step('the Add button adds a domain and clears the dialog', async () => {
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/domain/add')) sent.push(request.postData() ?? '');
    });
    const open = () => page.getByRole('button', { name: 'Add Domain' }).click();
    await open();
    const dialog = page.getByRole('dialog', { name: 'Add New Domain' });
    const input = dialog.getByLabel('Host Address');
    await expect(input).toHaveAttribute('placeholder', /^[a-z.]+\.[a-z]+$/);
    spec('2D.01', '“Add Domain” opens the Add New Domain dialog');
    spec('2D.02', '“Host Address” shows an example');
    await input.fill('   ');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(dialog.getByRole('alert')).toHaveText('Please enter a valid host address');
    expect(sent).toEqual([]);
    spec('5.08', 'An empty host is refused under the field, and nothing is sent');
    await input.fill(`  https://${today}/path?query  `);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(card(page, today)).toBeVisible();
    expect(sent).toEqual([JSON.stringify({ host: `https://${today}/path?query` })]);
    spec('2D.03', 'The dialog has the button “Add”');
    spec('5.07', 'The host is trimmed');
    spec('7.13', 'POST /domain/add sends the host');
    await card(page, today)
      .getByRole('button', { name: /^Actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(card(page, today)).toBeHidden();
    await open();
    await expect(input).toHaveValue('');
    spec('5.09', 'A domain that was added clears the field and closes the dialog');
  });
});

test('expiry badges change colour at 0, 8 and 15 days', async ({ page, world }) => {
  const serve = (days: number) =>
    world.serve(`day-${Math.floor(days)}.badges.example`, {
      notBefore: daysFromNow(-60),
      notAfter: daysFromNow(days),
    });
  const texts = [
    [-0.5, 'Expired'],
    [0.5, 'Expiring in 0 days'],
    [7.5, 'Expiring in 7 days'],
    [8.5, 'Expires in 8 days'],
    [14.5, 'Expires in 14 days'],
  ] as const;
  const hosts = await Promise.all([...texts.map(([days]) => days), 15.5].map(serve));
  await createAccount(page, world, { hosts, trial: true });
  await page.goto('/dashboard');
  const badges: Record<number, { light: number; hue: number }> = {};
  for (const [index, [days, text]] of texts.entries())
    badges[Math.floor(days)] = await fillOf(card(page, hosts[index] ?? '').getByText(text, { exact: true }));
  const [expired, ...red] = [badges[-1], badges[0], badges[7]];
  for (const { hue = NaN } of [expired, ...red].map((badge) => badge ?? { hue: NaN })) {
    expect(hue).toBeGreaterThan(10);
    expect(hue).toBeLessThan(40);
  }
  expect(expired?.light).toBeLessThan((badges[0]?.light ?? NaN) / 2);
  spec('4B.01', 'Below 0 days: Expired, dark red');
  spec('4B.02', '0 to 7 days: “Expiring in N days”, red, singular at 1');
  for (const badge of [badges[8], badges[14]]) {
    expect(badge?.hue).toBeGreaterThan(70);
    expect(badge?.hue).toBeLessThan(110);
  }
  spec('4B.04', '8 to 14 days: “Expires in N days”, yellow');
  spec('9.06', 'The badges’ thresholds are 7 and 14 days');
  const fine = hosts.at(-1) ?? '';
  await expect(card(page, fine)).toContainText('15 days left');
  await expect(card(page, fine)).not.toContainText(/Expir(?:es|ing) in/);
  spec('4B.06', 'More than 14 days: no badge');
});

test('the dashboard shows skeleton cards or rows while domains load', async ({ page, world }) => {
  await createAccount(page, world);
  const held = Promise.withResolvers<void>();
  await page.route('**/api/domain/list*', async (route) => {
    await held.promise;
    await route.continue();
  });
  const shapes = page.locator('#content [class*=pulse]');
  for (const view of ['grid', 'list']) {
    await page.goto(`/dashboard?view=${view}`);
    await expect.poll(() => shapes.count()).toBeGreaterThan(5);
    // Cards stand side by side, rows below each other.
    const places = page
      .locator('#content [aria-hidden=true]:has(> div [class*=pulse])')
      .last()
      .locator('> div');
    const areBeside = () =>
      places.evaluateAll((all) => {
        const [left, right] = all.slice(-2).map((place) => place.getBoundingClientRect().y);
        return left === undefined || right === undefined ? null : left === right;
      });
    await expect.poll(areBeside).toBe(view === 'grid');
  }
  spec('2D.08', 'Skeletons of cards or rows stand while domains load');
  held.resolve();
  await expect(shapes).toHaveCount(0);
});
