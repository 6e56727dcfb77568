import type { Page } from '@playwright/test';
import { CALLS } from '../../contract/calls/calls.ts';
import { runScript } from '../kit/product/run-script.ts';
import { createAccount, expect, newPerson, test, type World } from './world.ts';

test.use({ environment: { SIGNUPS: 'invite', BILLING: 'none' } });

/** Records everything that the page sends to servers in addresses and Referer headers. */
function addressesSent(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    sent.push(request.url().replace(/#.*/, ''), request.headers()['referer'] ?? '');
  });
  return sent;
}

/** Returns the link that `npm run invite` prints. */
async function invitationFor(email: string, { app }: World): Promise<string> {
  const { stdout } = await runScript(
    'scripts/invite.ts',
    { DATA_DIR: app.dataDir, PUBLIC_URL: app.url, BILLING: 'none' },
    email,
  );
  return /https?:\/\/\S+/.exec(stdout)?.[0] ?? '';
}

/** Signs up on the page that an invitation opens. */
async function accept(page: Page, { name, password }: { name: string; password: string }): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
}

const linkIn = (text: string, path: string) =>
  new RegExp(`https?://\\S+${path}#[\\w.-]+`).exec(text)?.[0] ?? '';
const tokenOf = (link: string) => new URL(link).hash.slice(1);

test('an invitation is removed from the address bar, survives a reload and allows sign-up', async ({
  page,
  world,
}) => {
  const person = newPerson();
  const link = await invitationFor(person.email, world);
  const other = newPerson();
  expect(link).toMatch(/\/signup#[\w.-]{100,}$/);
  const sent = addressesSent(page);
  await page.goto(link);
  await expect(page).toHaveURL(`${world.app.url}/signup`);
  await expect(page.getByLabel('Email')).toHaveValue(person.email);
  await page.reload();
  await expect(page.getByLabel('Email')).toHaveValue(person.email);
  // Another link in the same tab replaces the first one.
  await page.goto(await invitationFor(other.email, world));
  await expect(page.getByLabel('Email')).toHaveValue(other.email);
  await page.goto(link);
  await expect(page.getByLabel('Email')).toHaveValue(person.email);
  await accept(page, person);
  expect(sent.filter((address) => address.includes(tokenOf(link)))).toEqual([]);
});

test('an invitation in the old format still works and keeps the other parameters of its address', async ({
  page,
  world,
}) => {
  const person = newPerson();
  const code = tokenOf(await invitationFor(person.email, world));
  await page.goto(`/signup?host=shop.example&invite=${code}`);
  await expect(page).toHaveURL(`${world.app.url}/signup?host=shop.example`);
  await expect(page.getByText('After you sign up, we watch shop.example.')).toBeVisible();
  await expect(page.getByLabel('Email')).toHaveValue(person.email);
  await accept(page, person);
});

test('a recipient confirms and unsubscribes by links whose tokens are never sent in an address', async ({
  page,
  world,
  browser,
}) => {
  const person = await createAccount(page, world, { verified: true });
  const address = `ops-${person.email}`;
  const added = await person.ask(CALLS.addChannel, { body: { config: { kind: 'email', address } } });
  const { key } = added.ok.data.channel;

  const request = await world.mail.waitFor(({ to }) => to.includes(address));
  const confirmation = linkIn(request.text, '/confirm-recipient');
  const stranger = await browser.newPage({ baseURL: world.app.url });
  const sent = addressesSent(stranger);
  await stranger.goto(confirmation);
  await expect(stranger).toHaveURL(`${world.app.url}/confirm-recipient`);
  await stranger.reload();
  await stranger.getByRole('button', { name: 'Send me alerts' }).click();
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('Address confirmed');

  void (await person.ask(CALLS.testChannel, { params: { key } })).ok;
  const mail = await world.mail.waitFor(
    ({ to, text }) => to.includes(address) && text.includes('/unsubscribe#'),
  );
  const link = linkIn(mail.text, '/unsubscribe');
  await stranger.goto(link);
  await expect(stranger).toHaveURL(`${world.app.url}/unsubscribe`);
  await stranger.reload();
  await stranger.getByRole('button', { name: 'Stop all alert emails' }).click();
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('Alert emails stopped');
  await stranger.getByRole('button', { name: 'Turn them back on' }).click();
  await expect(stranger.getByRole('button', { name: 'Stop all alert emails' })).toBeVisible();
  for (const token of [tokenOf(confirmation), tokenOf(link)])
    expect(sent.filter((one) => one.includes(token))).toEqual([]);

  const header = /List-Unsubscribe: <(\S+)>/.exec(mail.raw.toString().replaceAll(/\r\n\s+/g, ' '))?.[1] ?? '';
  await stranger.goto(header);
  await expect(stranger).toHaveURL(`${world.app.url}/unsubscribe`);
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('This link is incomplete');
  // The token in the mail header's address does not work on the page.
  await stranger.goto(`/unsubscribe#${header.split('/').at(-1)}`);
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('This link does not work');
  const clicked = await stranger.request.post(header, { form: { 'List-Unsubscribe': 'One-Click' } });
  expect(clicked.status()).toBe(200);
  await stranger.goto(link);
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('Alert emails stopped');
  await stranger.close();
});
