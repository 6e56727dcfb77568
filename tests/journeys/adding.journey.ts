import type { Page } from '@playwright/test';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { startWebhookSink } from '../kit/peers/webhook-sink.ts';
import {
  addByApi,
  addHost,
  card,
  createAccount,
  daysFromNow,
  expect,
  signUp,
  test,
  verifyAddress,
} from './world.ts';

test('a host that is not in DNS is added only after a confirmation', async ({ page, world }) => {
  await createAccount(page, world);
  await page.goto('/dashboard');
  const typo = 'shpo.adding.example';
  const field = page.getByLabel('Host Address');
  await field.fill(typo);
  await field.press('Enter');
  await expect(page.getByRole('alert')).toHaveText(
    `${typo} has no public address in DNS. Check the spelling, or add it anyway.`,
  );
  await expect(field).toHaveAccessibleDescription(/has no public address in DNS/);
  await expect(card(page, typo)).toHaveCount(0);

  const right = await world.serve('shop.adding.example');
  await field.fill(right);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await field.press('Enter');
  await expect(card(page, right)).toBeVisible();

  await page.getByRole('button', { name: 'Add Domain' }).click();
  await field.fill(typo);
  await field.press('Enter');
  await page.getByRole('button', { name: 'Add anyway' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(card(page, typo)).toBeVisible();
});

test('a toast and the field show why a host is refused until the host changes', async ({ page, world }) => {
  await createAccount(page, world);
  await page.goto('/dashboard');
  const field = page.getByLabel('Host Address');
  const notifications = page.getByRole('region', { name: /^Notifications/ });
  const refusal = /10\.0\.0\.1|private/;
  await test.step('on the empty dashboard', async () => {
    await field.fill('10.0.0.1');
    await field.press('Enter');
    await expect(notifications.getByText(refusal)).toBeVisible();
    await expect(field).toHaveAccessibleDescription(refusal);
    await field.fill('10.0.0.2');
    await expect(field).toHaveAccessibleDescription('');
  });
  await test.step('in the dialog', async () => {
    await page.getByRole('button', { name: 'Add Domain' }).first().click();
    const input = page.getByRole('dialog', { name: 'Add New Domain' }).getByLabel('Host Address');
    await input.fill('10.0.0.1');
    await input.press('Enter');
    await expect(input).toHaveAccessibleDescription(refusal);
    await expect(input).toBeFocused();
  });
});

test('a host is not added without a confirmation while DNS lookups are refused', async ({ page, world }) => {
  await createAccount(page, world);
  await page.goto('/dashboard');
  const typo = 'shpo.busy.adding.example';
  const tooMany = 'Too many requests. Try again in 20 seconds.';
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/domain/add')) sent.push(request.url());
  });
  await page.route('**/api/domain/lookup?*', (route) =>
    route.fulfill({
      status: 429,
      json: {
        type: 'about:blank',
        title: 'Too many requests',
        status: 429,
        code: 'too_many_requests',
        detail: tooMany,
        request_id: 'r1',
        retry_after: 20,
      },
    }),
  );
  const field = page.getByLabel('Host Address');
  await field.fill(typo);
  await field.press('Enter');
  await expect(page.getByRole('region', { name: /^Notifications/ }).getByText(tooMany)).toBeVisible();
  expect(sent).toEqual([]);

  await page.unroute('**/api/domain/lookup?*');
  await field.press('Enter');
  await expect(field).toHaveAccessibleDescription(/has no public address in DNS/);
  expect(sent).toEqual([]);
});

