import type { BrowserContext, Page } from '@playwright/test';
import { CALLS } from '../../contract/calls/calls.ts';
import { toasts } from './fault-world.ts';
import { addByApi, createAccount, expect, showSection, test } from './world.ts';

/**
 * Opens the address in two tabs that get no live events, as behind a proxy that holds them back. So each tab shows only what
 * it has read itself.
 */
async function openTwice(context: BrowserContext, page: Page, address: string): Promise<[Page, Page]> {
  await context.route('**/api/events', () => undefined);
  const second = await context.newPage();
  for (const tab of [page, second]) {
    await tab.goto(address);
    await expect(tab.getByRole('heading', { level: 1 })).toBeVisible();
  }
  return [page, second];
}

const saidBy = (page: Page, text: string) => toasts(page).getByText(text).first();

/** Holds back the next request of this kind until the returned function is called. */
async function holdNext(page: Page, path: string, method: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isHeld = false;
  await page.route(path, async (route, request) => {
    if (!isHeld && request.method() === method) {
      isHeld = true;
      await promise;
    }
    await route.continue();
  });
  return resolve;
}

/** Creates an account whose status page shows these two domains. */
async function publish(...[page, world]: Parameters<typeof createAccount>) {
  const hosts = [await world.serve('shop.tabs.example'), await world.serve('inner.tabs.example')];
  const person = await createAccount(page, world, { hosts, verified: true });
  const { data } = (await person.ask(CALLS.listDomains)).ok;
  const domains = data.map(({ id }) => ({ id, label: '' }));
  const slug = `tabs-${person.id}`.slice(0, 40).replace(/-+$/, '');
  await person.ask(CALLS.saveStatusPage, { body: { title: 'Tabs', slug, shows: 'chosen', domains } });
  const saved = async () => {
    const { domains: shown, ...rest } = (await person.ask(CALLS.statusPage)).ok.data;
    return { ...rest, names: shown.map(({ display_name: name, label }) => `${name} ${label}`.trim()) };
  };
  const [shop = '', inner = ''] = hosts;
  return { shop, inner, saved };
}

test('a name that is still being saved stays when a domain is removed from the status page meanwhile', async ({
  page,
  world,
}) => {
  const { shop, inner, saved } = await publish(page, world);
  await page.goto('/status-page');
  await page.getByLabel(`Name of ${shop} on the page`).fill('The shop');
  const release = await holdNext(page, '**/api/status-page', 'PATCH');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: `Remove ${inner} from the page` }).click();
  await expect(page.getByLabel(`Name of ${inner} on the page`)).toHaveCount(0);
  release();
  await expect.poll(async () => (await saved()).names).toEqual([`${shop} The shop`]);
  await expect(page.getByText('All changes saved')).toBeVisible();
  await expect(page.getByLabel(`Name of ${shop} on the page`)).toHaveValue('The shop');
});

test('changes to the status page settings in two tabs do not silently overwrite each other', async ({
  page,
  context,
  world,
}) => {
  const { shop, inner, saved } = await publish(page, world);
  const [first, second] = await openTwice(context, page, '/status-page');
  await second.getByLabel('Title').fill('Second');
  await first.getByLabel('Title').fill('First');
  await first.getByLabel(`Name of ${shop} on the page`).fill('The shop');
  await first.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(first.getByText('All changes saved')).toBeVisible();
  await first.getByLabel('Uptime').uncheck();
  await expect.poll(async () => (await saved()).show_uptime).toBe(false);

  await second.getByRole('button', { name: `Remove ${inner} from the page` }).click();
  await expect.poll(saved).toMatchObject({
    title: 'First',
    show_uptime: false,
    names: [`${shop} The shop`],
  });
  await expect(second.getByLabel('Uptime')).not.toBeChecked();
  await expect(second.getByLabel(`Name of ${shop} on the page`)).toHaveValue('The shop');
  await expect(second.getByLabel('Title')).toHaveValue('Second');
  await expect(second.getByLabel('Title')).toHaveAccessibleDescription(
    'Another tab or device saved “First” meanwhile. Save again to replace it.',
  );
  await second.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(second.getByText('All changes saved')).toBeVisible();
  expect(await saved()).toMatchObject({ title: 'Second', show_uptime: false, names: [`${shop} The shop`] });
});

