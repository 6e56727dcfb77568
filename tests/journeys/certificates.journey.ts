import { mintAuthority } from '../kit/certificates/mint.ts';
import { expectAccessible } from './axe.ts';
import { addByApi, card, createAccount, daysFromNow, expect, givesUp, test } from './world.ts';

test('the list of certificates updates, can be searched and exported, and opens a certificate’s domains', async ({
  page,
  world,
}) => {
  const person = await createAccount(page, world);
  await page.goto('/certificates');
  await expect(page.getByText('There are no certificates yet.')).toBeVisible();
  // The open list updates when a domain is added elsewhere.
  const first = await world.serve('first.story.example', { notAfter: daysFromNow(90.5) });
  await addByApi(person, first);
  await expect(page.getByRole('link', { name: 'first.story.example', exact: true })).toBeVisible();
  const later = await world.serve('later.story.example', { notAfter: daysFromNow(60.5) });
  const sooner = await world.serve('sooner.story.example', { notAfter: daysFromNow(5.5) });
  await addByApi(person, later);
  await addByApi(person, sooner);
  await page.getByRole('link', { name: 'Domains', exact: true }).click();
  await expect(card(page, first)).toBeVisible();

  await page.getByRole('link', { name: 'Certificates' }).click();
  const rows = page.getByRole('table', { name: 'Certificates' }).getByRole('row');
  await expect(rows).toHaveCount(4);
  await expect(rows.nth(1)).toContainText('sooner.story.example');
  await page.getByRole('searchbox', { name: 'Find by name, domain, tag or note' }).fill('later');
  await expect(rows).toHaveCount(2);
  await expect(page).toHaveURL(/q=later/);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  expect((await download).suggestedFilename()).toMatch(/^certlantern-certificates-.*\.csv$/);

  await rows.nth(1).getByRole('link', { name: 'later.story.example', exact: true }).press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('later.story.example');
  await expect(page.getByRole('heading', { name: 'Served by 1 domain' })).toBeVisible();
  await page.getByRole('link', { name: later, exact: true }).click();
  await expect(page.getByLabel(`Details for ${later}`)).toBeVisible();
  await page.goto(`/certificates?certificate=${'a'.repeat(64)}`);
  await expect(page.getByText('No domain of yours has served this certificate.')).toBeVisible();

  await test.step('an address with a filter that the page does not offer shows all certificates', async () => {
    await page.goto('/certificates?status=problem');
    await expect(page.getByRole('combobox', { name: 'Status' })).toHaveText('All certificates');
  });
});

test('a certificate of two domains is one pin on the horizon, which opens the certificate’s page', async ({
  page,
  world,
}) => {
  const one = await world.serve('one.share.example', {
    dnsNames: ['*.share.example'],
    notAfter: daysFromNow(20.5),
  });
  world.dead('two.share.example');
  const two = one.replace('one', 'two');
  await createAccount(page, world, { hosts: [one, two] });
  await page.goto('/dashboard');
  const pins = page.getByRole('list', { name: 'Certificates by expiry date' }).getByRole('link');
  await expect(pins).toHaveCount(1);
  await expect(pins).toHaveAccessibleName(new RegExp(`^${one} and 1 more domain with this certificate, `));
  await pins.press('Enter');
  await expect(page.getByRole('heading', { name: 'Served by 2 domains' })).toBeVisible();
  for (const name of [one, two]) await expect(page.getByRole('link', { name, exact: true })).toBeVisible();
  await expect(page.getByText('127.0.0.1')).toHaveCount(2);
});

test('the list of certificates shows why it could not be loaded, and loads on Try again', async ({
  page,
  world,
}) => {
  await createAccount(page, world, { hosts: [await world.serve('failing.story.example')] });
  let isBroken = true;
  await page.route('**/api/certificate/list*', (route) => (isBroken ? route.abort() : route.continue()));
  await page.clock.install();
  await page.goto('/certificates');
  await givesUp(page, page.getByText('Could not load your certificates'));
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('link', { name: 'failing.story.example', exact: true })).toBeVisible();
});

test('the list has a certificate that only the second address of a host serves, and the certificate’s page does not count the host as done', async ({
  page,
  world,
}) => {
  const dnsNames = ['half.addresses.example', 'www.addresses.example'];
  const newer = { dnsNames, notBefore: daysFromNow(-0.2), notAfter: daysFromNow(89.5) };
  const older = { dnsNames, notBefore: daysFromNow(-60), notAfter: daysFromNow(29.5) };
  const half = await world.serve('half.addresses.example', { ...older, second: newer });
  const person = await createAccount(page, world, { hosts: [half] });
  await page.goto('/certificates');
  const table = page.getByRole('table', { name: 'Certificates' });
  const rows = table.locator('tr[data-row]');
  await expect(rows).toHaveCount(2);
  for (const row of await rows.all()) await expect(row).toContainText(half);
  const served = page.getByRole('heading', { name: 'Served by 1 domain' });

  await rows.nth(1).getByRole('link').first().click();
  await expect(served).toBeVisible();
  await expect(
    page.getByText('0 of 1 domain has changed to this certificate on all addresses.'),
  ).toBeVisible();
  await expect(page.getByText('127.0.0.1 (another certificate), 127.0.0.2')).toHaveCount(2);
  await page.getByRole('link', { name: 'All certificates' }).click();
  await rows.nth(0).getByRole('link').first().click();
  await expect(served).toBeVisible();
  await expect(page.getByText('127.0.0.2 (another certificate), 127.0.0.1')).toBeVisible();
  await expect(page.getByText('No domain serves it any more.')).toBeHidden();

  await test.step('of two addresses, the certificate issued first needs a fix, also if it expires last', async () => {
    const names = { dnsNames: ['shorter.addresses.example'] };
    const short = { ...names, notBefore: daysFromNow(-0.2), notAfter: daysFromNow(44.5) };
    const long = { ...names, notBefore: daysFromNow(-60), notAfter: daysFromNow(79.5) };
    await addByApi(person, await world.serve('shorter.addresses.example', { ...short, second: long }));
    await page.goto('/certificates?q=shorter');
    await expect(rows).toHaveText([/44 days left/, /Needs a fix.*79 days left/]);
    await expect(rows.first()).not.toContainText('Needs a fix');
  });
});