test('a domain that is tracked already is named while typing and can be opened', async ({ page, world }) => {
  const shop = await world.serve('twice.adding.example');
  await createAccount(page, world, { hosts: [shop] });
  await page.goto('/dashboard');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/domain/')) sent.push(request.url());
  });
  await page.getByRole('button', { name: 'Add Domain' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add New Domain' });
  await dialog.getByLabel('Host Address').fill(`https://${shop.toUpperCase()}/cart`);
  await expect(dialog.getByRole('alert')).toContainText(`You already track ${shop}.`);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByRole('button', { name: 'Show it' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByLabel(`Details for ${shop}`)).toBeVisible();
  expect(sent).toEqual([]);
});

test('after the first domain, the next steps say when we email and offer a test, Slack and more domains', async ({
  page,
  world,
}) => {
  const person = await signUp(page, world);
  const shop = await world.serve('first.adding.example', { notAfter: daysFromNow(10.5) });
  await addHost(page, shop);
  const strip = page.getByRole('region', { name: 'Next steps' });
  await card(page, shop).hover();
  await expect(strip).toContainText(
    new RegExp(`We’ll email ${person.email} on \\d+.* and .*, unless the certificate is renewed\\.`),
  );
  const plain = await strip.evaluate((element) => getComputedStyle(element).backgroundColor);
  await verifyAddress(page, world, person);
  await card(page, shop).hover();
  await expect(strip).not.toHaveCSS('background-color', plain);
  await strip.getByRole('button', { name: 'Send a test' }).click();
  await world.mail.waitFor(({ to, subject }) => to.includes(person.email) && /test/i.test(subject));
  await strip.getByRole('link', { name: 'Add Slack' }).click();
  const channels = page.getByRole('dialog', { name: 'Add channel' });
  await expect(channels).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Add channel' })).toBeVisible();
  await expect(channels).toHaveCount(0);
  await page.goto('/dashboard');
  // The next steps appear although neither the pointer nor the focus has moved.
  await expect(strip).toBeVisible();
  await strip.getByRole('button', { name: 'Add more' }).click();
  await page.getByRole('dialog', { name: 'Add New Domain' }).getByRole('button', { name: 'Cancel' }).click();
  await strip.getByRole('button', { name: 'Hide' }).click();
  await expect(strip).toHaveCount(0);
  expect(await page.evaluate(() => localStorage.getItem('first-domain-strip'))).toBe('hidden');
});

test('the next steps after the first domain name the chosen channel and the domain’s own alert dates', async ({
  page,
  world,
}) => {
  const sink = await startWebhookSink();
  const notAfter = daysFromNow(60.5);
  const shop = await world.serve('chosen.adding.example', { notAfter });
  const person = await createAccount(page, world, { hosts: [shop], trial: true, verified: true });
  const added = await person.ask(CALLS.addChannel, {
    body: { name: 'Pipeline', config: { kind: 'webhook', url: `${sink.url}/hook` } },
  });
  const settings = { channels: [added.ok.data.channel.key] };
  void (await person.ask(CALLS.changeAccountAlerts, { body: { settings } })).ok;
  const [domain] = (await person.ask(CALLS.listDomains)).ok.data;
  const params = { id: domain?.id ?? '' };
  void (await person.ask(CALLS.changeDomainAlerts, { params, body: { steps: ['5d'] } })).ok;
  await page.goto('/dashboard');
  const strip = page.getByRole('region', { name: 'Next steps' });
  const inOslo = new Intl.DateTimeFormat('en-GB', { day: 'numeric', timeZone: 'Europe/Oslo' });
  await expect(strip).toContainText(
    new RegExp(
      `We’ll alert Pipeline on ${inOslo.format(notAfter - 5 * DAY_MS)}.* and ${inOslo.format(notAfter)} .*, unless the certificate is renewed\\.`,
    ),
  );
  await strip.getByRole('button', { name: 'Send a test' }).click();
  await expect(page.getByText('We sent a test to Pipeline.')).toBeVisible();
  await expect.poll(() => sink.requests.length).toBe(1);
});

test('with the fields behind "More", two servers of one name are two domains', async ({ page, world }) => {
  const older = await world.serve('two.adding.example', { notAfter: daysFromNow(5.5) });
  const newer = await world.serve('two.adding.example', { notAfter: daysFromNow(80.5) });
  const backend = `127.0.0.1:${newer.split(':')[1]}`;
  const sent: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/domain/add')) sent.push(request.postDataJSON());
  });
  await createAccount(page, world);
  await page.goto('/dashboard');
  const opener = page.getByRole('button', { name: 'Add Domain' }).first();
  const dialog = page.getByRole('dialog', { name: 'Add New Domain' });
  await opener.click();
  await dialog.getByLabel('Host Address').fill(older);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog).toBeHidden();

  await opener.click();
  await dialog.getByLabel('Host Address').fill(older);
  await dialog.getByText('More').click();
  const connectTo = dialog.getByLabel('Connect to');
  await test.step('a refused field says why', async () => {
    await connectTo.fill('127.0.0.1:99999');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(connectTo).toHaveAccessibleDescription('The port must be a whole number from 1 to 65535.');
    await expect(connectTo).toBeFocused();
  });
  await test.step('a refused field is shown and focused, even if the fields were folded', async () => {
    await connectTo.fill('127.0.0.1');
    const family = dialog.getByLabel('Address family');
    await family.click();
    await page.getByRole('option', { name: 'IPv6 only' }).click();
    await dialog.getByText('More (2 set)').click();
    await expect(family).toBeHidden();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(family).toHaveAccessibleDescription(/not of this family/);
    await expect(family).toBeFocused();
    await family.click();
    await page.getByRole('option', { name: 'IPv4 and IPv6' }).click();
  });
  await connectTo.fill(backend);
  await expect(dialog.getByRole('alert')).toHaveCount(0);
  await dialog.getByLabel('Server name').fill('none');
  await expect(dialog.getByText('More (2 set)')).toBeVisible();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog).toBeHidden();
  expect(sent).toEqual([{ host: older }, { host: older, connect_to: backend, server_name: 'none' }]);

  await expect(card(page, older)).toContainText('in 5 days');
  const other = card(page, `${older} via ${backend} (no server name)`);
  await expect(other).toContainText('80 days left');
  await expect(other.getByText(`via ${backend} (no server name)`, { exact: true })).toBeVisible();
  await other.click();
  await expect(page.getByText(`The check connects to ${backend} and sends no server name.`)).toBeVisible();
});

