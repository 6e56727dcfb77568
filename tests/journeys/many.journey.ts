import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { createAccount, expect, test } from './world.ts';

// Uses a separate server. The failing hosts of this file, together with one of another file, would look like an outage of the
// server's own network, and failures would not be recorded.
test.use({ environment: {} });

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Import domains' });

/** Opens the dialog for many domains: from the empty dashboard or, if that is not shown, from the dialog for a single domain. */
async function openAddMany(page: Page): Promise<Locator> {
  const first = page.getByRole('button', { name: 'Import domains' });
  const addOne = page.getByRole('button', { name: 'Add Domain' }).first();
  // While the list is loading, it is not known yet which of two buttons the page will have.
  const listed = page.getByRole('main').getByRole('listitem').filter({ visible: true });
  await expect(first.or(listed).first()).toBeVisible();
  if (!(await first.isVisible())) await addOne.click();
  await first.click();
  await expect(dialog(page)).toBeVisible();
  return dialog(page);
}

async function paste(page: Page, text: string): Promise<Locator> {
  const form = await openAddMany(page);
  await form.getByLabel('Hosts').fill(text);
  await form.getByRole('button', { name: 'Preview' }).click();
  return form;
}

const lineOf = (form: Locator, text: string) => form.getByRole('listitem').filter({ hasText: text });
const bar = (page: Page) => page.getByRole('region', { name: 'Selected domains' });
const box = (page: Page, host: string) => page.getByRole('checkbox', { name: `Select ${host}` });

test('the import preview names the address to connect to, also in the tooltip', async ({ page, world }) => {
  await createAccount(page, world, { verified: true });
  await page.goto('/dashboard');
  const form = await paste(page, 'Host,Connect to\nbackend.many.example,one.many.example');
  const name = form.getByText('backend.many.example via one.many.example');
  await expect(name).toHaveAttribute('title', 'backend.many.example via one.many.example');
});

test('a pasted list of hosts is previewed line by line, and the Free plan adds three of them', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { verified: true });
  await page.goto('/dashboard');
  const form = await paste(
    page,
    [
      '# ours',
      'one.many.example',
      'https://two.many.example/x',
      'not a host',
      'ONE.many.example:443',
      'three.many.example # mail',
      'four.many.example',
    ].join('\n'),
  );
  await expect(
    form.getByText('3 will be added · 1 duplicate · 1 over the plan’s limit · 1 not valid'),
  ).toBeVisible();
  await expect(lineOf(form, 'not a host')).toContainText(
    'A host name can contain letters, digits, hyphens, underscores and dots only.',
  );
  await expect(lineOf(form, 'Duplicate of line 2')).toContainText('one.many.example');
  await expect(lineOf(form, 'four.many.example')).toContainText('Over the plan’s limit');
  await expect(form.getByRole('button', { name: 'Upgrade to Premium' })).toBeVisible();
  await form.getByLabel('Only problems').check();
  await expect(form.getByRole('listitem')).toHaveCount(2);
  await form.getByLabel('Only problems').uncheck();

  await form.getByLabel('Tags for all domains').fill('shop, web');
  await form.getByRole('button', { name: 'Add 3 domains' }).click();
  await expect(form.getByText('3 of 3 added')).toBeVisible();
  await expect(lineOf(form, 'two.many.example')).toContainText('Added');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await form.getByRole('button', { name: 'Copy lines not added' }).click();
  await expect(form.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    'four.many.example  # Over the plan’s limit',
  );
  await form.getByRole('button', { name: 'Close' }).last().click();

  for (const name of ['one', 'two', 'three']) await expect(box(page, `${name}.many.example`)).toBeAttached();
  await page.goto('/dashboard?tag=web');
  await expect(page.getByRole('checkbox', { name: /^Select / })).toHaveCount(3);
});

test('a file is previewed with how it was read, and the database of Uptime Kuma names the command for it', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { verified: true });
  await page.goto('/dashboard');
  const form = await openAddMany(page);
  const choose = (name: string, content: string) =>
    form
      .getByLabel('Choose a file')
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content, 'latin1') });
  await choose('kuma.db', 'SQLite format 3\0\x10');
  await expect(form.getByText('run “npx . import kuma.db”')).toBeVisible();
  await choose('hosts.csv', 'sep=;\r\nÜbersicht\r\nhost;notes\r\nfile.many.example;Büro\r\n');
  const source = 'CSV, read as Windows-1252, without 1 line of titles: 1 host';
  await expect(form.getByText(source)).toBeVisible();
  await form.getByRole('button', { name: 'Preview' }).click();
  await expect(form.getByText('1 will be added')).toBeVisible();
  await expect(form.getByText(source)).toBeVisible();
  await expectAccessible(page);
});

