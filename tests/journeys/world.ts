import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DAY_MS } from '../../contract/durations.ts';
import {
  test as base,
  type BrowserContext,
  expect,
  type Locator,
  type Page,
  type Route,
} from '@playwright/test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALLS } from '../../contract/calls/calls.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { openStore } from '../../server/store/db/open-store.ts';
import { sessionCookies } from '../kit/machine/browser.ts';
import { addPerson } from '../kit/product/cast.ts';
import { insertFleet } from '../kit/product/fleet.ts';
import { type Person, sendAs, sendTo, signUp as signUpByApi } from '../kit/product/people.ts';
import { type App, MANY_SIGN_UPS, startApp, temporaryFolder } from '../kit/product/app.ts';
import { startDnsServer } from '../kit/peers/dns-server.ts';
import { type CertificateOptions, mintAuthority, type MintedAuthority } from '../kit/certificates/mint.ts';
import { type SmtpSink, startSmtpSink } from '../kit/peers/smtp-sink.ts';
import { type Peer, startTlsServer } from '../kit/peers/tls-server.ts';

/** The product as an operator runs it, with a mail server, a name server and TLS servers. */
export interface World {
  app: App;
  /** Stops the server and starts it again at the same address. */
  restart(): Promise<void>;
  mail: SmtpSink;
  /**
   * Serves `name` with a certificate of a trusted authority, or of `issuer`. Resolves to `host:port`. With `second`, the name
   * has a second address, which serves the certificate that `second` describes.
   */
  serve(name: string, certificate?: Served & { second?: Served }): Promise<string>;
  /** Adds a name whose address has no listener; returns `host:port`. */
  dead(name: string): string;
}

type Served = Pick<CertificateOptions, 'notBefore' | 'notAfter' | 'dnsNames'> & {
  issuer?: MintedAuthority;
  /** If false, the server does not send the intermediate. It can be fetched from its authority. */
  isComplete?: boolean;
};

/** Number of people so far. It makes names unique in a run: every test creates its own people. */
let people = 0;
export function newPerson(): { name: string; company: string; email: string; password: string } {
  people += 1;
  return {
    name: 'Alice Lind',
    company: 'Orchard',
    email: `alice-${process.pid}-${people}@orchard.example`,
    password: 'correct-horse-7',
  };
}

export const daysFromNow = (days: number): number => Date.now() + days * DAY_MS;

// One world per worker: tests share the servers, but not people or hosts.
export const test = base.extend<object, { environment: Record<string, string>; world: World }>({
  /** Additional settings of this file's deployment. */
  environment: [async ({}, use) => use({}), { scope: 'worker' }],
  world: [
    async ({ environment }, use) => {
      const folder = temporaryFolder();
      const authority = mintAuthority({ organization: 'Orchard Trust', commonName: 'Orchard Root' });
      const intermediate = authority.intermediate({
        organization: 'Orchard Trust',
        commonName: 'Orchard R1',
      });
      const extraCa = join(folder.path, 'ca.pem');
      writeFileSync(extraCa, authority.certificatePem);
      const dns = await startDnsServer();
      const mail = await startSmtpSink();
      const peers: Peer[] = [];
      const issuerServer = createServer((_, response) => response.end(intermediate.der));
      const issuerUrl = async () => {
        if (!issuerServer.listening) await once(issuerServer.listen(0, '127.0.0.1'), 'listening');
        return `http://127.0.0.1:${(issuerServer.address() as AddressInfo).port}/r1.cer`;
      };
      const settings = {
        DATA_DIR: join(folder.path, 'data'),
        SMTP_URL: mail.url,
        DNS_SERVERS: dns.address,
        EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
        CHANNEL_ALLOW_CIDRS: '127.0.0.0/8',
        TRY_IT: 'on',
        EXTRA_CA_FILE: extraCa,
        ...MANY_SIGN_UPS,
        ...environment,
      };
      const world: World = {
        app: await startApp(settings),
        mail,
        async restart() {
          expect(await world.app.stop()).toBe(0);
          world.app = await startApp({ ...settings, PORT: new URL(world.app.url).port });
        },
        async serve(name, { second, ...first } = {}) {
          const served = [first, ...(second === undefined ? [] : [second])];
          const addresses = served.map((_, index) => `127.0.0.${index + 1}`);
          dns.entries.set(name, { addresses });
          let port = 0;
          for (const [
            index,
            { issuer = intermediate, isComplete = true, ...certificate },
          ] of served.entries()) {
            const caIssuersUrls = isComplete ? [] : [await issuerUrl()];
            const issued = issuer.issue({
              commonName: name,
              dnsNames: [name],
              caIssuersUrls,
              ...certificate,
            });
            // `openssl s_server` would not do: it serves one connection at a time, so a check would wait for the fetch of the
            // icon.
            const peer = await startTlsServer(
              { '*': isComplete ? issued : { ...issued, chainPem: '' } },
              { host: addresses[index] ?? '', port },
            );
            peers.push(peer);
            port = peer.port;
          }
          return `${name}:${port}`;
        },
        dead(name) {
          dns.entries.set(name, { addresses: ['127.0.0.1'] });
          return `${name}:1`;
        },
      };
      await use(world);
      expect(await world.app.stop()).toBe(0);
      issuerServer.close();
      await Promise.all([dns.stop(), mail.stop(), ...peers.map((peer) => peer.stop())]);
      folder.remove();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ world }, use) => use(world.app.url),
  // A page that logs errors fails the test.
  context: async ({ context }, use) => {
    await keepToasts(context);
    const complaints: string[] = [];
    context.on('console', (message) => {
      // The browser itself logs every refused request. Journeys that provoke a refusal test what the page shows.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text());
    });
    context.on('weberror', (failure) => complaints.push(String(failure.error())));
    await use(context);
    expect(complaints).toEqual([]);
  },
});

