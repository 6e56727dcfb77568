import type { Page, Route } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import {
  addByApi,
  addHost,
  card,
  changePublicConfig,
  createAccount,
  daysFromNow,
  expect,
  test,
  type World,
} from './world.ts';

test('cards and panel say first what is broken, and Active has a tick only with a verified answer', async ({
  page,
  world,
}) => {
  const person = await createAccount(page, world);
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  const expired = await world.serve('legacy.fjord.example', {
    notBefore: daysFromNow(-93),
    notAfter: daysFromNow(-3),
  });
  // The headline must not say that it is reading the certificates of no domains, even before the summary is read again.
  const held = Promise.withResolvers<void>();
  await page.route('**/api/domain/summary', async (route) => {
    await held.promise;
    await route.continue();
  });
  await addHost(page, expired);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    /^Reading (?:the certificate of 1 domain|your certificates)$/,
  );
  held.resolve();
  const firstLine = (host: string) => card(page, host).locator('p').first();
  await expect(firstLine(expired)).toHaveText(/^Expired on \d+ \p{L}+$/u);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`${expired} has expired`);

  const misnamed = await world.serve('shop.fjord.example', { dnsNames: ['other.example'] });
  await addByApi(person, misnamed);
  await expect(firstLine(misnamed)).toHaveText('Not trusted: wrong name');

  const dead = world.dead('gone.fjord.example');
  await addByApi(person, dead);
  await expect(card(page, dead)).toContainText('Certificate not read');
  await expect(firstLine(dead)).toHaveText('The connection was refused');

  const tick = (host: string) => card(page, host).getByText('Active', { exact: true }).locator('svg');
  for (const host of [expired, misnamed]) {
    await expect(card(page, host)).toContainText('revocation not known');
    await expect(tick(host)).toHaveCount(0);
  }
  await expect(tick(dead)).toHaveCount(0);
  for (const [host, state] of [
    [expired, 'Expired'],
    [misnamed, 'Not trusted'],
    [dead, 'Certificate not read'],
  ] as const) {
    await card(page, host).getByRole('link').first().click();
    const panel = page.getByRole('complementary', { name: `Details for ${host}` });
    await expect(panel.locator('header')).toHaveText(new RegExp(`${state}Active`));
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();
  }
  await page.getByRole('button', { name: 'More filters' }).click();
  await expect(page.getByRole('menuitemradio', { name: 'Certificate not read' })).toBeVisible();
  await page.keyboard.press('Escape');

  await page.route('**/api/domain/list?*', async (route) => {
    const response = await route.fetch();
    const list = (await response.json()) as { data: { display_name: string; revocation: object }[] };
    const data = list.data.map((domain) => ({
      ...domain,
      revocation: { ...domain.revocation, state: 'good', source: 'crl' },
      ...(domain.display_name === misnamed && { trusted: true, findings: [] }),
    }));
    await route.fulfill({ response, json: { ...list, data } });
  });
  await page.reload();
  await expect(tick(misnamed)).toHaveCount(1);
  for (const host of [expired, dead]) await expect(tick(host)).toHaveCount(0);
});

test('a host that some clients refuse needs attention, although its certificate is trusted', async ({
  page,
  world,
}) => {
  const whole = await world.serve('www.fjord.example');
  const incomplete = await world.serve('docs.fjord.example', { isComplete: false });
  const person = await createAccount(page, world, { hosts: [whole] });
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`${whole} is fine`);
  await addByApi(person, incomplete);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    `${incomplete} is refused by some clients`,
  );
  await expect(page.getByText(/does not send the intermediate/).first()).toBeVisible();
  await expect(card(page, incomplete)).toContainText('Active');
  await test.step('its card names the state as the panel does, and the reason in full at every width', async () => {
    const lines = ['Refused by some clients', 'The chain is incomplete'].map((text) =>
      card(page, incomplete).getByText(text, { exact: true }),
    );
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const line of lines) {
        const isWhole = () =>
          line.evaluate((element) => {
            const text = document.createRange();
            text.selectNodeContents(element);
            const { right, bottom } = element.getBoundingClientRect();
            return [...text.getClientRects()].every((part) => part.right <= right && part.bottom <= bottom);
          });
        await expect.poll(isWhole, `${width} px`).toBe(true);
      }
    }
  });
  await expect(page.getByRole('link', { name: /days left, refused by some clients$/ })).toHaveCount(1);
  await page.getByRole('button', { name: /^Needs attention/ }).click();
  await expect(card(page, incomplete)).toBeVisible();
  await expect(card(page, whole)).toBeHidden();
  await card(page, incomplete).getByRole('link').first().click();
  const panel = page.getByRole('complementary', { name: `Details for ${incomplete}` });
  await expect(panel.locator('header')).toHaveText(/Refused by some clientsActive/);

  await test.step('its badge in the list of certificates has room beside the expiry date', async () => {
    await page.goto('/certificates');
    for (const width of [720, 900, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const cells = page.getByRole('row', { name: /docs\.fjord\.example/ }).getByRole('cell');
      const badge = cells.getByText('Refused by some clients', { exact: true });
      const [shown, date] = await Promise.all([badge.boundingBox(), cells.nth(1).boundingBox()]);
      expect(Number(shown?.x) + Number(shown?.width)).toBeLessThanOrEqual(Number(date?.x));
    }
  });
});

