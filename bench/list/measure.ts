import type { Browser, BrowserContext, Page } from '@playwright/test';

export interface ListFigures {
  /** Time from navigation until the first rows are painted, in ms. Measured on a second visit, with the scripts in the browser's cache. */
  firstRowsMs: number;
  /** CPU time of the longest task on the page's main thread while the page scrolls, in ms. */
  longestTaskMs: number;
  /** Number of tasks while the page scrolls that use more than MAX_TASK_MS of CPU time. */
  longTasks: number;
  slowFrames: number;
  mostMounted: number;
  /** Time from the last keystroke in the search field to the painted result, ms. Includes DEBOUNCE_MS. */
  keystrokeToResultMs: number;
  /** Time from the start of the search's request to the painted result, ms. */
  requestToResultMs: number;
  heapBytes: number;
}

/** How long the search field waits after the last keystroke; the same as in search-field.tsx. */
export const DEBOUNCE_MS = 250;
export const MAX_TASK_MS = 50;

const ROW = '[data-domain-id]';
/** Finds one in three domains of `insertFleet`. */
const SEARCH = 'moss';

/** What `addInstruments` adds to the page's global object. */
interface Instruments {
  /** Waits for the first frame in which `isShown` is true. Returns when that frame was painted, in ms of the page's own clock. */
  paintOf: (isShown: () => boolean) => Promise<number>;
  firstRows: Promise<number>;
}

/** Opens the page, scrolls it to the end by a bit on every frame, and searches. Throws if more rows are mounted than there are domains. */
export async function measureList(
  browser: Browser,
  context: BrowserContext,
  { url, count }: { url: string; count: number },
): Promise<ListFigures> {
  await context.addInitScript(addInstruments, ROW);
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector(ROW);
  await page.goto(url);
  const firstRowsMs = await page.evaluate(() => (globalThis as unknown as Instruments).firstRows);
  await page.waitForLoadState('networkidle');

  await browser.startTracing(page, { categories: ['toplevel'] });
  const scrolled = await page.evaluate(scrollThrough, ROW);
  await page.waitForFunction(
    ({ row, last }) =>
      [...document.querySelectorAll(row)].some((element) => element.textContent?.includes(last)),
    // The list starts with the newest domain, so the domain that was inserted first is at the end.
    { row: ROW, last: `host-${'0'.repeat(5)}` },
  );
  const tasks = taskTimes(await browser.stopTracing());
  if (scrolled.mostMounted > count) throw new Error('There are more rows than domains');
  const searched = await measureSearch(page);
  const heapBytes = await page.evaluate(() => {
    (globalThis as unknown as { gc?: () => void }).gc?.();
    return (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize;
  });
  await page.close();
  return {
    firstRowsMs,
    longestTaskMs: Math.max(...tasks),
    longTasks: tasks.filter((ms) => ms > MAX_TASK_MS).length,
    ...scrolled,
    ...searched,
    heapBytes,
  };
}

/** Opens the page with 50 kB/s and a latency of 600 ms. Throws if it paints anything before the skeleton. */
export async function measureSlowStart(context: BrowserContext, url: string) {
  await context.addInitScript(addInstruments, ROW);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 600,
    downloadThroughput: 50_000,
    uploadThroughput: 50_000,
  });
  await page.goto(url, { waitUntil: 'commit', timeout: 60_000 });
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
  if (!(await page.locator('[data-skeleton]').isVisible())) throw new Error('The page has no skeleton');
  const skeletonMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  const firstRowsMs = await page.evaluate(() => (globalThis as unknown as Instruments).firstRows);
  return { skeletonMs, firstRowsMs };
}

/** Runs in the browser, before the page's scripts. Uses the page's clock, because messages to this process take time. */
function addInstruments(row: string) {
  const paintOf: Instruments['paintOf'] = (isShown) =>
    new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (!isShown()) return;
        observer.disconnect();
        // A timer that is started in an animation frame fires after the main thread has painted this frame.
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      });
      observer.observe(document, { childList: true, characterData: true, subtree: true });
    });
  const firstRows = paintOf(() => document.querySelector(row) !== null);
  Object.assign(globalThis, { paintOf, firstRows } satisfies Instruments);
}

/** Scrolls the page, then jumps to its end. Counts slow frames and mounted rows. Runs in the browser. */
async function scrollThrough(row: string) {
  const SCREENS_PER_SECOND = 5;
  const MAX_MS = 20_000;
  const SLOW_FRAME_MS = 50;
  // Scrolls for a second, then stops for half a second: the page requests the rows in view only after scrolling stops.
  const SCROLL_MS = 1000;
  const CYCLE_MS = 1500;
  const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));

  let slowFrames = 0;
  let mostMounted = 0;
  const start = await nextFrame();
  const isAtEnd = () => window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 1;
  for (let last = start; !isAtEnd() && last - start < MAX_MS;) {
    const now = await nextFrame();
    const elapsed = now - last;
    last = now;
    if (elapsed > SLOW_FRAME_MS) slowFrames += 1;
    mostMounted = Math.max(mostMounted, document.querySelectorAll(row).length);
    if ((now - start) % CYCLE_MS < SCROLL_MS)
      window.scrollBy(0, (window.innerHeight * SCREENS_PER_SECOND * elapsed) / 1000);
  }
  window.scrollTo(0, document.documentElement.scrollHeight);
  return { slowFrames, mostMounted };
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** CPU time of the thread, µs. */
  tdur?: number;
  args: { name?: string };
}

/** Returns the CPU times of all tasks on the main threads of pages, ms. Throws if the trace has none. */
function taskTimes(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args.name === 'CrRendererMain';
  const mainThreads = new Set(traceEvents.filter(isMain).map(threadOf));
  const tasks = traceEvents.flatMap((event) =>
    event.name === 'ThreadControllerImpl::RunTask' && mainThreads.has(threadOf(event))
      ? (event.tdur ?? []) // Missing if the trace ends within the task.
      : [],
  );
  if (tasks.length === 0) throw new Error('The trace has no CPU times of tasks');
  return tasks.map((microseconds) => microseconds / 1000);
}

/** Types a search and waits for its result. Throws if the request starts before the end of the debounce. */
async function measureSearch(page: Page) {
  await page.getByRole('searchbox', { name: 'Find a domain' }).focus();
  const result = page.evaluate(
    async ({ row, search }) => {
      let keystroke = Number.NaN;
      document.addEventListener('keydown', ({ timeStamp }) => {
        keystroke = timeStamp;
      });
      const painted = await (globalThis as unknown as Instruments).paintOf(() => {
        const rows = [...document.querySelectorAll(row)];
        return rows.length > 0 && rows.every(({ textContent }) => textContent?.includes(search));
      });
      const request = performance
        .getEntriesByType('resource')
        .find(({ name }) => new URL(name).searchParams.get('q') === search);
      return {
        keystrokeToResultMs: painted - keystroke,
        requestToResultMs: painted - (request?.startTime ?? Number.NaN),
      };
    },
    { row: ROW, search: SEARCH },
  );
  await page.keyboard.type(SEARCH, { delay: 60 });
  const { keystrokeToResultMs, requestToResultMs } = await result;
  if (!(keystrokeToResultMs - requestToResultMs >= DEBOUNCE_MS))
    throw new Error(`No request of the search starts ${DEBOUNCE_MS} ms after the last keystroke or later`);
  return { keystrokeToResultMs, requestToResultMs };
}
