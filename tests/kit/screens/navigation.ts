import type { Page, Route } from '@playwright/test';
import type { Demo } from '../product/demo.ts';
import type { Visitor } from './visitors.ts';

/** One state of a page, or a dialog over it, as a person sees it. */
export interface Screen {
  /** In kebab case; part of the picture's file name. */
  name: string;
  visitor: Visitor;
  /** Goes to the screen from any page. Resolves when everything is visible. */
  show(page: Page, demo: Demo): Promise<void>;
}

/** Opens an address and waits for its content. */
export async function open(page: Page, path: string): Promise<void> {
  // Clear what was typed on an earlier screen: it would open a form again.
  if (page.url().startsWith('http')) await page.evaluate(() => sessionStorage.clear());
  // If only the fragment differs, the browser would load nothing.
  if (path.includes('#')) await page.goto('about:blank');
  await page.goto(path);
  // Finds the heading without its role: elements below a sheet that fills a narrow screen have none.
  await page.locator('#root h1').first().waitFor();
}

export const showPath = (path: string) => (page: Page) => open(page, path);

/** Opens the dashboard and waits for its cards or rows. */
export async function dashboard(page: Page, search = ''): Promise<void> {
  await open(page, `/dashboard${search}`);
  await page.locator('[aria-label^="Actions for "]').first().waitFor();
}

export const clickButton = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

export async function dialog(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('dialog', { name }).or(page.getByRole('alertdialog', { name })).waitFor();
}

export async function idOf(page: Page, hostname: string): Promise<string> {
  const answer = await page.request.get(`/api/domain/list?q=${hostname}`);
  const { data } = (await answer.json()) as { data: { id: string; hostname: string }[] };
  const found = data.find((domain) => domain.hostname === hostname);
  if (!found) throw new Error(`Nobody watches ${hostname}`);
  return found.id;
}

/** Opens one section of a domain's panel and waits for the section. The list shows this domain alone, which loads faster. */
export const panelOf =
  (hostname: string, section = 'overview', list = `q=${hostname}`) =>
  async (page: Page) => {
    await dashboard(page, `?${list}&domain=${await idOf(page, hostname)}&section=${section}`);
    await page.getByRole('tabpanel').getByRole('heading').first().waitFor();
    await page
      .getByText(/^Loading/)
      .first()
      .waitFor({ state: 'hidden' });
  };

/** Changes alert settings and waits for the preview, which is dimmed until it is up to date. */
export async function changeAndAwaitPreview(page: Page, change: () => Promise<void>): Promise<void> {
  const asked = page.waitForRequest((request) => request.url().endsWith('/api/alerts/preview'));
  await change();
  await (await asked).response();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}

export async function accountMenu(page: Page): Promise<void> {
  await clickButton(page, /^Account of /);
  await page.getByRole('menuitem', { name: 'Log out' }).waitFor();
}

/** Clicks something in the header or, if a narrow header has no room for it, in the account menu. */
export async function fromHeader(page: Page, name: string): Promise<void> {
  if ((page.viewportSize()?.width ?? 0) >= 640) {
    await page.getByRole('banner').getByRole('button', { name }).click();
    return;
  }
  await accountMenu(page);
  await page.getByRole('menuitem', { name }).click();
}

/** Opens the menu of the first domain in the list. */
export async function domainMenu(page: Page): Promise<void> {
  await dashboard(page, '?sort=soonest');
  await page
    .getByRole('button', { name: /^Actions for / })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Remove' }).waitFor();
}

export async function change(route: Route, of: (data: object) => object): Promise<void> {
  const response = await route.fetch();
  const answer = (await response.json()) as { data: object };
  await route.fulfill({ response, json: { ...answer, data: of(answer.data) } });
}

interface Settings {
  settings?: object;
}

/**
 * Answers changes at an address, and later reads, as if the changes had been saved. Saves nothing, because a second visit
 * must find the same settings. The changes must be answered: otherwise they would reach the server as soon as the page’s
 * routes are removed.
 */
export async function pretendToSave(
  page: Page,
  url: string,
  changed: (stored: Settings, change: Settings) => object,
): Promise<void> {
  let saved: object | null = null;
  await page.route(url, async (route) => {
    const request = route.request();
    if (request.method() !== 'GET') {
      const { data } = (await (await page.request.get(request.url())).json()) as { data: Settings };
      saved = changed(data, request.postDataJSON() as Settings);
    }
    return saved === null ? route.fallback() : route.fulfill({ json: { data: saved } });
  });
}