test('a short-lived certificate on schedule is fine in the headline, the timeline and the lists', async ({
  page,
  world,
}) => {
  const host = await world.serve('edge.fjord.example', {
    notBefore: daysFromNow(-2.5),
    notAfter: daysFromNow(4.1),
  });
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  const words = 'renews on schedule, due in 2 days';
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`${host} is fine`);
  await expect(page.getByText(`It ${words}.`)).toBeVisible();
  await expect(card(page, host)).toContainText('Expiring in 4 days');
  await expect(card(page, host)).toContainText('Renews on schedule, due in 2 days');
  await expect(
    page.getByRole('link', { name: new RegExp(`^${host}, expires on .*, ${words}$`) }),
  ).toBeAttached();
  await page.goto('/certificates');
  await expect(page.getByRole('row').filter({ hasText: words })).toHaveCount(1);
});

test('the Free plan’s limit shows a notice where Premium is not sold', async ({ page, world }) => {
  await changePublicConfig(page, { billing: { mode: 'unset' } });
  const names = ['one.moss.example', 'two.moss.example', 'three.moss.example'];
  const hosts = await Promise.all(names.map((name) => world.serve(name, { notAfter: daysFromNow(60.5) })));
  await createAccount(page, world, { hosts });
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('All 3 are fine');
  await expect(page.getByText(/^Next: \w+\.moss\.example\S* expires in 60 days\./)).toBeVisible();

  await page.getByRole('button', { name: 'Add Domain' }).click();
  const notice = page.getByRole('dialog', { name: 'Free tracks 3 domains' });
  await expect(notice).toContainText('Premium has no limit, but this server does not sell it.');
  await expect(page.getByText('Upgrade to Premium', { exact: true })).toBeHidden();
  await expectAccessible(page);
  await notice.getByRole('button', { name: 'Close' }).last().click();

  await test.step('the server refuses a Premium check frequency', async () => {
    const answer = await page.evaluate(async () => {
      const list = (await (await fetch('/api/domain/list?page=1')).json()) as { data: { id: string }[] };
      const path = `/api/domain/${list.data[0]?.id}/frequency?check_frequency=15`;
      return (await fetch(path, { method: 'PATCH' })).status;
    });
    expect(answer).toBe(402);
  });
});

test('an invalid host is refused with one error and no domain is added', async ({ page, world }) => {
  await createAccount(page, world);
  await page.goto('/dashboard');
  const input = page.getByLabel('Host Address');
  await input.fill('   ');
  await input.press('Enter');
  await expect(
    page.getByRole('alert').filter({ hasText: 'Please enter a valid host address' }),
  ).toBeVisible();
  await input.fill('not a host');
  await input.press('Enter');
  await expect(page.getByRole('region', { name: /Notifications/ }).getByRole('listitem')).toHaveCount(1);
  await expect(input).toHaveValue('not a host');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
});

/** Opens a domain of a new account in two tabs. The first tab receives the live events for both. */
async function openTwice(page: Page, world: World, name: string) {
  const host = await world.serve(name, { notAfter: daysFromNow(60) });
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  await expect(card(page, host)).toBeVisible();
  const other = await page.context().newPage();
  await other.goto('/dashboard');
  await expect(card(other, host)).toBeVisible();
  return { host, other };
}

test('a check that one tab starts is shown in the other tab when it finishes', async ({ page, world }) => {
  const { host, other } = await openTwice(page, world, 'live.moss.example');
  await expect(card(other, host).getByRole('img', { name: 'Last check: 1 up, 0 failed' })).toBeVisible();
  await page.getByRole('button', { name: `Actions for ${host}` }).click();
  await page.getByRole('menuitem', { name: 'Refresh' }).click();
  await expect(card(other, host).getByRole('img', { name: 'Last 2 checks: 2 up, 0 failed' })).toBeVisible();
  await other.close();
});

/** Delays live events until `removal` resolves. `first` answers the first request for live events. */
async function holdUpdates(page: Page, removal: Promise<void>, first?: (route: Route) => Promise<void>) {
  let asked = 0;
  await page.route('**/api/events', async (route) => {
    asked += 1;
    if (asked === 1 && first) return first(route);
    await removal;
    return route.continue();
  });
  return () => asked;
}

/** Removes a domain as another browser would, so that the page does not know. */
async function removeElsewhere(page: Page, host: string): Promise<void> {
  const link = page.getByRole('link', { name: host, exact: true });
  const id = new URLSearchParams((await link.getAttribute('href'))?.split('?')[1]).get('domain');
  const headers = { 'content-type': 'application/json' };
  expect((await page.request.delete(`/api/domain/${id}`, { headers })).ok()).toBe(true);
  await expect(link).toBeVisible();
}

test('a tab that takes over live events shows changes made in between', async ({ page, world }) => {
  const { host, other } = await openTwice(page, world, 'heir.moss.example');
  const removal = Promise.withResolvers<void>();
  const asked = await holdUpdates(other, removal.promise);
  await page.close();
  await expect.poll(asked).toBe(1);
  await removeElsewhere(other, host);
  removal.resolve();
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  await other.close();
});

test('a page whose live events begin late shows the changes made before', async ({ page, world }) => {
  const host = await world.serve('late.moss.example', { notAfter: daysFromNow(60) });
  await createAccount(page, world, { hosts: [host] });
  const removal = Promise.withResolvers<void>();
  const asked = await holdUpdates(page, removal.promise, (route) => route.abort());
  await page.goto('/dashboard');
  await expect(card(page, host)).toBeVisible();
  await expect.poll(asked).toBe(2);
  await removeElsewhere(page, host);
  removal.resolve();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
});
