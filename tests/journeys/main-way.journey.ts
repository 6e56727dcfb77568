import { addHost, card, daysFromNow, expect, signUpOnPage, test } from './world.ts';
import { spec } from '../spec/spec.ts';

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

test('a person signs up, gets an alert mail and deletes the account', async ({ page, world }) => {
  const notAfter = daysFromNow(4.5);
  const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/Oslo' });
  const host = await world.serve('pay.fjord.example', { notBefore: daysFromNow(-85), notAfter });
  const name = host.split(':')[0] ?? '';

  const person = await signUpOnPage(page);

  await test.step('the card shows the certificate', async () => {
    await addHost(page, host);
    const added = card(page, host);
    await expect(added).toContainText('Orchard Trust');
    await expect(added).toContainText('Expiring in 4 days');
    await expect(added).toContainText('Active');
    await expect(added).toContainText(longDate.format(notAfter));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`${host} expires in 4 days`);
  });

  await test.step('the panel shows the facts and the history', async () => {
    await card(page, host).getByRole('link', { name: host }).click();
    const panel = page.getByLabel(`Details for ${host}`);
    await expect(panel.getByRole('heading', { name: host })).toBeFocused();
    await expect(panel).toContainText('CN=Orchard R1,O=Orchard Trust');
    await expect(panel).toContainText(name);
    await expect(panel).toContainText('Upgrade to premium to customize check frequency.');
    const history = panel.locator('section', { hasText: 'Certificate History' });
    await expect(history.getByRole('listitem').first()).toContainText(name);
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();
  });

  await test.step('the alert arrives by mail', async () => {
    const mail = await world.mail.waitFor(
      ({ to, subject }) => to.includes(person.email) && subject.startsWith(host),
    );
    expect(mail.subject).toBe(`${host} expires in 4 days`);
    spec('1.03', 'Mails warn before a certificate expires');
    expect(mail.text).toContain(name);
    expect(mail.html).toContain('Orchard R1');
  });

  await test.step('the domain is removed', async () => {
    await page.getByRole('button', { name: `Actions for ${host}` }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Are you sure you want to delete this domain?' });
    await expect(dialog).toContainText(
      `This will permanently delete "${host}". This action cannot be undone.`,
    );
    spec('2D.16', 'The question names the host and says that nothing takes it back');
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('Domain deleted successfully')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
  });

  await test.step('the account is deleted', async () => {
    await page.goto('/profile');
    await expect(page.getByLabel('Email')).toHaveValue(person.email);
    await page.getByRole('button', { name: 'Delete Account' }).click();
    const dialog = page.getByRole('alertdialog');
    await expect(dialog).toContainText(
      'Are you sure you want to delete your account? This action cannot be undone.',
    );
    await expect(dialog).toContainText('This deletes all alert settings.');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(page).toHaveURL(/\/login/);
    await page.goto('/dashboard');
    await expect(page).toHaveURL(/\/login/);
    spec('4S.12', 'Deleting the account logs out and leads to /login');
  });
});
