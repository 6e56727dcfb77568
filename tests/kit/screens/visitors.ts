import type { Browser, Page } from '@playwright/test';
import { CALLS } from '../../../contract/calls.ts';
import type { Demo } from '../demo.ts';
import { sendTo, signUp } from '../people.ts';

/**
 * Who looks at a screen of the demo: nobody who is signed in; somebody who has just signed up; somebody on the Free plan
 * with as many domains as it holds; the demo's own person, with Premium and months of history.
 */
export type Visitor = 'nobody' | 'newcomer' | 'full' | 'member';

/** A window for each, in which they are signed in and nothing moves. */
export async function openWindows(browser: Browser, demo: Demo): Promise<Record<Visitor, Page>> {
  const send = sendTo(demo.url);
  const newcomer = await signUp(send, { name: 'Tove', company: 'Moss' });
  const full = await signUp(send, { name: 'Ola', company: 'Moss' });
  for (const name of ['orchard.example', 'lab.moss.example', 'edge.moss.example']) {
    const added = await full.ask(CALLS.addDomain, { body: { host: `${name}${demo.portSuffix}` } });
    if (added.ok.data.fingerprint === null) throw new Error(`${name} was not read`);
  }
  return {
    nobody: await openWindow(browser, demo),
    newcomer: await openWindow(browser, demo, newcomer),
    full: await openWindow(browser, demo, full),
    member: await openWindow(browser, demo, demo.person),
  };
}

async function openWindow(
  browser: Browser,
  demo: Demo,
  person?: { email: string; password: string },
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: demo.url,
    locale: 'en-GB',
    timezoneId: 'Europe/Oslo',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  if (person) {
    await page.goto('/login');
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(person.password);
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await page.waitForURL(/\/dashboard/);
  }
  return page;
}
