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
