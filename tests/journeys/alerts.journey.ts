import type { Locator, Page } from '@playwright/test';
import { startWebhookSink } from '../kit/peers/webhook-sink.ts';
import { expectAccessible } from './axe.ts';
import { choose, createAccount, daysFromNow, expect, test } from './world.ts';

const row = (page: Page, name: string): Locator =>
  page.locator('section', { has: page.getByRole('heading', { level: 2, name, exact: true }) });

async function openAlerts(page: Page): Promise<void> {
  await page.goto('/alerts');
  await expect(page.getByRole('heading', { level: 1, name: 'Alerts' })).toBeVisible();
  await expect(row(page, 'Channels').getByRole('listitem').first()).toContainText('Your email');
}

/** Opens the form for a kind of channel. */
async function chooseKind(page: Page, kind: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Add channel' }).click();
  await page
    .getByRole('dialog', { name: 'Add channel' })
    .getByRole('button', { name: new RegExp(`^${kind}`) })
    .click();
  return page.getByRole('dialog');
}

test('a webhook can be added, tested, sent again, renamed, switched off and removed, and gets a new signing key', async ({
  page,
  world,
}) => {
  const sink = await startWebhookSink();
  await createAccount(page, world, { trial: true, verified: true });
  await openAlerts(page);
  const dialog = await chooseKind(page, 'Webhook');
  await expectAccessible(page);
  await dialog.getByLabel('Address').fill('nowhere');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await expect(dialog.getByRole('alert')).toContainText('http or https address');
  await dialog.getByLabel('Address').fill(`${sink.url}/hook`);
  await dialog.getByLabel('Name').fill('Pipeline');
  await dialog.getByRole('button', { name: 'Add channel' }).click();

  await expect(dialog.getByLabel('Signing key')).toHaveValue(/^whsec_/);
  // Escape must not close the dialog with the key that is shown only once.
  await page.keyboard.press('Escape');
  const first = await dialog.getByLabel('Signing key').inputValue();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Send a test' }).click();
  await expect(dialog.getByRole('region', { name: 'Test of Pipeline' })).toContainText(/Delivered/);
  await expect(dialog).toContainText('200');
  expect(sink.requests).toHaveLength(1);
  await expect(dialog.getByRole('button', { name: 'Done' })).toBeFocused();
  const again = dialog.getByRole('button', { name: /^Send again to Pipeline/ });
  await again.click();
  await expect.poll(() => sink.requests.length).toBe(2);
  await expect(again).toBeFocused();
  // The receiver can recognise the repeated message by its id.
  expect(sink.requests[1]?.headers['webhook-id']).toBe(sink.requests[0]?.headers['webhook-id']);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('button', { name: 'Add channel' })).toBeFocused();

  const item = row(page, 'Channels').getByRole('listitem').filter({ hasText: 'Pipeline' });
  await expect(item).toContainText(/Last delivered/);
  const actions = item.getByRole('button', { name: 'Actions for Pipeline' });

  await test.step('a failed answer is shown with the time of the next try', async () => {
    sink.answer = () => ({ status: 503 });
    await item.getByRole('button', { name: 'Send a test to Pipeline' }).click();
    await expect(item.getByRole('region')).toContainText(/Not delivered yet, next try/);
    await expect(item.getByRole('region')).toContainText('The message could not be delivered.');
    await expectAccessible(page);
    await actions.click();
    await page.getByRole('menuitem', { name: 'Last messages' }).click();
    const receipts = page.getByRole('dialog', { name: 'Last messages' });
    await expect(receipts.getByRole('listitem').filter({ hasText: 'next try' })).toHaveCount(1);
    // A message that will be retried anyway cannot be sent again by the user.
    await expect(receipts.getByRole('button', { name: /^Send again/ })).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(actions).toBeFocused();
  });

  await test.step('a webhook gets a new key and a new name, is switched off and removed', async () => {
    await actions.click();
    await page.getByRole('menuitem', { name: 'New signing key' }).click();
    await page.getByRole('button', { name: 'Create new key' }).click();
    await expect(page.getByRole('textbox', { name: 'Signing key' })).toHaveValue(/^whsec_/);
    expect(await page.getByRole('textbox', { name: 'Signing key' }).inputValue()).not.toBe(first);
    await page.getByRole('button', { name: 'Done' }).click();
    await actions.click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Deploys');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const renamed = row(page, 'Channels').getByRole('listitem').filter({ hasText: 'Deploys' });
    await renamed.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Switch off' }).click();
    await expect(renamed).toContainText('Off');
    await expect(renamed.getByRole('button', { name: /^Send a test/ })).toHaveCount(0);
    await renamed.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await expect(page.getByText('Channel removed.')).toBeVisible();
    await expect(renamed).toHaveCount(0);
  });
  await sink.stop();
});