test('changes to the account’s alert settings in two tabs do not overwrite each other', async ({
  page,
  context,
  world,
}) => {
  const person = await createAccount(page, world);
  const [first, second] = await openTwice(context, page, '/alerts');
  await first.getByLabel('Outages').uncheck();
  await expect(saidBy(first, 'Saved.')).toBeVisible();
  await second.getByLabel('Recovery').uncheck();
  await expect(saidBy(second, 'Saved.')).toBeVisible();
  const { settings } = (await person.ask(CALLS.accountAlerts)).ok.data;
  expect(settings.muted.toSorted()).toEqual(['good_news', 'uptime']);
  await expect(second.getByLabel('Outages')).not.toBeChecked();
});

test('changes to a domain’s tags, notes and alert settings in two tabs do not silently overwrite each other', async ({
  page,
  context,
  world,
}) => {
  const host = await world.serve('panel.tabs.example');
  const person = await createAccount(page, world);
  await addByApi(person, host);
  const [{ id } = { id: '' }] = (await person.ask(CALLS.listDomains)).ok.data;
  const [first, second] = await openTwice(context, page, `/dashboard?domain=${id}`);

  await test.step('tags', async () => {
    for (const [tab, tag] of [
      [first, 'one'],
      [second, 'two'],
    ] as const) {
      await tab.getByLabel('Add a tag').fill(tag);
      await tab.getByLabel('Add a tag').press('Enter');
      await expect(tab.getByRole('button', { name: `Remove the tag ${tag}` })).toBeVisible();
    }
    await expect(second.getByRole('button', { name: 'Remove the tag one' })).toBeVisible();
  });

  await test.step('notes', async () => {
    for (const [tab, text] of [
      [first, 'Ask Bo'],
      [second, 'Ask Eva'],
    ] as const) {
      await tab.getByLabel('Notes').fill(text);
      await tab.getByRole('button', { name: 'Save' }).click();
    }
    await expect(second.getByRole('alert')).toHaveText(
      'Another tab or device saved “Ask Bo” meanwhile. Save again to replace it.',
    );
    expect((await person.ask(CALLS.domain, { params: { id } })).ok.data.notes).toBe('Ask Bo');
    await second.getByRole('button', { name: 'Save' }).click();
    await expect(second.getByText('Saved', { exact: true })).toBeVisible();
    expect((await person.ask(CALLS.domain, { params: { id } })).ok.data).toMatchObject({
      notes: 'Ask Eva',
      tags: ['one', 'two'],
    });
  });

  await test.step('alert settings of the domain', async () => {
    for (const tab of [first, second]) {
      await showSection(tab, 'Alerts');
      await tab.getByText('Account defaults').first().click();
      await tab.getByRole('button', { name: 'Change: Events' }).waitFor();
    }
    await first.getByRole('button', { name: 'Change: Events' }).click();
    await first.getByLabel('Outages').uncheck();
    await expect(saidBy(first, 'Alerts for this domain updated.')).toBeVisible();
    await second.getByRole('button', { name: 'Change: Quiet hours' }).click();
    await second.getByLabel(/^Hold alerts/).check();
    await expect(saidBy(second, 'Alerts for this domain updated.')).toBeVisible();
    const { own } = (await person.ask(CALLS.domainAlerts, { params: { id } })).ok.data;
    expect(Object.keys(own).toSorted()).toEqual(['muted', 'quiet_hours']);
  });
});

test('changes to name and company in two tabs do not overwrite each other', async ({
  page,
  context,
  world,
}) => {
  const person = await createAccount(page, world);
  const [first, second] = await openTwice(context, page, '/profile');
  await first.getByLabel('Company').fill('Fjord');
  await first.getByRole('button', { name: 'Update Profile' }).click();
  await expect(saidBy(first, 'User updated successfully')).toBeVisible();
  await second.getByLabel('Full Name').fill('Alice Berg');
  await second.getByRole('button', { name: 'Update Profile' }).click();
  await expect(saidBy(second, 'User updated successfully')).toBeVisible();
  await expect(second.getByLabel('Company')).toHaveValue('Fjord');
  await first.getByLabel('Full Name').fill('Alice Dahl');
  await first.getByRole('button', { name: 'Update Profile' }).click();
  await expect(first.getByLabel('Full Name')).toHaveAccessibleDescription(
    'Another tab or device saved “Alice Berg” meanwhile. Save again to replace it.',
  );
  expect((await person.ask(CALLS.currentUser)).ok.data).toMatchObject({
    full_name: 'Alice Berg',
    company_name: 'Fjord',
  });
});