test('an Uptime Kuma backup can be imported, and an interrupted import resumes', async ({ page, world }) => {
  await createAccount(page, world, { trial: true, verified: true });
  await page.goto('/dashboard');
  await test.step('each monitor has a line', async () => {
    const form = await openAddMany(page);
    const monitor = (fields: object) => ({
      url: 'https://',
      hostname: null,
      port: null,
      active: true,
      tags: [],
      ...fields,
    });
    const backup = {
      version: '1.23.17',
      monitorList: [
        monitor({
          type: 'http',
          name: 'Shop',
          url: 'https://shop.kuma.example/health',
          tags: [{ name: 'prod', value: '' }],
        }),
        monitor({ type: 'port', name: 'IMAP', hostname: 'mail.kuma.example', port: 993, active: false }),
        monitor({ type: 'push', name: 'Nightly' }),
      ],
    };
    await form.getByLabel('Choose a file').setInputFiles({
      name: 'Uptime_Kuma_Backup.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(backup)),
    });
    await expect(form.getByText('Uptime Kuma: 2 hosts, 1 monitor that cannot be imported')).toBeVisible();
    await form.getByRole('button', { name: 'Preview' }).click();
    await expect(lineOf(form, 'mail.kuma.example:993')).toContainText(
      'Paused in Uptime Kuma, but checked here',
    );
    await expect(lineOf(form, 'Nightly')).toContainText('A push monitor waits for calls and has no host');
    await form.getByRole('button', { name: 'Add 2 domains' }).click();
    await expect(form.getByText('2 of 2 added')).toBeVisible();
    await form.getByRole('button', { name: 'Close' }).last().click();
    // Wait until the empty dashboard is gone: it has a button with the same name.
    await expect(page.getByRole('checkbox', { name: /^Select / })).toHaveCount(2);
  });

  const hosts = Array.from({ length: 230 }, (_, index) => `h${index}.cut.example`);
  let calls = 0;
  await test.step('the second call fails after the server has processed it', async () => {
    await page.route('**/api/domain/import', async (route) => {
      calls += 1;
      if (calls !== 2) return route.continue();
      await route.fetch();
      await route.abort();
    });
    const form = await paste(page, hosts.join('\n'));
    await form.getByRole('button', { name: 'Add 230 domains' }).click();
    await expect(form.getByText('100 of 230 added')).toBeVisible();
    await expect(form.getByRole('alert')).toContainText(
      'The server could not be reached. Your monitoring keeps running. Domains added so far stay',
    );
    await expectAccessible(page);
  });
  await test.step('closing asks first, and trying again adds each remaining domain once', async () => {
    const form = dialog(page);
    await page.keyboard.press('Escape');
    const question = page.getByRole('alertdialog', { name: 'Stop adding?' });
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await form.getByRole('button', { name: 'Try again' }).click();
    await expect(form.getByText('230 of 230 added')).toBeVisible();
    await expect(lineOf(form, 'h0.cut.example')).toContainText('Added');
    expect(calls).toBe(4);
    await form.getByRole('button', { name: 'Close' }).last().click();
  });

  await test.step('all domains of a filter are selected and changed in batches', async () => {
    await page.goto('/dashboard?q=cut.example&sort=name');
    await page
      .getByRole('checkbox', { name: /^Select / })
      .first()
      .check();
    await bar(page).getByRole('button', { name: 'Select all 230' }).click();
    await expect(bar(page)).toContainText('230 selected');
    let batches = 0;
    await page.route('**/api/domain/bulk', (route) => {
      batches += 1;
      return batches === 2 ? route.abort() : route.continue();
    });
    await bar(page).getByRole('button', { name: 'Pause' }).click();
    const trouble = page.getByRole('dialog', { name: '200 domains paused, 30 failed' });
    await expect(trouble).toContainText(
      'The server could not be reached. Your monitoring keeps running. We got no answer for 30 domains.',
    );
    await trouble.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByText('30 domains paused')).toBeVisible();
    await expect(bar(page)).toBeHidden();
    expect(batches).toBe(3);
  });
});