/**
 * Keeps toasts until they are closed or the page is left, because a busy machine may stall a journey for longer than the 4 s for which
 * a toast is shown. A test of these 4 s installs a clock.
 */
export const keepToasts = (context: BrowserContext) =>
  context.addInitScript(() => {
    const start = window.setTimeout.bind(window);
    // The task of a toast's timer is recognised by this property name, which no other task uses.
    const isToast = (task: TimerHandler) => String(task).includes('onAutoClose');
    const patient = (task: TimerHandler, ms?: number, ...args: unknown[]) =>
      isToast(task) ? 0 : start(task, ms, ...args);
    Object.assign(window, { setTimeout: patient });
  });

/** Fills in the open sign-up page. */
export async function fillSignUp(page: Page, person: ReturnType<typeof newPerson>): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(person.name);
  await page.getByLabel('Company').fill(person.company);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
}

/**
 * Writes a new account with these domains into the store and its session into the browser, and opens no page. `hosts` are
 * added through the API, oldest first, and their first checks have finished. `fleet` is the number of domains of `insertFleet`.
 */
export async function createAccount(
  page: Page,
  { app }: World,
  {
    hosts = [],
    fleet = 0,
    premium = false,
    session = true,
    ...more
  }: {
    hosts?: readonly string[];
    fleet?: number;
    premium?: boolean;
    /** False if the browser gets no session. */
    session?: boolean;
    trial?: boolean;
    verified?: boolean;
  } = {},
): Promise<Person> {
  const store = await openStore({ databaseUrl: null, dataDir: app.dataDir, mayMigrate: false });
  let person: Person;
  try {
    person = await addPerson(
      {
        store,
        send: sendTo(app.url),
        address: '127.0.0.1',
        sessionSecret: 'unused before the first refresh',
        secureCookies: true,
        clock: Date,
      },
      { ...newPerson(), timeZone: 'Europe/Oslo', ...more },
    );
    const now = Date.now();
    if (premium) await grantPremium(store, person.id, { grant: { endsAt: null }, now });
    await insertFleet(store, { accountId: person.id, count: fleet, now });
  } finally {
    await store.close();
  }
  for (const host of hosts) await addByApi(person, host);
  if (session) await page.context().addCookies(sessionCookies(person.cookies, app.url));
  return person;
}

/** Adds a domain through the API; returns after its first check. */
export async function addByApi(person: Person, host: string): Promise<void> {
  const { id, last_checked_at } = (await person.ask(CALLS.addDomain, { body: { host } })).ok.data;
  if (last_checked_at !== null) return;
  // On a busy machine, the answer may come before the check has ended.
  const lastCheck = async () => (await person.ask(CALLS.domain, { params: { id } })).ok.data.last_checked_at;
  await expect.poll(lastCheck, { timeout: 60_000 }).not.toBeNull();
}

/** Opens the empty dashboard as a new person who signed up through the API, with the session's cookies already in the browser. */
export async function signUp(
  page: Page,
  { app }: World,
  { trial = false } = {},
): Promise<ReturnType<typeof newPerson>> {
  const person = newPerson();
  const send = await sendAs(page, app.url);
  const { cookies } = await signUpByApi(send, { ...person, trial });
  await page.context().addCookies(sessionCookies(cookies, app.url));
  await page.goto('/dashboard');
  await expectEmptyDashboard(page);
  return person;
}

