import { type Browser, chromium } from '@playwright/test';
import { grantPremium } from '../server/store/accounts/accounts.ts';
import { openStore } from '../server/store/db/open-store.ts';
import { startApp, temporaryFolder } from '../tests/kit/product/app.ts';
import { BROWSER_FLAGS, findBrowser, sessionCookies } from '../tests/kit/machine/browser.ts';
import { insertFleet } from '../tests/kit/product/fleet.ts';
import { type Person, sendTo, signUp } from '../tests/kit/product/people.ts';
import { DEBOUNCE_MS, type ListFigures, MAX_TASK_MS, measureList, measureSlowStart } from './list/measure.ts';
import { type Figure, isMissed, percentile, tableOf } from './scale/figures.ts';

// Compares the dashboards of an account with 5,000 domains and an account with 50 domains in the same browser: load
// time, smoothness of scrolling, search, and memory. Exits with 1 if a limit is missed with 5,000 domains.

const ROUNDS = 5;
const LARGE = 5000;
const SMALL = 50;
const VIEWS = { grid: 'cards', list: 'rows' } as const;
const MAX_FIRST_ROWS_MS = 1000;
const MAX_SEARCH_MS = 200;
const MAX_SKELETON_MS = 3_000;

const folder = temporaryFolder();
const found = findBrowser();
if (!found) throw new Error('No Chromium was found. Set BROWSER_PATH.');
const app = await startApp({ DATA_DIR: folder.path, BILLING: 'none' });
let browser: Browser | undefined;
try {
  const large = await personWith(LARGE);
  const small = await personWith(SMALL);
  browser = await chromium.launch({
    executablePath: found.executablePath,
    args: [...BROWSER_FLAGS, '--enable-precise-memory-info', '--js-flags=--expose-gc'],
    env: { ...process.env, ...found.env },
  });
  for (const [view, name] of Object.entries(VIEWS)) {
    const figures = { large: [] as ListFigures[], small: [] as ListFigures[] };
    // Rounds are interleaved, so that other load on the machine affects both accounts alike.
    for (let round = 0; round < ROUNDS; round++) {
      figures.small.push(await measured(browser, small, view, SMALL));
      figures.large.push(await measured(browser, large, view, LARGE));
    }
    const ofLarge = figuresOf(figures.large, true);
    process.stdout.write(
      `${name}, medians of ${ROUNDS} interleaved rounds\n${LARGE} domains\n${tableOf(ofLarge)}\n` +
        `${SMALL} domains, for comparison\n${tableOf(figuresOf(figures.small, false))}\n\n`,
    );
    if (ofLarge.some(isMissed)) process.exitCode = 1;
  }
  const slow = await slowFigures(browser, large);
  process.stdout.write(`50 kB/s and 600 ms, median of ${ROUNDS} rounds\n${tableOf(slow)}\n`);
  if (slow.some(isMissed)) process.exitCode = 1;
} finally {
  await browser?.close();
  await app.stop();
  folder.remove();
}

async function personWith(count: number): Promise<Person> {
  const person = await signUp(sendTo(app.url), { name: `Owner${count}` });
  const store = await openStore({ databaseUrl: null, dataDir: folder.path });
  try {
    const now = Date.now();
    await grantPremium(store, person.id, { grant: { endsAt: null }, now });
    await insertFleet(store, { accountId: person.id, count, now });
  } finally {
    await store.close();
  }
  return person;
}

async function measured(
  inBrowser: Browser,
  person: Person,
  view: string,
  count: number,
): Promise<ListFigures> {
  const context = await inBrowser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    await context.addCookies(sessionCookies(person.cookies, app.url));
    return await measureList(inBrowser, context, { url: `${app.url}/dashboard?view=${view}`, count });
  } finally {
    await context.close();
  }
}

/** Measures the first visit of a signed-in person with a slow connection and an empty cache. */
async function slowFigures(inBrowser: Browser, person: Person): Promise<Figure[]> {
  const rounds: { skeletonMs: number; firstRowsMs: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const context = await inBrowser.newContext({ viewport: { width: 1440, height: 900 } });
    await context.addCookies(sessionCookies(person.cookies, app.url));
    rounds.push(await measureSlowStart(context, `${app.url}/dashboard`));
    await context.close();
  }
  const median = (of: (round: (typeof rounds)[number]) => number) => percentile(rounds.map(of), 0.5);
  return [
    { what: 'skeleton', value: median((round) => round.skeletonMs), unit: 'ms', max: MAX_SKELETON_MS },
    { what: 'first rows', value: median((round) => round.firstRowsMs), unit: 'ms' },
  ];
}

/** Returns the medians, with limits if `isLimited`. */
function figuresOf(rounds: readonly ListFigures[], isLimited: boolean): Figure[] {
  const figure = (what: string, of: (round: ListFigures) => number, unit: string, max?: number): Figure => ({
    what,
    value: percentile(rounds.map(of), 0.5),
    unit,
    ...(isLimited && max !== undefined && { max }),
  });
  return [
    figure('first rows after navigation', ({ firstRowsMs }) => firstRowsMs, 'ms', MAX_FIRST_ROWS_MS),
    figure('longest task while scrolling, CPU', ({ longestTaskMs }) => longestTaskMs, 'ms', MAX_TASK_MS),
    figure(`tasks over ${MAX_TASK_MS} ms while scrolling, CPU`, ({ longTasks }) => longTasks, ''),
    figure('frames over 50 ms while scrolling', ({ slowFrames }) => slowFrames, ''),
    figure(
      `search: result after the debounce of ${DEBOUNCE_MS} ms`,
      ({ keystrokeToResultMs }) => keystrokeToResultMs - DEBOUNCE_MS,
      'ms',
      MAX_SEARCH_MS,
    ),
    figure('search: result after the request starts', ({ requestToResultMs }) => requestToResultMs, 'ms'),
    figure('search: result after the last keystroke', ({ keystrokeToResultMs }) => keystrokeToResultMs, 'ms'),
    figure('rows mounted, maximum', ({ mostMounted }) => mostMounted, ''),
    figure('JavaScript heap at the end', ({ heapBytes }) => heapBytes / 1_000_000, 'MB'),
  ];
}
