import type { Page } from '@playwright/test';
import { spec } from '../spec/spec.ts';
import { card, createAccount, daysFromNow, expect, test } from './world.ts';

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/Oslo' });

/** Returns how far the panel is from its final position, in px, at six times of the 300 ms of its slide. */
async function slide(page: Page, label: string, press: () => Promise<void>): Promise<number[]> {
  const seen = await page.evaluateHandle((name) => {
    const { promise, resolve } = Promise.withResolvers<number[]>();
    // An observer runs before the first frame of the slide, so a busy machine cannot miss it.
    new MutationObserver((_, observer) => {
      const panel = document.querySelector(`[aria-label="${name}"]`);
      const slides = panel?.getAnimations()[0];
      if (!panel || slides?.effect?.getComputedTiming().duration !== 300) return;
      observer.disconnect();
      slides.pause();
      const distances = [0, 60, 120, 180, 240, 300].map((time) => {
        slides.currentTime = time;
        return Math.round(panel.getBoundingClientRect().left - (window.innerWidth - 400));
      });
      slides.currentTime = 0;
      slides.play();
      resolve(distances);
    }).observe(document.body, { subtree: true, childList: true, attributeFilter: ['data-leaving'] });
    return { promise };
  }, label);
  await press();
  return seen.evaluate(async ({ promise }) => promise);
}

