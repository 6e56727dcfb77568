import type { BrowserContext, Page } from '@playwright/test';

export interface ListFigures {
  /**
   * Time from navigation to the frame that paints the first rows, ms, on a second visit with scripts in the browser's cache.
   */
  firstRowsMs: number;
  /** Number of tasks over 50 ms that the browser reports while the page scrolls. */
  longTasks: number;
  longestTaskMs: number;
  slowFrames: number;
  mostMounted: number;
  heapBytes: number;
}

const LOADED_ROW = '[data-domain-id]';
const SLOW_FRAME_MS = 50;
/** Scroll speed in screens per second. */
const SCREENS_PER_SECOND = 5;
/** Maximum time of scrolling, ms; after it the page jumps to the end of the list. */
const MAX_SCROLL_MS = 20_000;

/**
 * Opens the page, waits for its rows, and scrolls it to the end, a bit on every frame. Throws if more rows are mounted than
 * there are domains.
 */
export async function measureList(context: BrowserContext, url: string, count: number): Promise<ListFigures> {
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector(LOADED_ROW);
  const firstRowsMs = await firstRowAt(page, url);
  await page.waitForLoadState('networkidle').catch(() => undefined);
  const scrolled = await page.evaluate(scrollThrough, {
    row: LOADED_ROW,
    slowFrameMs: SLOW_FRAME_MS,
    screensPerSecond: SCREENS_PER_SECOND,
    maxMs: MAX_SCROLL_MS,
  });
  await page.waitForFunction(
    ({ row, last }) =>
      [...document.querySelectorAll(row)].some((element) => element.textContent?.includes(last)),
    // The list starts with the newest domain, so the domain that was inserted first is at the end.
    { row: LOADED_ROW, last: `host-${'0'.repeat(5)}` },
  );
  const heapBytes = await page.evaluate(() => {
    (globalThis as unknown as { gc?: () => void }).gc?.();
    return (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize;
  });
  await page.close();
  if (scrolled.mostMounted > count) throw new Error('There are more rows than domains');
  return { firstRowsMs, ...scrolled, heapBytes };
}

/**
 * Reloads the page and returns the time until its first rows in ms. Uses the page's own clock, because messages to this
 * process take time.
 */
async function firstRowAt(page: Page, url: string): Promise<number> {
  await page.addInitScript((row) => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector(row)) return;
      observer.disconnect();
      requestAnimationFrame(() => Object.assign(globalThis, { firstRowsMs: performance.now() }));
    });
    observer.observe(document, { childList: true, subtree: true });
  }, LOADED_ROW);
  await page.goto(url);
  const handle = await page.waitForFunction(() => (globalThis as { firstRowsMs?: number }).firstRowsMs);
  return (await handle.jsonValue()) ?? Number.NaN;
}

interface ScrollOptions {
  row: string;
  slowFrameMs: number;
  screensPerSecond: number;
  maxMs: number;
}

/** Scrolls the page to its end and measures long tasks, slow frames and mounted rows. Runs in the browser. */
async function scrollThrough({ row, slowFrameMs, screensPerSecond, maxMs }: ScrollOptions) {
  const tasks: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  });
  observer.observe({ type: 'longtask' });
  const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));

  let slowFrames = 0;
  let mostMounted = 0;
  const start = performance.now();
  let last = await nextFrame();
  for (;;) {
    const now = await nextFrame();
    const elapsed = now - last;
    last = now;
    if (elapsed > slowFrameMs) slowFrames += 1;
    mostMounted = Math.max(mostMounted, document.querySelectorAll(row).length);
    const before = window.scrollY;
    window.scrollBy(0, (window.innerHeight * screensPerSecond * elapsed) / 1000);
    const isAtEnd = window.scrollY === before && elapsed > 0;
    if (isAtEnd || now - start > maxMs) break;
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  observer.disconnect();
  window.scrollTo(0, document.documentElement.scrollHeight);
  return { longTasks: tasks.length, longestTaskMs: Math.max(0, ...tasks), slowFrames, mostMounted };
}
