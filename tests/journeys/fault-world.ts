import type { Page } from '@playwright/test';
import { type ProblemCode, PROBLEMS } from '../../contract/problem.ts';
import { freePort } from '../kit/product/app.ts';
import { type FaultProxy, startFaultProxy } from '../kit/peers/fault-proxy.ts';
import { expect, test as journey } from './world.ts';

/** The product behind a connection that can be cut. The browser knows only the address of the proxy. */
export const test = journey.extend<object, { wire: FaultProxy; appPort: number }>({
  appPort: [async ({}, use) => use(await freePort()), { scope: 'worker' }],
  wire: [
    async ({ appPort }, use) => {
      const proxy = await startFaultProxy({ port: appPort });
      await use(proxy);
      await proxy.stop();
    },
    { scope: 'worker' },
  ],
  environment: [
    async ({ wire, appPort }, use) => use({ PORT: String(appPort), PUBLIC_URL: wire.url }),
    { scope: 'worker' },
  ],
  baseURL: async ({ world, wire }, use) => {
    expect(world.app.url).not.toBe(wire.url);
    await use(wire.url);
  },
  page: async ({ page, wire }, use) => {
    await page.addInitScript(() => {
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (ms) => timeout('isImpatient' in window ? 500 : ms);
    });
    await use(page);
    await wire.heal();
  },
});

/** The page gives a call 30 s. This reduces the time to half a second. */
const becomeImpatient = (page: Page) =>
  page.evaluate(() => void Object.assign(window, { isImpatient: true }));
const becomePatient = (page: Page) => page.evaluate(() => void Reflect.deleteProperty(window, 'isImpatient'));

export interface Failing {
  name: string;
  /** What the page says about the failure, alone or after other words. */
  message: string;
  /** Makes a call fail until `heal`. The call never reaches the server, so the action still works when repeated. */
  begin(page: Page, proxy: FaultProxy, call: { method: string; path: string }): Promise<void>;
}

const line = ({ method, path }: { method: string; path: string }) =>
  new RegExp(`^${method} /api${path.replaceAll('*', '[^/?]+')}(?:\\?|$)`);
/** Matches the addresses of a call; `*` stands for one part of the path. */
export const callsAt = (path: string) => new RegExp(`/api${path.replaceAll('*', '[^/?]+')}(?:\\?|$)`);

/** Returns a refusal in the format of the server. */
export function problem(
  code: ProblemCode,
  detail: string,
  more: object = {},
): { status: number; json: object } {
  const { status, title } = PROBLEMS[code];
  return { status, json: { type: 'about:blank', title, status, code, detail, request_id: 'r', ...more } };
}

export const OFFLINE = 'The server could not be reached. Your monitoring keeps running.';

const CUT: Failing = {
  name: 'a cut connection',
  message: OFFLINE,
  async begin(_page, proxy, call) {
    proxy.fault(line(call), { kind: 'cut' });
  },
};

export const NO_ANSWER: Failing = {
  name: 'no answer',
  message: 'The server did not answer in time',
  async begin(page, proxy, call) {
    await becomeImpatient(page);
    proxy.fault(line(call), { kind: 'stall' });
  },
};

const REFUSED: Failing = {
  name: 'a refusal',
  message: 'Too many attempts. Try again in 40 seconds.',
  async begin(page, _proxy, call) {
    const answer = problem('too_many_requests', REFUSED.message, { retry_after: 40 });
    await page.route(callsAt(call.path), (route, request) =>
      request.method() === call.method ? route.fulfill(answer) : route.fallback(),
    );
  },
};

/** Failures that the page handles in different ways. `web/lib/api-client.test.ts` tests the message of every failure. */
export const FAILURES: readonly Failing[] = [CUT, REFUSED];

/** Ends all faults, in the proxy and in the page. */
export async function heal(page: Page, proxy: FaultProxy): Promise<void> {
  await proxy.heal();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await becomePatient(page);
}

export const toasts = (page: Page) => page.getByRole('region', { name: /^Notifications/ });

/** Expects the newest toast to say this, then closes all toasts, so that the next one is new. */
export async function expectToast(page: Page, text: string): Promise<void> {
  await expect(toasts(page).getByText(text, { exact: true }).first()).toBeVisible();
  const close = toasts(page).getByRole('button', { name: 'Close toast' });
  // Toasts are closed without the mouse: closing one moves the next, and a click that misses it would close a dialog.
  for (const button of await close.all())
    await button.dispatchEvent('click', {}, { timeout: 1_000 }).catch(() => undefined);
  await expect(toasts(page).getByText(text, { exact: true })).toHaveCount(0);
}
