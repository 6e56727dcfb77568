import type { Page, Route } from '@playwright/test';
import { createAccount, daysFromNow, expect, showSection, test, type World } from './world.ts';

/** Opens the panel of the only domain of a new account, whose certificate expires in `days`. */
async function openPanel(page: Page, world: World, name: string, days: number, trial = false) {
  const host = await world.serve(name, { notBefore: daysFromNow(days - 90), notAfter: daysFromNow(days) });
  const person = await createAccount(page, world, { hosts: [host], trial });
  await page.goto('/dashboard');
  await page.getByRole('link', { name: host, exact: true }).click();
  const panel = page.getByLabel(`Details for ${host}`);
  await showSection(panel, 'Alerts');
  const alerts = panel.locator('section', {
    has: page.getByRole('heading', { name: 'Alerts', exact: true }),
  });
  await expect(alerts.getByText('Alerts for this domain')).toBeVisible();
  return { person, host, alerts };
}

test('the panel lists the future alerts of a domain while nothing is wrong', async ({ page, world }) => {
  const { alerts } = await openPanel(page, world, 'well.alerts.example', 60.5);
  await expect(alerts.getByText(/^Next alert: renewal overdue, on \d+ \w+/)).toBeVisible();
  await alerts.getByText('Upcoming alerts if nothing is renewed').click();
  await expect(alerts.getByRole('listitem')).toHaveText([
    /^renewal overdue\d/,
    /^14 days before\d/,
    /^7 days before\d/,
    /^3 days before\d/,
    /^1 day before\d/,
    /^when it expires\d/,
  ]);
  await expect(alerts.getByRole('button', { name: 'Acknowledge' })).toHaveCount(0);
});

test('an incident is acknowledged, snoozed and reactivated', async ({ page, world }) => {
  const { alerts } = await openPanel(page, world, 'soon.alerts.example', 11.5);
  const incidents = alerts.getByRole('list', { name: 'Incidents' });
  await expect(incidents).toContainText('expires in 11 days');
  await expect(incidents).toContainText(
    'Acknowledge: no more alerts about this incident, except at expiry and when it ends.',
  );
  await expect(alerts.getByText(/^Next alert: 7 days before/)).toBeVisible();

  await test.step('acknowledge', async () => {
    await alerts.getByRole('button', { name: 'Acknowledge' }).click();
    await expect(incidents).toContainText(
      'Acknowledged. No more alerts about this incident, except at expiry and when it ends.',
    );
    await expect(alerts.getByText(/^Next alert: when it expires/)).toBeVisible();
    await expect(alerts.getByRole('button', { name: 'Resume alerts' })).toBeFocused();
    await alerts.getByRole('button', { name: 'Resume alerts' }).click();
    await expect(alerts.getByText(/^Next alert: 7 days before/)).toBeVisible();
    await expect(alerts.getByRole('button', { name: 'Acknowledge' })).toBeFocused();
  });

  await test.step('snooze', async () => {
    await alerts.getByRole('button', { name: 'Snooze', exact: true }).click();
    await expect(page.getByRole('menuitem')).toHaveText([/^1 hour/, /^1 day/, /^3 days/, /^1 week/]);
    await page.getByRole('menuitem', { name: '1 week' }).click();
    await expect(incidents).toContainText(/Snoozed: no alerts until \d+ \w+ \d{4} at \d\d:\d\d\./);
    await expect(alerts.getByRole('button', { name: 'End snooze' })).toBeFocused();
    await alerts.getByRole('button', { name: 'End snooze' }).click();
    await expect(alerts.getByRole('button', { name: 'Snooze', exact: true })).toBeFocused();
  });
});

test('a sent alert has a receipt in the panel and can be sent again', async ({ page, world }) => {
  const { person, host, alerts } = await openPanel(page, world, 'sent.alerts.example', 11.5);
  const told = () =>
    world.mail.ledger.filter(
      ({ to, subject }) => to.includes(person.email) && subject.startsWith(`${host} expires in`),
    );
  await expect(alerts.getByText('Delivered: Your email')).toBeVisible();
  await expect.poll(() => told().length).toBe(1);
  await alerts.getByText('Delivery details').click();
  await expect(alerts.getByText(/^1\. \d+ \w+ \d{4}/)).toBeVisible();
  await alerts.getByRole('button', { name: /^Send again/ }).click();
  await expect.poll(() => told().length).toBe(2);
  await expect(alerts.getByText(/^2\. \d+ \w+ \d{4}/)).toBeVisible();
});

