import type { Browser, Page } from '@playwright/test';
import { CALLS } from '../../../contract/calls/calls.ts';
import { UNCONFIRMED_DOMAIN_LIMIT } from '../../../contract/words.ts';
import { sessionCookies } from '../machine/browser.ts';
import type { Demo } from '../product/demo.ts';
import { sendAs, sendTo, signIn, signUp } from '../product/people.ts';

/**
 * Who looks at a screen of the demo: nobody signed in; somebody who has just signed up; somebody with one domain; somebody with as many domains as the Free
 * plan allows; somebody on trial with as many as an unverified address may have; the demo's own person, with Premium and months
 * of history.
 */
export type Visitor = 'nobody' | 'newcomer' | 'beginner' | 'full' | 'unverified' | 'member';

/** Opens a window for each visitor, signed in, without animations. */
export async function openWindows(browser: Browser, demo: Demo): Promise<Record<Visitor, Page>> {
  const send = sendTo(demo.url);
  const newcomer = await signUp(send, { name: 'Tove', company: 'Moss' });
  const beginner = await signUp(send, { name: 'Ada', company: 'Moss' });
  const first = `git.orchard.example${demo.portSuffix}`;
  void (await beginner.ask(CALLS.addDomain, { body: { host: first } })).ok;
  const full = await signUp(send, { name: 'Ola', company: 'Moss' });
  for (const name of ['orchard.example', 'lab.moss.example', 'edge.moss.example']) {
    const added = await full.ask(CALLS.addDomain, { body: { host: `${name}${demo.portSuffix}` } });
    if (added.ok.data.fingerprint === null) throw new Error(`${name} was not read`);
  }
  const unverified = await signUp(send, { name: 'Siri', company: 'Moss', trial: true });
  const nowhere = Array.from(
    { length: UNCONFIRMED_DOMAIN_LIMIT - 1 },
    (_, index) => `no-${index}.moss.example`,
  );
  await Promise.all(
    [`orchard.example${demo.portSuffix}`, ...nowhere].map(
      async (host) => (await unverified.ask(CALLS.addDomain, { body: { host } })).ok,
    ),
  );
  return {
    nobody: await openWindow(browser, demo),
    newcomer: await openWindow(browser, demo, newcomer),
    beginner: await openWindow(browser, demo, beginner),
    full: await openWindow(browser, demo, full),
    unverified: await openWindow(browser, demo, unverified),
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
    const { cookies } = await signIn(await sendAs(page, demo.url), person);
    await context.addCookies(sessionCookies(cookies, demo.url));
  }
  return page;
}