/** Signs a new person up on the page at `address` and waits for the empty dashboard. */
export async function signUpOnPage(page: Page, address = '/signup'): Promise<ReturnType<typeof newPerson>> {
  const person = newPerson();
  await page.goto(address);
  await fillSignUp(page, person);
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await expectEmptyDashboard(page);
  return person;
}

async function expectEmptyDashboard(page: Page): Promise<void> {
  await expect(page).toHaveURL(/\/dashboard/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add your first domain');
}

/** Opens the mailed link that verifies the signed-in person's address, and ends on the dashboard. */
export async function verifyAddress(
  page: Page,
  { mail }: World,
  { email }: { email: string },
): Promise<void> {
  const link = /http\S+\/verify#\S+/;
  const { text } = await mail.waitFor((each) => each.to.includes(email) && link.test(each.text));
  await page.goto(link.exec(text)?.[0] ?? '');
  await expect(page.getByText('Email address confirmed.')).toBeVisible();
  await expect(page).toHaveURL(/\/dashboard$/);
}

/** Fills in the open login page. */
export async function logIn(page: Page, person: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Login', exact: true }).click();
}

/** Serves every document with these public settings instead of the deployment's. The browser renders all of them. */
export async function changePublicConfig(page: Page, settings: object): Promise<void> {
  await page.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback();
    const response = await route.fetch();
    const html = await response.text();
    const root = /<div id="root" data-config="([^"]*)">.*<\/div>(?=\s*<(?:noscript|script|\/body))/s;
    const body = html.replace(root, (_, config: string) => {
      const data = JSON.parse(config.replaceAll('&quot;', '"').replaceAll('&#39;', "'")) as object;
      const changed = JSON.stringify({ ...data, ...settings }).replaceAll('"', '&quot;');
      return `<div id="root" data-config="${changed}"></div>`;
    });
    return route.fulfill({ response, body });
  });
}

export async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of / }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/login/);
}

/**
 * Removes the session's cookies, runs `act`, which asks for a change, and expects the login page. Reads in the background get
 * no answer: they would notice before the change that the session is lost, and open the login page too early.
 */
export async function loseSession(page: Page, act: () => Promise<void>): Promise<void> {
  const reads = (route: Route) => {
    const request = route.request();
    // The lookup is part of adding a domain, and saving notes or the profile begins with reading them.
    const isPartOfChange = /\/(?:domain\/lookup\?.*|domain\/[\da-f-]{36}|user\/me)$/.test(request.url());
    const isRead = request.method() === 'GET' && !isPartOfChange;
    return isRead ? undefined : route.fallback();
  };
  await page.route('**/api/**', reads);
  await page.context().clearCookies();
  await act();
  await expect(page).toHaveURL(/\/login/);
  await page.unroute('**/api/**', reads);
}

/** Adds a host on the page: with the inline form of the empty dashboard, else with the dialog. */
export async function addHost(page: Page, host: string): Promise<void> {
  const inline = page.getByRole('heading', { name: 'Add your first domain' });
  const add = page.getByRole('button', { name: 'Add Domain' }).first();
  await expect(add).toBeVisible();
  // While the list is loading, nothing tells which of the two forms the page will have.
  const listed = page.getByRole('main').getByRole('listitem').filter({ visible: true });
  await expect(inline.or(listed).first()).toBeVisible();
  if (!(await inline.isVisible())) await add.click();
  await page.getByLabel('Host Address').fill(host);
  // The list may show the domain before the call is answered. Until then the typed text is kept, and would be offered again
  // after a reload.
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/domain/add'));
  await page.getByLabel('Host Address').press('Enter');
  await answered;
  await expect(card(page, host)).toBeVisible();
}

/** Chooses an option of a Select. */
export async function choose(select: Locator, option: string): Promise<void> {
  await select.click();
  await select.page().getByRole('option', { name: option, exact: true }).click();
  await expect(select).toHaveText(option);
}

export const card = (page: Page, host: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('link', { name: host, exact: true }) });

/** Shows one section of the open panel. */
export const showSection = (panel: Page | Locator, name: string) =>
  panel.getByRole('tab', { name, exact: true }).click();

export { expect } from '@playwright/test';

/** Asks to remove a domain, and returns the button that confirms it. */
export async function removeFromMenu(page: Page, host: string): Promise<Locator> {
  await page.getByRole('button', { name: `Actions for ${host}` }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  return page.getByRole('alertdialog').getByRole('button', { name: 'Delete' });
}

/** Moves the page's clock through all retries until the page gives up and shows `sign`. Needs `page.clock.install`. */
export const givesUp = (page: Page, sign: Locator) =>
  expect(async () => {
    await page.clock.fastForward(4_000);
    await expect(sign).toBeVisible({ timeout: 250 });
  }).toPass();
