import type { DomainWire } from '../../contract/domain.ts';
import { createAccount, daysFromNow, expect, test } from './world.ts';

const MANY = 300;

test('the header of the rows stays in view and sorts them, and a print shows all of them', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { fleet: MANY, premium: true });
  const table = page.getByRole('table', { name: 'Domains' });
  await test.step('the header stays below the toolbar, and its columns sort', async () => {
    await page.goto('/dashboard?view=list');
    const head = table.getByRole('columnheader', { name: 'Expires On' });
    await expect(table.getByRole('row').nth(5)).toBeVisible();
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 4));
    const toolbar = await page.locator('[data-toolbar]').boundingBox();
    const bottom = (toolbar?.y ?? 0) + (toolbar?.height ?? 0);
    await expect.poll(async () => (await head.boundingBox())?.y).toBeCloseTo(bottom, 0);
    await head.getByRole('button').click();
    await expect(page).toHaveURL(/sort=soonest/);
    await expect(head).toHaveAttribute('aria-sort', 'ascending');
    await expect(table.getByRole('row').nth(1)).toContainText('Expired');
    for (const [name, first] of [
      ['Expires On', 'ascending'],
      ['Domain', 'ascending'],
    ] as const) {
      const column = table.getByRole('columnheader', { name });
      if ((await column.getAttribute('aria-sort')) === null) await column.getByRole('button').click();
      await expect(column).toHaveAttribute('aria-sort', first);
      await column.getByRole('button').click();
      await expect(column).toHaveAttribute('aria-sort', 'descending');
      await expect(table.locator('[aria-sort]')).toHaveCount(1);
      await expect(page).toHaveURL(/direction=desc/);
    }
    await expect(table.getByRole('row').nth(1)).toContainText('host-00299.orchard.example');
    await expect(page.getByRole('button', { name: 'Sort: By name, Z to A' })).toBeVisible();
  });

  await test.step('no column header is marked as sorted while the worst come first', async () => {
    await page.goto('/dashboard?view=list&sort=worst');
    await expect(page.getByRole('button', { name: 'Sort: Worst first' })).toBeVisible();
    await expect(table.getByRole('columnheader', { name: 'Remaining' })).toBeVisible();
    await expect(table.locator('[aria-sort]')).toHaveCount(0);
    await page.goto('/dashboard?view=list');
  });

  await test.step('print shows every row, and no navigation', async () => {
    const printed = page.locator('[data-printed]');
    // The code for printing loads after a pause.
    await expect(async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
      await expect(printed.getByRole('row', { includeHidden: true })).toHaveCount(MANY + 1, { timeout: 1 });
    }).toPass();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await expect(printed.getByRole('heading', { level: 1 })).toHaveText(/^Domains ·/);
    await expect(printed.getByText(/^host-00000/)).toBeVisible();
    await expect(page.getByRole('navigation')).toHaveCount(0);
    await expect(page.getByText('Skip to content')).toBeHidden();
    await page.emulateMedia({ media: 'screen', colorScheme: null });
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await expect(printed).toHaveCount(0);
  });

  await test.step('print shows every row after the access cookie has expired', async () => {
    await page.context().clearCookies({ name: /session$/ });
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const rows = page.locator('[data-printed]').getByRole('row', { includeHidden: true });
    await expect(rows).toHaveCount(MANY + 1);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  });
});