/**
 * Records in each frame every distinct position of the timeline, the toolbar, the list and its rows, in px from the top of
 * the document, and every height of a row, rounded to a tenth. Returns a function that reads the records.
 */
async function watchLayout(page: Page): Promise<() => Promise<Record<string, number[]>>> {
  // The code of the list may load after the headline has its text.
  await expect(page.locator('[aria-label=Domains]').first()).toBeVisible();
  const seen = await page.evaluateHandle(() => {
    const values: Record<string, number[]> = {};
    const add = (name: string, value: number) => {
      const rounded = Math.round(value * 10) / 10;
      const former = (values[name] ??= []);
      if (former.at(-1) !== rounded) former.push(rounded);
    };
    let isDue = false;
    const look = () => {
      isDue = false;
      for (const [name, part] of [
        ['timeline', 'main section'],
        ['toolbar', '[data-toolbar]'],
        ['list', '[aria-label=Domains]'],
      ] as const)
        add(name, (document.querySelector(part)?.getBoundingClientRect().top ?? NaN) + window.scrollY);
      for (const each of document.querySelectorAll('[data-domain-id]')) {
        const { top, height } = each.getBoundingClientRect();
        const host = each.querySelector('a[title]')?.textContent;
        add(`place of ${host}`, top + window.scrollY);
        add(`height of ${host}`, height);
      }
    };
    // Looks only at frames after a change: looking at every frame of four tabs took a third of the CPU time of the test.
    const lookNext = () => {
      if (!isDue) requestAnimationFrame(look);
      isDue = true;
    };
    const changes = { subtree: true, childList: true, attributes: true, characterData: true };
    new MutationObserver(lookNext).observe(document, changes);
    new ResizeObserver(lookNext).observe(document.querySelector('main') ?? document.body);
    look();
    return values;
  });
  return () => seen.evaluate((values) => values);
}

const LONG = `${'long-name-of-a-host.'.repeat(6)}still.example`;

const LAYOUTS = [
  { width: 360, view: 'grid' },
  { width: 360, view: 'list' },
  { width: 768, view: 'list' },
  { width: 1440, view: 'grid' },
] as const;

