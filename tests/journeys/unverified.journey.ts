import { addHost, card, daysFromNow, expect, signUp, test, verifyAddress } from './world.ts';

test('import, repeated checks, channels and status pages ask for a confirmed address and offer a new link', async ({
  page,
  world,
}) => {
  const person = await signUp(page, world, { trial: true });
  const reason = page.getByRole('note').filter({ hasText: 'Confirm your address' });
  const toasts = page.getByRole('region', { name: /^Notifications/ });
  const host = await world.serve('shop.unverified.example', { notAfter: daysFromNow(60.5) });
  const mails = () =>
    world.mail.ledger.filter(({ to, text }) => to.includes(person.email) && text.includes('/verify#')).length;

  await test.step('importing domains first asks to confirm the address', async () => {
    await page.getByRole('button', { name: 'Import domains' }).click();
    await expect(reason).toContainText(
      `Confirm your address to import domains: open the link in the email to ${person.email}.`,
    );
    await reason.getByRole('button', { name: 'Send again' }).click();
    await expect(toasts.getByText('We sent the email.')).toBeVisible();
    await expect.poll(mails).toBe(2);
    const dialog = page.getByRole('dialog', { name: 'Import domains' });
    await dialog.getByLabel('Hosts').fill(host);
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByRole('button', { name: 'Add 1 domain' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Confirm your address to import domains.');
    await dialog.getByRole('button', { name: 'Stop' }).click();
  });

  await test.step('checking a domain again within a minute asks to confirm the address', async () => {
    await addHost(page, host);
    await card(page, host)
      .getByRole('button', { name: /^Actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Refresh' }).click();
    await expect(card(page, host)).not.toContainText('Checking');
    await card(page, host)
      .getByRole('button', { name: /^Actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Refresh' }).click();
    const refusal = toasts.getByRole('alert').filter({ hasText: 'Could not start the check' });
    await expect(refusal).toContainText(
      'The limit of 1 check a minute per domain without a confirmed address',
    );
    await refusal.getByRole('button', { name: 'Send the link again' }).click();
    await expect.poll(mails).toBe(3);
  });

  await test.step('adding a channel first asks to confirm the address', async () => {
    await page.goto('/alerts');
    await page.getByRole('button', { name: 'Add channel' }).click();
    await expect(reason).toContainText('to send alerts to channels other than your own address');
    await page.getByRole('button', { name: /^Webhook/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('https://hooks.unverified.example/');
    await dialog.getByRole('button', { name: 'Add channel' }).click();
    await expect(toasts.getByRole('alert')).toContainText('Could not save the channel: Confirm your address');
    await page.keyboard.press('Escape');
  });

  await test.step('publishing a status page first asks to confirm the address, and the attempt fails', async () => {
    await page.goto('/status-page');
    await expect(reason).toContainText('to publish a status page');
    await page.getByLabel('Title').fill('What we run');
    await page.getByRole('button', { name: 'Save and switch on' }).click();
    await expect(toasts.getByRole('alert')).toContainText('Could not save the change: Confirm your address');
    await page.getByLabel('Title').fill('');
  });

  await test.step('a verified address is not asked for again', async () => {
    await verifyAddress(page, world, person);
    await page.goto('/status-page');
    await expect(page.getByLabel('Title')).toBeVisible();
    await expect(reason).toHaveCount(0);
  });
});
