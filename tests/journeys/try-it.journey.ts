import type { Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { card, daysFromNow, expect, fillSignUp, newPerson, test } from './world.ts';

const box = (page: Page) => page.locator('section', { has: page.getByRole('heading', { level: 1 }) });
const input = (page: Page) => page.getByRole('textbox', { name: 'Check any host' });

async function look(page: Page, host: string): Promise<void> {
  await input(page).fill(host);
  await page.getByRole('button', { name: 'Check' }).click();
}

test('a visitor gets a preview report of a host and can sign up to watch it', async ({ page, world }) => {
  const host = await world.serve('try.orchard.example', {
    notAfter: daysFromNow(40.5),
    dnsNames: ['try.orchard.example', 'two.example', 'three.example', 'four.example', 'five.example'],
  });
  await page.addInitScript(() =>
    document.addEventListener(
      'submit',
      () => sessionStorage.setItem('forms sent', String(Number(sessionStorage.getItem('forms sent')) + 1)),
      true,
    ),
  );
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/landing');
  const [check, signUp] = await Promise.all([
    page.getByRole('button', { name: 'Check' }).boundingBox(),
    box(page).getByRole('link', { name: 'Sign Up' }).boundingBox(),
  ]);
  expect(check).toMatchObject({ y: signUp?.y, height: signUp?.height });
  await look(page, host);
  const report = page.getByRole('article', { name: `Report on ${host}` });
  await expect(report.getByRole('heading', { name: host })).toBeFocused();
  await expect(report).toBeInViewport({ ratio: 1 });
  await expect(report).toContainText('40 days left');
  await expect(report).toContainText('Trusted');
  await expect(report.getByRole('img', { name: /^Issued .* days used/ })).toBeVisible();
  for (const [term, value] of [
    ['Issuer', 'Orchard Trust · Orchard R1'],
    ['Subject', 'try.orchard.example'],
    ['Names', /try\.orchard\.example, .* and 1 more/],
    ['Addresses', '127.0.0.1 TLS 1.3'],
    ['Revocation', 'Unknown: no CRL or OCSP responder we can verify'],
    ['Chain', /issued by Orchard R1.*Orchard R1 issued by Orchard Root/s],
  ] as const)
    await expect(report.getByRole('term').filter({ hasText: term }).locator('+ dd')).toHaveText(value);

  await test.step('with one field and one form, the host is watched', async () => {
    await report.getByRole('link', { name: 'Watch this host' }).click();
    await expect(page).toHaveURL(/\/signup\?host=/);
    await expect(page.getByText(`After you sign up, we watch ${host}.`)).toBeVisible();
    await fillSignUp(page, newPerson());
    await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
    await expect(card(page, host)).toBeVisible();
    expect(await page.evaluate(() => sessionStorage.getItem('forms sent'))).toBe('2');
    await page.reload();
    await expect(card(page, host)).toHaveCount(1);
  });
});

test('a checked host appears on the horizon of the landing page', async ({ page, world }) => {
  const host = await world.serve('pin.orchard.example', { notAfter: daysFromNow(300.5) });
  // A window that is high enough for the timeline and the report.
  await page.setViewportSize({ width: 1280, height: 1400 });
  await page.goto('/landing');
  const pins = box(page).locator('svg text');
  await expect(pins.filter({ hasText: 'pay.fjord.example' })).toHaveCount(1);
  await expect(pins.filter({ hasText: 'pin.orchard' })).toHaveCount(0);
  await look(page, host);
  await expect(pins.filter({ hasText: 'pin.orchard' })).toBeInViewport();

  await test.step('a narrow window shows its name too, in bold if the host has a problem', async () => {
    const wrong = await world.serve('wrong.orchard.example', {
      notAfter: daysFromNow(70.5),
      dnsNames: ['other.orchard.example'],
    });
    await page.setViewportSize({ width: 360, height: 1400 });
    await look(page, wrong);
    const name = pins.filter({ hasText: 'wrong.orch' });
    await expect(name).toBeInViewport();
    await expect(name).toHaveAttribute('font-weight', '600');
  });
});

test('a preview report says that a certificate has expired or that the host cannot be reached', async ({
  page,
  world,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const expired = await world.serve('old.orchard.example', {
    notBefore: daysFromNow(-93),
    notAfter: daysFromNow(-3),
  });
  const dead = world.dead('dead.orchard.example');
  await page.goto('/landing');
  await look(page, expired);
  const report = box(page).getByRole('article');
  await expect(report.getByText('Expired', { exact: true })).toBeVisible();
  await expect(report).toContainText('Not trusted');
  await expect(report).toContainText(/The certificate expired on \d/);
  await expectAccessible(page);

  await look(page, dead);
  await expect(report.getByText('Certificate not read')).toBeVisible();
  await expect(report).toContainText(/dead\.orchard\.example:1 .*refused/);
  await expect(report).not.toContainText('Expired');
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});

test('the preview check refuses an invalid host below the input', async ({ page }) => {
  const logged: string[] = [];
  page.on('console', (message) => message.type() === 'error' && logged.push(message.text()));
  await page.goto('/landing');
  // The button works only when the page's code runs. That code also draws the label “Today”.
  await expect(page.getByText('Today', { exact: true }).first()).toBeVisible();
  await page.getByRole('button', { name: 'Check' }).click();
  const field = input(page);
  await expect(box(page).getByRole('alert')).toHaveText('Please enter a valid host address');
  await expect(field).toBeFocused();
  await field.fill('bad host');
  await expect(box(page).getByRole('alert')).toHaveCount(0);
  await field.press('Enter');
  await expect(box(page).getByRole('alert')).toHaveText(/A host name can contain letters/);
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await expect(field).toHaveValue('bad host');
  // Browsers log every answer with an error status.
  expect(logged).toEqual([]);
});

test('a failed preview check keeps the host and can be retried', async ({ page, world }) => {
  const host = await world.serve('again.orchard.example');
  await page.goto('/landing');
  await page.route('**/api/try', (route) => route.abort('connectionreset'));
  await look(page, host);
  const failure = box(page).getByRole('alert');
  await expect(failure).toContainText('The server could not be reached');
  await expect(input(page)).toHaveValue(host);
  await expectAccessible(page);

  await page.unroute('**/api/try');
  await page.route('**/api/try', (route) =>
    route.fulfill({
      status: 429,
      contentType: 'application/problem+json',
      json: {
        type: 'about:blank',
        title: 'Too many requests',
        status: 429,
        code: 'too_many_requests',
        detail: 'Too many attempts. Try again in 40 seconds.',
        request_id: 'r',
        retry_after: 40,
      },
    }),
  );
  await failure.getByRole('button', { name: 'Try again' }).click();
  await expect(failure).toContainText('Too many attempts. Try again in 40 seconds.');

  await page.unroute('**/api/try');
  await failure.getByRole('button', { name: 'Try again' }).click();
  await expect(box(page).getByRole('heading', { name: host })).toBeVisible();
  await expect(failure).toHaveCount(0);
});

test('a slow preview check shows its progress and moves nothing', async ({ page, world }) => {
  const host = await world.serve('slow.orchard.example');
  await page.goto('/landing');
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/try', async (route) => {
    await held;
    await route.continue();
  });
  const below = () => page.getByRole('heading', { level: 2 }).first().boundingBox();
  const before = await below();
  await look(page, host);
  await expect(box(page).getByRole('status')).toHaveText(`Checking ${host} …`);
  expect(await below()).toEqual(before);
  await expect(page.getByRole('button', { name: 'Check' })).toBeDisabled();
  await expect(box(page).getByRole('status')).toContainText('Still checking');
  // The report does not take the focus from a person who continues typing.
  await input(page).fill('next.example');
  answer();
  await expect(box(page).getByRole('heading', { name: host })).toBeVisible();
  await expect(input(page)).toBeFocused();
});
