import type { BrowserContext, Page } from '@playwright/test';

export interface ListFigures {
  /** From the navigation until rows of the list are in the document, in a browser that has nothing of the page yet. */
  firstRowsMs: number;
  /** Tasks of more than 50 ms, as the browser reports them. */
  longTasks: number;
  longestTaskMs: number;
  slowFrames: number;
  mostMounted: number;
  heapBytes: number;
}

const LOADED_ROW = '[data-domain-id]';
const SLOW_FRAME_MS = 50;
/** Screens a second that the wheel moves the page. */
const SCREENS_PER_SECOND = 5;
/** The rest of the list is jumped over: its last rows are waited for. */
const LONGEST_SCROLL_MS = 20_000;

/** Opens the page anew, waits for its rows, and scrolls from the top to the end, a bit on every frame. */
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
    longestMs: LONGEST_SCROLL_MS,
  });
  await page.waitForFunction(
    ({ row, last }) =>
      [...document.querySelectorAll(row)].some((element) => element.textContent?.includes(last)),
    // Newest first: the first that was put in is the last.
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

/** On a second visit of the address, seen from inside: the browser's own clock, without the way to us. */
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

interface Pace {
  row: string;
  slowFrameMs: number;
  screensPerSecond: number;
  longestMs: number;
}

/** Runs in the page. */
async function scrollThrough({ row, slowFrameMs, screensPerSecond, longestMs }: Pace) {
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
    if (isAtEnd || now - start > longestMs) break;
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  observer.disconnect();
  window.scrollTo(0, document.documentElement.scrollHeight);
  return { longTasks: tasks.length, longestTaskMs: Math.max(0, ...tasks), slowFrames, mostMounted };
}