test('selected domains are paused, resumed, checked, tagged, exported and removed together', async ({
  page,
  world,
}) => {
  await createAccount(page, world, {
    hosts: ['a.sel.example', 'b.sel.example', 'c.sel.example'],
    verified: true,
  });
  await page.goto('/dashboard?sort=name');

  await test.step('Shift selects a range, Space deselects one, Escape all', async () => {
    await box(page, 'a.sel.example').click();
    await box(page, 'c.sel.example').click({ modifiers: ['Shift'] });
    await expect(bar(page)).toContainText('3 selected');
    await box(page, 'b.sel.example').focus();
    await page.keyboard.press('Space');
    await expect(bar(page)).toContainText('2 selected');
    await page.keyboard.press('Escape');
    await expect(bar(page)).toBeHidden();
  });

  await test.step('a filter keeps the selection and shows how many are hidden', async () => {
    await box(page, 'a.sel.example').click();
    await box(page, 'b.sel.example').click();
    await page.getByRole('searchbox').fill('b.sel');
    await expect(bar(page)).toContainText('2 selected, 1 not in view');
    await page.getByRole('searchbox').fill('');
    await expect(bar(page)).not.toContainText('not in view');
  });

  await test.step('pause, resume, check and tags work; Premium intervals are disabled', async () => {
    await bar(page).getByRole('button', { name: 'Pause' }).click();
    await expect(page.getByText('2 domains paused')).toBeVisible();
    await expect(bar(page)).toBeHidden();
    for (const [action, said] of [
      ['Resume', '2 domains resumed'],
      ['Check now', '2 checks started'],
    ] as const) {
      await box(page, 'a.sel.example').click();
      await box(page, 'b.sel.example').click();
      await bar(page).getByRole('button', { name: action }).click();
      await expect(page.getByText(said)).toBeVisible();
    }
    await box(page, 'a.sel.example').click();
    await bar(page).getByRole('button', { name: 'Check frequency' }).click();
    const tenMinutes = page.getByRole('menuitem', { name: /^10 min/ });
    await expect(tenMinutes).toHaveAttribute('aria-disabled', 'true');
    await expect(page.getByRole('menu')).toContainText('Upgrade to premium to customize check frequency.');
    await page.getByRole('menuitem', { name: 'Daily' }).click();
    await expect(page.getByText('Check frequency updated!')).toBeVisible();

    await box(page, 'a.sel.example').click();
    await bar(page).getByRole('button', { name: 'Tags' }).click();
    await page.getByLabel('Add tags').fill('new tag');
    await page.getByRole('button', { name: 'Change Tags' }).click();
    await expect(page.getByText('Tags of 1 domain changed')).toBeVisible();

    const removable = page.getByRole('group', { name: 'Remove tags' });
    await box(page, 'b.sel.example').click();
    await bar(page).getByRole('button', { name: 'Tags' }).click();
    await expect(page.getByLabel('Add tags')).toBeVisible();
    await expect(removable).toHaveCount(0);
    await page.keyboard.press('Escape');
    await box(page, 'a.sel.example').click();
    await bar(page).getByRole('button', { name: 'Tags' }).click();
    await expect(removable.getByRole('button')).toHaveText(['new tag']);
    await page.keyboard.press('Escape');
    await bar(page).getByRole('button', { name: 'Clear selection' }).click();
  });

  await test.step('the list can be exported as CSV', async () => {
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    expect((await file).suggestedFilename()).toMatch(/^certlantern-domains-\d{4}-\d\d-\d\d\.csv$/);
  });

  await test.step('removing asks first', async () => {
    await box(page, 'a.sel.example').click();
    await box(page, 'b.sel.example').click();
    await bar(page).getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('alertdialog', {
      name: 'Are you sure you want to delete these 2 domains?',
    });
    await expect(question).toContainText(
      'This will permanently delete 2 domains. This action cannot be undone.',
    );
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
    await question.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('2 domains deleted successfully')).toBeVisible();
    await expect(box(page, 'a.sel.example')).toHaveCount(0);
    await expect(box(page, 'c.sel.example')).toBeAttached();
  });
});