test('the page of an expired certificate says how many domains still serve it, and calls no renewal done', async ({
  page,
  world,
}) => {
  const dnsNames = ['late.expired.example'];
  const expired = { dnsNames, notBefore: daysFromNow(-60), notAfter: daysFromNow(-1) };
  const older = { dnsNames, notBefore: daysFromNow(-90), notAfter: daysFromNow(-2) };
  const late = await world.serve('late.expired.example', { ...older, second: expired });
  await createAccount(page, world, { hosts: [late] });
  await page.goto('/certificates');
  const rows = page.getByRole('table', { name: 'Certificates' }).locator('tr[data-row]');
  await expect(rows).toHaveCount(2);
  await rows.nth(1).getByRole('link').first().click();
  await expect(page.getByText(/^This certificate expired on .*\. 1 domain still serves it\.$/)).toBeVisible();
  await expect(page.getByText('changed to this certificate on all addresses')).toBeHidden();
});

test('the list of certificates sorts by its columns, names what is refused, and is printed whole', async ({
  page,
  world,
}) => {
  const unknown = mintAuthority({ organization: 'Nobody', commonName: 'Nobody Root' });
  const named = await world.serve('named.sorting.example', { dnsNames: ['other.sorting.example'] });
  const strange = await world.serve('strange.sorting.example', {
    issuer: unknown,
    notAfter: daysFromNow(50),
  });
  await createAccount(page, world, { hosts: [named, strange], fleet: 300, premium: true, verified: true });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/certificates');
  const table = page.getByRole('table', { name: 'Certificates' });
  const rows = table.locator('tr[data-row]');
  await expect(rows.first()).toBeVisible();
  const total = Number(await table.getAttribute('aria-rowcount')) - 1;
  expect(total).toBeGreaterThan(100);
  expect(await rows.count()).toBeLessThan(40);

  const sorter = (name: string) => table.getByRole('columnheader', { name });
  await expect(sorter('Expires On')).toHaveAttribute('aria-sort', 'ascending');
  await sorter('Certificate').getByRole('button').click();
  await expect(sorter('Certificate')).toHaveAttribute('aria-sort', 'ascending');
  await expect(sorter('Expires On')).not.toHaveAttribute('aria-sort');
  await sorter('Certificate').getByRole('button').click();
  await expect(page).toHaveURL(/order=name&direction=desc/);
  await page.reload();
  await expect(sorter('Certificate')).toHaveAttribute('aria-sort', 'descending');
  for (const direction of ['ascending', 'descending']) {
    await sorter('Issuer').getByRole('button').click();
    await expect(sorter('Issuer')).toHaveAttribute('aria-sort', direction);
    await expect(table.locator('[aria-sort]')).toHaveCount(1);
  }
  await sorter('Certificate').getByRole('button').click();
  await sorter('Certificate').getByRole('button').click();
  await expect(sorter('Certificate')).toHaveAttribute('aria-sort', 'descending');

  await test.step('the header stays in view, and the last row can be reached', async () => {
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await expect(table.locator(`tr[aria-rowindex="${total + 1}"]`)).toBeInViewport();
    await expect(sorter('Certificate')).toBeInViewport();
    expect(await rows.count()).toBeLessThan(40);
  });

  await test.step('print shows every row, and no navigation', async () => {
    const printed = page.locator('[data-printed]');
    await expect(async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
      await expect(printed.getByRole('row', { includeHidden: true })).toHaveCount(total + 1, { timeout: 1 });
    }).toPass();
    await page.emulateMedia({ media: 'print' });
    await expect(printed.getByText(named)).toBeVisible();
    await expect(page.getByRole('banner')).toBeHidden();
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await expect(printed).toHaveCount(0);
  });

  await page.getByRole('searchbox', { name: 'Find by name, domain, tag or note' }).fill('sorting.example');
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: 'strange' })).toContainText('Not trusted');
  await expect(rows.filter({ hasText: 'named' })).toContainText('Not trusted: wrong name');
  await expect(rows.filter({ hasText: 'named' })).toContainText('Orchard Trust · Orchard R1');
  await expectAccessible(page);
});