test('adding, checking and removing domains moves nothing else in grid and list at 360, 768 and 1440 px', async ({
  context,
  page,
  world,
}) => {
  const person = await createAccount(page, world, { premium: true, verified: true });
  // Each layout has a tab of its own, so that all tabs show the same domains at the same time.
  const tabs = await Promise.all(
    LAYOUTS.map(async ({ width, view }, index) => {
      const tab = index === 0 ? page : await context.newPage();
      await tab.setViewportSize({ width, height: 900 });
      await tab.goto(`/dashboard?view=${view}`);
      const headline = tab.getByRole('heading', { level: 1 });
      await expect(headline).toHaveText('Add your first domain');
      return { tab, headline, layout: `${view} at ${width} px` };
    }),
  );
  const showsHeadline = (text: string | RegExp) =>
    Promise.all(tabs.map(({ headline }) => expect(headline).toContainText(text)));
  const showsTotal = (count: number) =>
    Promise.all(
      tabs.map(({ tab }) =>
        expect(tab.getByRole('button', { name: `All, ${count}`, exact: true })).toBeVisible(),
      ),
    );
  const served = (label: string, days: number) =>
    world.serve(`${label}.still.example`, { notBefore: daysFromNow(-60), notAfter: daysFromNow(days) });
  const watchAll = () =>
    Promise.all(tabs.map(async ({ tab, layout }) => ({ layout, seen: await watchLayout(tab) })));
  const expectFixed = (values: number[], part: string) =>
    expect(Math.max(...values) - Math.min(...values), `${part}: ${values.join(', ')}`).toBeLessThanOrEqual(1);

  const first = await served('first', 80.5);
  const field = page.getByLabel('Host Address');
  await field.fill(first);
  await field.press('Enter');
  await showsHeadline(`${first} is fine`);
  const layouts = await watchAll();
  for (const [index, { tab }] of tabs.entries()) {
    await tab.getByRole('button', { name: 'Add Domain' }).filter({ visible: true }).click();
    await tab.getByLabel('Host Address').fill(await served(`tab-${index}`, 70.5));
    await tab.getByLabel('Host Address').press('Enter');
    await showsHeadline(index === 0 ? 'Both are fine' : `All ${index + 2} are fine`);
  }
  const add = async (host: string, words: string | RegExp) => {
    await addByApi(person, host);
    await showsHeadline(words);
  };
  const broken = world.dead('broken.still.example');
  await add(broken, `The certificate of ${broken} was not read`);
  await add(await served('soon', 9.5), '2 domains need attention, 1 this week');
  await add(world.dead(`also.${LONG}`), '3 domains need attention, 2 this week');
  for (let count = 9; count <= 12; count += 1) {
    await addByApi(person, await served(`more-${count}`, count));
    await showsTotal(count);
  }
  await showsHeadline(/\d domains need attention/);
  for (const { layout, seen } of layouts)
    for (const [part, values] of Object.entries(await seen()))
      if (part.startsWith('place of ')) {
        // Each row only moves down, to make room for the new rows above it.
        expect(values, `${layout}, ${part}`).toEqual(values.toSorted((one, other) => one - other));
      } else expectFixed(values, `${layout}, ${part}`);

  await test.step('removing domains moves nothing above the list', async () => {
    const after = await watchAll();
    const domains = (await person.ask(CALLS.listDomains, { query: { limit: '100' } })).ok.data;
    for (const [index, { id }] of domains.slice(0, -1).entries()) {
      void (await person.ask(CALLS.removeDomain, { params: { id } })).ok;
      await showsTotal(11 - index);
    }
    await showsHeadline(`${first} is fine`);
    for (const { layout, seen } of after)
      for (const [part, values] of Object.entries(await seen()))
        if (!part.startsWith('place of ')) expectFixed(values, `${layout}, ${part}`);
  });
});

test('a headline with a long host keeps its words, and its height at every width', async ({
  page,
  world,
}) => {
  const host = world.dead(LONG);
  await createAccount(page, world, { hosts: [host] });
  for (const width of [360, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/dashboard');
    const headline = page.getByRole('heading', { level: 1 });
    await expect(headline).toHaveText(`The certificate of ${host} was not read`);
    const { end, bottom, right } = await headline.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element.lastChild ?? element);
      const { right: end } = range.getBoundingClientRect();
      const box = element.getBoundingClientRect();
      return { end, bottom: range.getBoundingClientRect().bottom - box.bottom, right: box.right };
    });
    expect(end, `${width} px`).toBeLessThanOrEqual(right + 1);
    expect(bottom, `${width} px`).toBeLessThanOrEqual(1);
    await expect(headline.getByTitle(host)).toBeVisible();
  }
});