test('a domain has its own quiet hours, and its own steps with Premium', async ({ page, world }) => {
  const { alerts } = await openPanel(page, world, 'own.alerts.example', 60.5);
  await alerts.getByText('Account defaults').first().click();
  await alerts.getByRole('button', { name: 'Change: Steps' }).click();
  await expect(alerts.getByText('Custom steps for a domain need Premium.')).toBeVisible();
  await expect(alerts.getByRole('button', { name: 'Save' })).toHaveCount(0);
  await alerts.getByRole('button', { name: 'Close' }).click();
  await expect(alerts.getByRole('button', { name: 'Change: Steps' })).toBeFocused();

  await alerts.getByRole('button', { name: 'Change: Quiet hours' }).click();
  await expect(alerts.getByLabel('Hold alerts at night')).toBeFocused();
  await alerts.getByLabel('Hold alerts at night').check();
  await expect(alerts.getByRole('heading', { name: 'Upcoming alerts if nothing is renewed' })).toBeVisible();
  // Changes are saved without a button, as on the Alerts page.
  await expect(alerts.getByText('22:00 to 7:00, except critical alerts')).toBeVisible();
  await expect(alerts.getByRole('button', { name: 'Save' })).toHaveCount(0);
  await alerts.getByRole('button', { name: 'Done' }).click();
  await expect(alerts.getByText('22:00 to 7:00, except critical alerts')).toBeVisible();
  await expect(alerts.getByText('Custom quiet hours')).toBeVisible();
  await expect(alerts.getByRole('button', { name: 'Change: Quiet hours' })).toBeFocused();
  await alerts.getByRole('button', { name: 'Change: Quiet hours' }).click();
  await alerts.getByRole('button', { name: 'Account defaults' }).click();
  await expect(alerts.getByText('Custom quiet hours')).toHaveCount(0);

  const night = alerts.getByLabel('Hold alerts at night');
  const change = (answer: (route: Route) => Promise<void>) =>
    page.route('**/api/domain/*/alerts', (route) =>
      route.request().method() === 'PATCH' ? answer(route) : route.fallback(),
    );
  await test.step('a choice that could not be saved goes back', async () => {
    await change((route) => route.fulfill({ status: 503 }));
    await alerts.getByRole('button', { name: 'Change: Quiet hours' }).click();
    await night.click();
    await expect(page.getByText(/^Could not save the change: /)).toBeVisible();
    await expect(night).not.toBeChecked();
    await page.unroute('**/api/domain/*/alerts');
  });

  await test.step('the last of several quick choices is saved, also if another setting is changed meanwhile', async () => {
    const held: (() => void)[] = [];
    let isHeld = true;
    await change(async (route) => {
      if (isHeld) await new Promise<void>((release) => held.push(release));
      await route.continue();
    });
    for (const isOn of [true, false, true]) {
      await night.click();
      await expect(night).toBeChecked({ checked: isOn });
    }
    await alerts.getByRole('button', { name: 'Done' }).click();
    await alerts.getByRole('button', { name: 'Change: Events' }).click();
    await alerts.getByLabel('Outages').uncheck();
    await expect.poll(() => held.length).toBe(1);
    isHeld = false;
    held[0]?.();
    await expect(alerts.getByText('All events except outages')).toBeVisible();
    await expect(alerts.getByText('22:00 to 7:00, except critical alerts')).toBeVisible();
    await expect(alerts.getByText('Custom quiet hours and choice of events')).toBeVisible();
  });
});

test("changes to a domain's alert steps are saved at once, with a preview", async ({ page, world }) => {
  const { alerts } = await openPanel(page, world, 'steps.alerts.example', 60.5, true);
  await alerts.getByText('Account defaults').first().click();
  await alerts.getByRole('button', { name: 'Change: Steps' }).click();
  await alerts.getByRole('radio', { name: /Custom/ }).click();
  await alerts.getByLabel('Add a step').fill('21');
  await alerts.getByRole('button', { name: 'Add', exact: true }).click();
  const preview = alerts.getByRole('region', { name: 'Upcoming alerts if nothing is renewed' });
  await expect(preview.getByText('21 days before')).toBeVisible();
  await alerts.getByLabel('Add a step').fill('60');
  await alerts.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(
    alerts.getByText(
      'This certificate is valid for 90 days, so we send the alert “60 days before” when half of its lifetime is left: 45 days before.',
    ),
  ).toBeVisible();
  await alerts.getByRole('button', { name: 'Done' }).click();
  await alerts.getByRole('button', { name: 'Change: Steps' }).click();
  await expect(alerts.getByRole('button', { name: 'Remove the step 60 days before' })).toBeVisible();
});
