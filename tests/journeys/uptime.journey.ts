import { addHost, card, daysFromNow, expect, signUp, test } from './world.ts';

test('an unreachable host is shown as down everywhere, with start and reason', async ({ page, world }) => {
  await signUp(page, world);
  const well = await world.serve('well.uptime.example', { notAfter: daysFromNow(60) });
  const dead = world.dead('dead.uptime.example');
  await addHost(page, well);
  await expect(card(page, well).getByRole('img', { name: 'Last check: 1 up, 0 failed' })).toBeVisible();
  await expect(card(page, well)).toContainText('100%');
  await addHost(page, dead);
  await expect(card(page, dead).getByRole('img', { name: 'Last check: 0 up, 1 failed' })).toBeVisible();
  await expect(card(page, dead)).toContainText('The connection was refused');

  // A single failure does not count; a second check confirms it.
  await card(page, dead)
    .getByRole('button', { name: /^Actions for / })
    .click();
  await page.getByRole('menuitem', { name: 'Refresh' }).click();
  await expect(card(page, dead)).toContainText(/Down since \d\d:\d\d · The connection was refused/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`${dead} is down`);
  await page.getByRole('button', { name: 'Problems, 1' }).click();
  await expect(card(page, well)).toHaveCount(0);

  await page.getByRole('link', { name: dead, exact: true }).click();
  const uptime = page
    .getByLabel(`Details for ${dead}`)
    .locator('section', { has: page.getByRole('heading', { name: 'Uptime', exact: true }) });
  await expect(uptime).toContainText(/Down since /);
  await expect(uptime).toContainText(/Ongoing since /);
  await expect(uptime).toContainText('Free shows the last 7 days, Premium the last 90.');
  await uptime.getByRole('slider', { name: 'The last checks, one by one' }).press('ArrowLeft');
  await expect(uptime.getByRole('slider')).toHaveAttribute('aria-valuetext', /refused the connection/);

  await page.goto('/dashboard?view=list');
  await expect(page.getByRole('columnheader', { name: 'Last 30 checks' })).toBeVisible();
  await expect(page.getByRole('row', { name: dead })).toContainText(/Down since /);
});