test('the panel is 400 px wide, slides in 300 ms, and shows every specified fact of the certificate', async ({
  page,
  world,
}) => {
  const addedAt = Date.now();
  const notBefore = daysFromNow(-20);
  const notAfter = daysFromNow(10.5);
  const host = await world.serve('panel.spec.example', {
    notBefore,
    notAfter,
    dnsNames: ['panel.spec.example', 'www.panel.spec.example', 'm.panel.spec.example'],
  });
  await createAccount(page, world, { hosts: [host] });
  await page.goto('/dashboard');
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/domain/*/history', async (route) => {
    await held;
    await route.continue();
  });
  await card(page, host).getByRole('link').click();
  const panel = page.getByLabel(`Details for ${host}`);
  const together = ['Current Certificate', 'Check Frequency', 'Certificate History'];
  // Without findings, nothing is above the specified parts.
  const titles = panel.getByRole('heading', { level: 3 });
  await expect(titles).toHaveText([...together, 'Clients', 'Tags and notes', 'Badge']);
  await expect(panel.getByText('Loading certificate history...')).toBeVisible();
  spec('2D.27', '“Loading certificate history...” stands while it loads');
  release();
  await expect(panel.getByText('Loading certificate history...')).toBeHidden();
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    await expect
      .poll(() => panel.evaluate((element) => element.getBoundingClientRect()))
      .toMatchObject({ width: 400, right: width });
  }
  spec('2D.18', 'The panel stands on the right, 400 px wide');
  await page.setViewportSize({ width: 1440, height: 900 });

  await test.step('the panel slides in and out', async () => {
    const label = `Details for ${host}`;
    const out = await slide(page, label, () => panel.getByRole('button', { name: 'Close' }).click());
    expect([out[0], out[5]]).toEqual([0, 400]);
    expect(out).toEqual([...new Set(out)].toSorted((one, other) => one - other));
    await expect(panel).toBeHidden();
    spec('2D.20', 'The panel slides out in 300 ms');
    const back = await slide(page, label, () => card(page, host).getByRole('link').click());
    expect([back[0], back[5]]).toEqual([400, 0]);
    expect(back).toEqual([...new Set(back)].toSorted((one, other) => other - one));
    spec('2D.19', 'The panel slides in');
    await expect(panel).toHaveCSS('transition-duration', '0.3s');
    spec('9.11', 'The panel is 400 px wide and closes in 300 ms');
  });

  await test.step('the header shows icon, host name, badge and a close button', async () => {
    const header = panel.locator('header');
    await expect(header.getByRole('heading', { name: host })).toBeVisible();
    await expect(header.getByText('Active', { exact: true })).toBeVisible();
    await expect(header.getByRole('button', { name: 'Close' })).toBeVisible();
    // The test host has no icon, so the tile shows its first letter.
    await expect(header.locator('[aria-hidden=true]').first()).toHaveText('P');
    spec('2D.21', 'The panel’s header has icon, host, revocation badge and a button to close');
  });

  for (const name of ['Current Certificate', 'Check Frequency'])
    await expect(panel.getByRole('heading', { name: new RegExp(`^${name}`) })).toBeVisible();
  await expect(panel).toContainText('Orchard Trust');
  await expect(panel).toContainText('CN=Orchard R1,O=Orchard Trust');
  spec('2D.24', 'The authority has its name and its full distinguished name');
  const current = panel.locator('section', {
    has: page.getByRole('heading', { name: 'Current Certificate' }),
  });
  for (const [term, value] of Object.entries({
    Issuer: 'Orchard R1',
    Subject: 'panel.spec.example',
    'Valid From': longDate.format(notBefore),
    'Expires On': longDate.format(notAfter),
    Authority: 'Orchard Trust',
    Revocation: 'Unknown: no CRL or OCSP responder we can verify',
  }))
    await expect(current.locator(`dt:text-is("${term}") + dd`)).toContainText(value);
  spec('1.01', 'People track domains and see issuer, subject, validity, authority and revocation');
  await expect(current.getByText('Expires in 10 days', { exact: true })).toBeVisible();
  spec('2D.22', 'Current Certificate: issuer, subject, valid from, expires on with its badge');
  const today = [addedAt, Date.now()].map((instant) => longDate.format(instant)).join('|');
  await expect(panel).toContainText(new RegExp(`(?:${today}).{1,6}\\d{2}:\\d{2}`));
  spec('2D.23', 'Last Checked has date and time');
  const short = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'Europe/Oslo' });
  for (const date of [notBefore, notAfter])
    if (short.format(date) !== longDate.format(date))
      await expect(current).not.toContainText(short.format(date));
  spec('2D.28', 'Dates in the panel have the long form');
  await expect(panel.getByRole('heading', { name: /^Certificate History/ })).toBeVisible();
  const names = panel.getByRole('list', { name: 'Names in the certificate' });
  await expect(names.getByText('www.panel.spec.example')).toBeVisible();
  await names.getByRole('button', { name: '+1 more' }).click();
  await expect(names.getByText('m.panel.spec.example', { exact: true })).toBeVisible();
  const history = panel.locator('section', {
    has: page.getByRole('heading', { name: /^Certificate History/ }),
  });
  for (const fact of [
    'panel.spec.example',
    'Orchard R1',
    longDate.format(notBefore),
    longDate.format(notAfter),
  ])
    await expect(history.getByRole('listitem').first()).toContainText(fact);
  spec('2D.26', 'The history lists subject, issuer, validity and names');
  spec('1.02', 'Each domain has a history of its certificates');

  await test.step('a revoked certificate is marked on its card and in the panel', async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.route('**/api/domain/list*', async (route) => {
      const answer = await route.fetch();
      const list = (await answer.json()) as { data: object[] };
      const data = list.data.map((domain) => ({ ...domain, is_revoked: true, state: 'revoked' }));
      await route.fulfill({ json: { ...list, data } });
    });
    await page.reload();
    for (const place of [panel, card(page, host)])
      await expect(place.getByText('Revoked', { exact: true }).first()).toBeVisible();
    spec('4B.07', 'The revocation badge is Revoked or Active');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
  await test.step('Premium frequencies are locked with a reason', async () => {
    await expect(panel.getByRole('radio')).toHaveCount(4);
    await expect(panel.getByRole('radio', { name: /^Daily/ })).toBeChecked();
    spec('2D.25', 'The panel has the selector for the check frequency');
    for (const name of [/^10 min/, /^15 min/, /^Hourly/])
      await expect(panel.getByRole('radio', { name })).toHaveAttribute('aria-disabled', 'true');
    await expect(panel.getByText('Upgrade to premium to customize check frequency.')).toBeVisible();
  });
});
