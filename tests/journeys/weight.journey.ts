import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { createAccount, expect, test } from './world.ts';

/** The page loads suggestions two seconds after its list is shown, which is no part of the first visit. */
const FIRST_VISIT_MS = 1_900;

/**
 * Returns the bytes of compressed JavaScript that a first visit requests until `FIRST_VISIT_MS` after `shown` matches an element. A slow
 * browser changes nothing: timers never end early.
 */
async function scriptBytes(page: Page, path: string, shown = 'h1'): Promise<number> {
  await page.addInitScript((selector) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector(selector) === null) return;
      performance.mark('shown');
      observer.disconnect();
    });
    observer.observe(document, { childList: true, subtree: true });
  }, shown);
  await page.goto(path, { waitUntil: 'networkidle' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator(shown).first()).toBeVisible();
  const bytes = await page.evaluate((firstVisitMs) => {
    const [mark] = performance.getEntriesByName('shown');
    return performance
      .getEntriesByType('resource')
      .filter(({ name, startTime }) => name.endsWith('.js') && startTime < mark!.startTime + firstVisitMs)
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0);
  }, FIRST_VISIT_MS);
  // Fewer bytes would mean that something was not counted.
  expect(bytes).toBeGreaterThan(50_000);
  return bytes;
}

for (const [path, kilobytes] of [
  ['/landing', 90],
  ['/login', 120],
  ['/signup', 120],
] as const)
  test(`${path} loads at most ${kilobytes} kB of JavaScript`, async ({ page }) => {
    expect(await scriptBytes(page, path)).toBeLessThanOrEqual(kilobytes * 1000);
  });

test('/dashboard loads at most 230 kB of JavaScript', async ({ page, world }) => {
  await createAccount(page, world, { hosts: [await world.serve('light.orchard.example')] });
  expect(await scriptBytes(page, '/dashboard', 'main li a')).toBeLessThanOrEqual(230_000);
  await expect(page).toHaveURL(/\/dashboard/);
});

const ASSETS = new URL('../../dist/web/assets/', import.meta.url);

/** Returns the built chunks by file name, each with the chunks that it imports statically. */
function builtChunks(): Map<string, string[]> {
  const names = readdirSync(ASSETS).filter((name) => name.endsWith('.js'));
  const importsOf = (name: string) =>
    readFileSync(new URL(name, ASSETS), 'utf8').matchAll(/\b(?:import|from)\s*["'`]\.\/([^"'`]+\.js)["'`]/g);
  return new Map(names.map((name) => [name, [...importsOf(name)].map(([, imported = '']) => imported)]));
}

/** Returns a chunk and all that a browser loads with it. */
function loadedWith(name: string, chunks: Map<string, string[]>, loaded = new Set<string>()): Set<string> {
  if (loaded.has(name)) return loaded;
  loaded.add(name);
  for (const imported of chunks.get(name) ?? []) loadedWith(imported, chunks, loaded);
  return loaded;
}

// Chunks that import each other may read each other's constants before these are set. Then no page with both would start.
test('no chunks of the pages import each other in a circle', () => {
  const chunks = builtChunks();
  expect(chunks.size).toBeGreaterThan(50);
  const inCircle = [...chunks].flatMap(([name, imports]) =>
    imports.filter((one) => loadedWith(one, chunks).has(name)).map((one) => `${name} imports ${one}`),
  );
  expect(inCircle).toEqual([]);
});

test('the chunk that every page loads imports no other, and the landing page loads neither the router nor the session', () => {
  const chunks = builtChunks();
  const named = (start: string) => {
    const found = [...chunks.keys()].find((name) => name.startsWith(`${start}-`));
    if (found === undefined) throw new Error(`The build has no chunk ${start}`);
    return found;
  };
  expect(chunks.get(named('index'))).toEqual([]);
  const onLanding = loadedWith(named('landing'), chunks);
  expect(onLanding).toContain(named('index'));
  for (const other of ['router', 'identity', 'protected', 'query-cache-route', 'dashboard', 'settings'])
    expect(onLanding).not.toContain(named(other));
});
