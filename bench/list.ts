import { chromium, type Browser } from '@playwright/test';

import { grantPremium } from '../server/store/accounts/accounts.ts';
import { openStore } from '../server/store/db/open-store.ts';
import { startApp, temporaryFolder } from '../tests/kit/app.ts';
import { BROWSER_FLAGS, findBrowser, sessionCookies } from '../tests/kit/browser.ts';
import { insertFleet } from '../tests/kit/fleet.ts';
import { sendTo, signUp, type Person } from '../tests/kit/people.ts';
import { measureList, type ListFigures } from './list/measure.ts';

// Compares the dashboards of an account with 5,000 domains and an account with 50 domains in the same browser: load
// time, smoothness of scrolling, and memory.

const ROUNDS = 3;
const LARGE = 5000;
const SMALL = 50;
const VIEWS = ['grid', 'list'] as const;

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
  for (const view of VIEWS) {
    const figures = { large: [] as ListFigures[], small: [] as ListFigures[] };
    // Rounds are interleaved, so that other load on the machine affects both accounts alike.
    for (let round = 0; round < ROUNDS; round++) {
      figures.small.push(await measured(browser, small, view, SMALL));
      figures.large.push(await measured(browser, large, view, LARGE));
    }
    report(view, figures.large, figures.small);
  }
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
  view: (typeof VIEWS)[number],
  count: number,
): Promise<ListFigures> {
  const context = await inBrowser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    await context.addCookies(sessionCookies(person.cookies, app.url));
    return await measureList(context, `${app.url}/dashboard?view=${view}`, count);
  } finally {
    await context.close();
  }
}

function report(view: string, large: readonly ListFigures[], small: readonly ListFigures[]): void {
  const line = (label: string, of: (figures: ListFigures) => number, unit: string): string => {
    const [largeMedian, smallMedian] = [median(large.map(of)), median(small.map(of))];
    return `${label.padEnd(44)} ${largeMedian.toFixed(0).padStart(7)} ${unit}   ${smallMedian.toFixed(0).padStart(7)} ${unit}\n`;
  };
  process.stdout.write(
    [
      `\n${view}, medians of ${ROUNDS} interleaved rounds${' '.repeat(12)}${LARGE} domains  ${SMALL} domains\n`,
      line('first rows after navigation', ({ firstRowsMs }) => firstRowsMs, 'ms'),
      line('long tasks (> 50 ms) while scrolling', ({ longTasks }) => longTasks, '  '),
      line('longest task while scrolling', ({ longestTaskMs }) => longestTaskMs, 'ms'),
      line('frames over 50 ms while scrolling', ({ slowFrames }) => slowFrames, '  '),
      line('rows mounted, maximum', ({ mostMounted }) => mostMounted, '  '),
      line('JavaScript heap after scrolling', ({ heapBytes }) => heapBytes / 1_000_000, 'MB'),
    ].join(''),
  );
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