test('a refused channel address gets the focus, and the only channel left cannot be unchecked', async ({
  page,
  world,
}) => {
  const sink = await startWebhookSink();
  await createAccount(page, world, { trial: true, verified: true });
  await openAlerts(page);
  const dialog = await chooseKind(page, 'Webhook');
  await dialog.getByLabel('Address').fill(`${sink.url}/hook`);
  await dialog.getByLabel('Name').fill('Pipeline');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();

  await test.step('a duplicate address is refused at its field', async () => {
    const second = await chooseKind(page, 'Webhook');
    await second.getByLabel('Address').fill(`${sink.url}/hook`);
    await second.getByRole('button', { name: 'Add channel' }).click();
    await expect(second.getByRole('alert')).toBeVisible();
    await expect(second.getByLabel('Address')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(second).toBeHidden();
  });

  await test.step('a private address is refused at its own field, not at the first one', async () => {
    const ntfy = await chooseKind(page, 'ntfy');
    await ntfy.getByLabel('Server').fill('https://10.0.0.1');
    await ntfy.getByRole('button', { name: 'Add channel' }).click();
    await expect(ntfy.getByLabel('Server')).toHaveAccessibleDescription(/is in a private network/);
    await expect(ntfy.getByLabel('Server')).toBeFocused();
    await expect(ntfy.getByRole('alert')).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(ntfy).toBeHidden();
  });

  await test.step('the only channel left cannot be unchecked', async () => {
    const which = row(page, 'Default channels');
    await which.getByLabel('All channels, including new ones').uncheck();
    await expect(which.getByLabel('All channels, including new ones')).not.toBeChecked();
    await which.getByRole('checkbox', { name: /^Your email/ }).uncheck();
    const last = which.getByRole('checkbox', { name: /^Pipeline/ });
    await expect(last).toHaveAttribute('aria-disabled', 'true');
    await expect(last).toHaveAccessibleDescription(/at least one channel/);
    await last.focus();
    await page.keyboard.press('Space');
    await expect(last).toBeChecked();
    await expectAccessible(page);
    await which.getByLabel('All channels, including new ones').check();
  });
  await sink.stop();
});

test('an email recipient is confirmed only by the button on the page that the mailed link opens', async ({
  page,
  browser,
  world,
}) => {
  await createAccount(page, world, { trial: true, verified: true });
  await openAlerts(page);
  const dialog = await chooseKind(page, 'Email');
  const address = `ops-${process.pid}@orchard.example`;
  await dialog.getByLabel('Email address').fill(address);
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await expect(dialog).toContainText(`We sent a link to ${address}`);
  await dialog.getByRole('button', { name: 'Done' }).click();
  const item = row(page, 'Channels').getByRole('listitem').filter({ hasText: address });
  await expect(item).toContainText(`Waiting for ${address} to confirm`);

  const linkIn = (text: string) => /https?:\/\/\S+\/confirm-recipient#\S+/.exec(text)?.[0] ?? '';
  const first = linkIn((await world.mail.waitFor(({ to }) => to.includes(address))).text);
  await item.getByRole('button', { name: 'Send the link again' }).click();
  await expect(page.getByText(`We sent a new link to ${address}.`)).toBeVisible();
  const again = await world.mail.waitFor(({ to, text }) => to.includes(address) && linkIn(text) !== first);
  const link = linkIn(again.text);
  const reader = await (await browser.newContext()).newPage();
  await reader.goto(link);
  await expect(reader.getByRole('heading', { level: 1 })).toHaveText('Get certificate alerts by email?');
  await expect(item).toContainText(`Waiting for ${address} to confirm`);
  await reader.getByRole('button', { name: 'Send me alerts' }).click();
  await expect(reader.getByRole('heading', { level: 1 })).toHaveText('Address confirmed');
  await expect(reader.getByRole('heading', { level: 1 })).toBeFocused();
  // The page of the account that invited the reader shows this without a reload.
  await expect(item).toContainText('Nothing sent yet');
  await reader.goto(first);
  await reader.getByRole('button', { name: 'Send me alerts' }).click();
  await expect(reader.getByRole('heading', { level: 1 })).toHaveText('This link no longer works');
  await reader.context().close();
});

test('alert steps are previewed; quiet hours, events and maintenance are saved; a failed change is undone', async ({
  page,
  world,
}) => {
  const host = await world.serve('ends.alerts.example', { notAfter: daysFromNow(60) });
  await createAccount(page, world, { hosts: [host] });
  await openAlerts(page);
  const steps = row(page, 'Steps');
  const preview = steps.getByRole('region', { name: 'Upcoming alerts if nothing is renewed' });
  await expect(preview.getByRole('listitem').filter({ hasText: 'when it expires' })).toContainText(host);

  await steps.getByRole('radio', { name: /^Custom/ }).click();
  await expect(page.getByText('Steps saved.')).toBeVisible();
  await expect(preview.getByRole('listitem').filter({ hasText: '30 days before' })).toHaveCount(1);
  await expect(steps.getByRole('row', { name: /^30 days before/ })).toHaveText(
    '30 days before30 d30 d23 d3 d',
  );
  await steps.getByLabel('Add a step').fill('21');
  await steps.getByLabel('Add a step').press('Enter');
  await expect(preview.getByRole('listitem').filter({ hasText: '21 days before' })).toContainText(host);
  await steps.getByLabel('Add a step').fill('0');
  await steps.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(steps.getByRole('alert')).toHaveText(
    'Enter 1 to 399 days, or 1 to 50 percent of the lifetime',
  );
  await expectAccessible(page);
  await steps.getByRole('button', { name: 'Remove the step 30 days before' }).click();
  await expect(preview.getByRole('listitem').filter({ hasText: '30 days before' })).toHaveCount(0);
  await expect(page.getByText(/^The certificate for/)).toHaveText(/, \d\d:\d\d .+\. Renew it before then\.$/);
  const quiet = row(page, 'Quiet hours');
  await expect(quiet.getByRole('link', { name: 'Change the time zone' })).toHaveCount(0);
  await quiet.getByLabel('Hold alerts at night').check();
  await expect(page.getByText('Quiet hours saved.')).toBeVisible();
  await test.step('a time can be typed in several formats and changed with the arrow keys', async () => {
    const [from, to] = [quiet.getByLabel('From'), quiet.getByLabel('To', { exact: true })];
    await from.fill('9:30 pm');
    await from.press('Enter');
    await expect(from).toHaveValue('21:30');
    await from.press('ArrowUp');
    await expect(from).toHaveValue('21:35');
    await from.press('Home');
    await from.press('ArrowDown');
    await expect(from).toHaveValue('20:35');
    await from.fill('2130');
    await to.fill('25:00');
    await expect(from).toHaveValue('21:30');
    await to.press('Enter');
    await expect(quiet.getByRole('alert')).toHaveText('Enter a time such as 07:00');
    await expectAccessible(page);
    await to.fill('21.30');
    await to.press('Enter');
    await expect(quiet.getByRole('alert')).toContainText('Choose different times');
    await to.fill('7');
    await to.blur();
    await expect(to).toHaveValue('07:00');
    await expect(quiet.getByRole('alert')).toHaveCount(0);
  });
  await quiet.getByLabel('Always send critical alerts').uncheck();
  await row(page, 'Events').getByLabel('Recovery').uncheck();
  await expect(page.getByText('Saved.', { exact: true })).toBeVisible();

  await page.reload();
  await expect(steps.getByRole('list', { name: 'Your steps' })).toContainText('21 days before');
  await expect(quiet.getByLabel('From')).toHaveValue('21:30');
  await expect(quiet.getByLabel('Always send critical alerts')).not.toBeChecked();
  await expect(row(page, 'Events').getByLabel('Recovery')).not.toBeChecked();

  await test.step('quick changes are saved one after the other', async () => {
    const saved: unknown[] = [];
    let underWay = 0;
    const pressed = Promise.withResolvers<void>();
    await page.route('**/api/alerts', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      saved.push([++underWay, route.request().postDataJSON()]);
      await pressed.promise;
      const response = await route.fetch();
      underWay--;
      await route.fulfill({ response });
    });
    const [news, uptime] = ['Recovery', 'Outages'].map((name) => row(page, 'Events').getByLabel(name)) as [
      Locator,
      Locator,
    ];
    await news.check();
    await uptime.uncheck();
    await quiet.getByLabel('Hold alerts at night').uncheck();
    pressed.resolve();
    await expect.poll(() => saved.length).toBeGreaterThan(1);
    // The first change is saved, the second perhaps not yet. The page shows both.
    expect(await uptime.isChecked()).toBe(false);
    await expect.poll(() => [saved.length, underWay]).toEqual([3, 0]);
    expect(saved).toEqual([
      [1, { settings: { muted: [] } }],
      [1, { settings: { muted: ['uptime'] } }],
      [1, { settings: { quiet_hours: null } }],
    ]);
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    await expect(news).toBeChecked();
    await expect(uptime).not.toBeChecked();
    await expect(quiet.getByLabel('Hold alerts at night')).not.toBeChecked();
  });

  await test.step('a change that cannot be saved is undone', async () => {
    await page.route('**/api/alerts', (route) =>
      route.request().method() === 'PATCH' ? route.fulfill({ status: 503 }) : route.continue(),
    );
    await steps.getByRole('radio', { name: /^Automatic/ }).click();
    await expect(page.getByText(/^Could not save the change: /)).toBeVisible();
    await expect(steps.getByRole('radio', { name: /^Custom/ })).toBeChecked();
    await expect(steps.getByRole('list', { name: 'Your steps' })).toContainText('21 days before');
    await page.unrouteAll({ behavior: 'wait' });
  });

  const maintenance = row(page, 'Maintenance');
  await maintenance.getByRole('button', { name: 'Plan maintenance' }).click();
  const dialog = page.getByRole('dialog', { name: 'Plan maintenance' });
  await dialog.getByLabel('Domain').fill('nobody.example');
  await dialog.getByRole('button', { name: 'Plan maintenance' }).click();
  await expect(dialog.getByRole('alert')).toContainText('You do not track “nobody.example”');
  await dialog.getByLabel('Domain').fill(host);
  await choose(dialog.getByLabel('Repeats'), 'Every week');
  await dialog.getByLabel('Start time').fill('7 pm');
  await dialog.getByLabel('End time').fill('11 pm');
  // Choose a later day: a window that has begun can be ended, but not cancelled.
  const day = new Date(daysFromNow(2)).toISOString().slice(0, 10);
  await dialog.getByLabel('From').fill(day);
  await dialog.getByLabel('To', { exact: true }).fill(day);
  await dialog.getByLabel('Note').fill('Moving the servers');
  await dialog.getByRole('button', { name: 'Plan maintenance' }).click();
  await expect(maintenance.getByRole('listitem')).toContainText(host);
  await expect(maintenance.getByRole('listitem')).toContainText(/Every week.* at 19:00 – .* at 23:00/);
  await maintenance.getByRole('button', { name: /^Cancel window/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel window' }).click();
  await expect(maintenance.getByRole('listitem')).toHaveCount(0);
  await expect(maintenance.getByRole('button', { name: 'Plan maintenance' })).toBeFocused();
});

test('on the Free plan, Premium alert settings are disabled and lead to the upgrade', async ({
  page,
  world,
}) => {
  await createAccount(page, world);
  await openAlerts(page);
  const digest = row(page, 'Weekly digest').getByRole('checkbox');
  await expect(digest).toHaveAttribute('aria-disabled', 'true');
  await expect(digest).toHaveAccessibleDescription('Upgrade to premium to get the weekly digest.');
  await page.getByRole('button', { name: 'Add channel' }).click();
  const slack = page.getByRole('button', { name: /^Slack/ });
  await expect(slack).toHaveAccessibleDescription(/^Upgrade to premium/);
  await slack.click();
  await expect(page.getByRole('dialog', { name: 'Supercharge Your Monitoring with Premium' })).toBeVisible();
});

test('a calendar link is shown once, serves the calendar, and stops working when it is deleted', async ({
  page,
  world,
}) => {
  const host = await world.serve('day.alerts.example', { notAfter: daysFromNow(60) });
  await createAccount(page, world, { hosts: [host] });
  await openAlerts(page);
  const calendar = row(page, 'Calendar');
  await calendar.getByRole('button', { name: 'Create calendar link' }).click();
  await expect(calendar.getByLabel('Calendar link')).toBeFocused();
  const address = await calendar.getByLabel('Calendar link').inputValue();
  await expectAccessible(page);
  const read = await page.request.get(address);
  expect(await read.text()).toContain('BEGIN:VCALENDAR');
  expect(await read.text()).toContain('day.alerts.example');
  await page.reload();
  await expect(calendar).toContainText('You created a link on');
  await expect(calendar.getByLabel('Calendar link')).toHaveCount(0);
  await calendar.getByRole('button', { name: 'Delete link' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete link' }).click();
  await expect(page.getByText('Calendar link deleted.')).toBeVisible();
  await expect(calendar.getByRole('button', { name: 'Create calendar link' })).toBeFocused();
  expect((await page.request.get(address)).status()).toBe(404);
});

test('the unsubscribe link of an alert mail stops alert mails until they are resumed', async ({
  page,
  world,
}) => {
  const soon = { notBefore: daysFromNow(-85), notAfter: daysFromNow(5) };
  const host = await world.serve('soon.alerts.example', soon);
  // Alert mails go only to a verified address.
  const person = await createAccount(page, world, { hosts: [host], verified: true });
  await openAlerts(page);
  await row(page, 'Channels').getByRole('button', { name: 'Send a test to Your email' }).click();
  await expect(row(page, 'Channels').getByRole('region')).toContainText(/Delivered/);
  const mail = await world.mail.waitFor(
    ({ to, text }) => to.includes(person.email) && text.includes('/unsubscribe#'),
  );
  const link = /https?:\/\/\S+\/unsubscribe#[\w.-]+/.exec(mail.text)?.[0] ?? '';
  await page.goto(link);
  await page.getByRole('button', { name: `Stop emails about ${host}` }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`No more emails about ${host}`);
  await expect(page.getByRole('button', { name: 'Turn them back on' })).toBeFocused();
  await page.getByRole('button', { name: 'Stop all alert emails' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Alert emails stopped');
  await expect(page.getByRole('button', { name: 'Turn them back on' })).toBeFocused();
  await openAlerts(page);
  const own = row(page, 'Channels').getByRole('listitem').first();
  await expect(own).toContainText('You unsubscribed from alert emails');
  await expect(page.getByRole('region', { name: 'Notice' })).toContainText(/no more|unsubscribed|alert/i);
  await own.getByRole('button', { name: 'Resume emails' }).click();
  await expect(own.getByRole('button', { name: /^Send a test/ })).toBeFocused();
});