test('rows cut no name of 24 characters and overflow no cell at 768 px and beside the panel, and a phone shows every date', async ({
  page,
  world,
}) => {
  const unread = world.dead('unread.rows.example');
  await createAccount(page, world, { fleet: 12, premium: true, verified: true, hosts: [unread] });
  await page.setViewportSize({ width: 768, height: 1024 });
  await page.goto('/dashboard?view=list');
  const names = page.getByRole('table', { name: 'Domains' }).getByRole('link', { name: 'fjord.example' });
  await expect(names).toHaveCount(4);
  await expect(names.first()).toHaveText('host-00009.fjord.example');
  const cut = () =>
    names.evaluateAll((links) =>
      links.flatMap(({ parentElement: frame, textContent }) =>
        frame && frame.scrollWidth > frame.clientWidth ? [textContent] : [],
      ),
    );
  await expect.poll(cut).toEqual([]);
  const rows = page.getByRole('table', { name: 'Domains' }).locator('tr[data-domain-id]');
  await expect(rows.filter({ hasText: unread })).toContainText('Certificate not read');
  const wide = () =>
    rows
      .locator('td')
      .evaluateAll((cells) =>
        cells.flatMap((cell) => (cell.scrollWidth > cell.clientWidth ? [cell.textContent] : [])),
      );
  await expect.poll(wide).toEqual([]);

  for (const width of [1024, 1099, 1100, 1160, 1280]) {
    await page.setViewportSize({ width, height: 1400 });
    await names.first().click();
    await expect(page.getByRole('complementary')).toBeInViewport({ ratio: 1 });
    await expect.poll(cut).toEqual([]);
    await expect.poll(wide).toEqual([]);
    await expect(rows.filter({ hasText: unread })).toContainText('Certificate not read');
    await expect(rows.locator('time').filter({ visible: true })).toHaveCount(12);
    // Neither scrolled out of its row nor below a fade.
    await expect(page.getByRole('button', { name: 'More filters' })).toBeInViewport({ ratio: 1 });
    const filters = page.getByRole('group', { name: 'Filter by state' });
    await expect.poll(() => filters.evaluate((row) => row.scrollWidth - row.clientWidth)).toBe(0);
    await page.getByRole('button', { name: 'Close' }).click();
    await expect(page.getByRole('complementary')).toBeHidden();
  }

  for (const width of [360, 320]) {
    await page.setViewportSize({ width, height: 1800 });
    const dates = rows.locator('time').filter({ visible: true });
    await expect(dates).toHaveCount(12);
    // A date that wraps to a line below its box would not be visible.
    const lost = () =>
      rows.evaluateAll((all) =>
        all.flatMap((row) =>
          [...row.querySelectorAll('time')].flatMap((date) => {
            const { bottom = 0 } = date.parentElement?.getBoundingClientRect() ?? {};
            return date.checkVisibility() && date.getBoundingClientRect().top >= bottom
              ? [row.textContent]
              : [];
          }),
        ),
      );
    await expect.poll(lost).toEqual([]);
  }
});

/** What the server says of a healthy domain, and of one in each of several other conditions. */
function conditions(): Partial<DomainWire>[] {
  const instant = (days: number) => new Date(daysFromNow(days)).toISOString();
  const [past, soon] = [instant(-3), instant(5.5)];
  const down: DomainWire['uptime'] = {
    state: 'down',
    checks: 'uudd',
    percent: 50,
    response_ms: null,
    cause: 'The domain answered with the error 503.',
    down_since: past,
  };
  const unreachable = { stage: 'connect', reason: 'refused', message: 'Refused.', since: past };
  const unread = {
    state: 'unread',
    fingerprint: null,
    valid_from: null,
    expiry_date: null,
    trusted: null,
  } as const;
  const finding = { addresses: ['192.0.2.1'], of_addresses: 2 };
  const wrongName = {
    ...finding,
    code: 'name_mismatch',
    severity: 'critical',
    message: 'Wrong.',
    short: 'Not trusted: wrong name',
  } as const;
  const chain = {
    ...finding,
    code: 'incomplete_chain',
    severity: 'warning',
    message: 'Incomplete.',
    short: 'The chain is incomplete',
  } as const;
  return [
    {},
    { ...unread, state: 'pending', last_checked_at: null, checking: true },
    { ...unread, unreachable, attention: 'unreachable' },
    { ...unread, unreachable, attention: 'down', uptime: down },
    { attention: 'down', uptime: down, unreachable },
    { attention: 'refused', refused: true, findings: [chain] },
    { attention: 'untrusted', trusted: false, findings: [wrongName], uptime: down },
    { attention: 'expired', state: 'expired', expiry_date: past, findings: [wrongName, chain] },
    { attention: 'critical', state: 'critical', expiry_date: soon, findings: [chain] },
    { waiting: { reason: 'own_network', until: soon } },
  ];
}

test('a card and a row have the same height whatever is wrong with the domain', async ({ page, world }) => {
  const all = conditions();
  // Six domains in each condition fill whole rows of one, two and three cards.
  await createAccount(page, world, { fleet: 6 * all.length, premium: true });
  await page.route('**/api/domain/list*', async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { data: DomainWire[] };
    const healthy = json.data.find(({ state }) => state === 'ok');
    const data = json.data.map(({ id, display_name }, index) => ({
      ...healthy,
      ...all[Math.floor(index / 6)],
      id,
      display_name,
    }));
    await route.fulfill({ response, json: { ...json, data } });
  });
  for (const view of ['grid', 'list'])
    for (const width of [360, 768, 1024, 1440])
      await test.step(`${view} at ${width} px`, async () => {
        await page.setViewportSize({ width, height: 16_000 });
        await page.goto(`/dashboard?view=${view}`);
        const items = page.locator('[data-domain-id]');
        await expect(items).toHaveCount(6 * all.length);
        // The last row has no border of 1 px.
        const difference = () =>
          items.evaluateAll((elements) => {
            const heights = elements.map((element) => element.getBoundingClientRect().height);
            return Math.max(...heights) - Math.min(...heights);
          });
        await expect.poll(difference).toBeLessThanOrEqual(1);
      });
});
