import { expect, type Page, test as base } from '@playwright/test';
import { type Demo, startDemo } from '../kit/demo.ts';
import { SCREENS, showScreen } from '../kit/screens/screens.ts';
import { openWindows, type Visitor } from '../kit/screens/visitors.ts';
import { axeFindings } from './axe.ts';

const SIZES = [
  // 640: as much as is left of 1280 px at 200 % zoom.
  { width: 1440, height: 900, down: 640 },
  { width: 360, height: 760, down: 320 },
];

/** How far the page can be scrolled sideways once it has laid itself out for a new width: some frames later, on a busy machine. */
const settledOverflow = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const overflow = (): number =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth;
    for (let frame = 0; frame < 3 || (frame < 60 && overflow() > 0); frame += 1)
      await new Promise((next) => requestAnimationFrame(next));
    return overflow();
  });

// One demo a worker: to make its past takes as long as to look at a dozen screens, and none of them changes it.
const test = base.extend<object, { demo: Demo; windows: Record<Visitor, Page> }>({
  demo: [
    async ({}, use) => {
      const demo = await startDemo();
      await use(demo);
      expect(await demo.stop()).toBe(0);
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  windows: [
    async ({ browser, demo }, use) => {
      const windows = await openWindows(browser, demo);
      await use(windows);
      await Promise.all(Object.values(windows).map((page) => page.context().close()));
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

test.describe.configure({ mode: 'parallel' });

// In two parts, which are looked at side by side.
const PARTS = [SCREENS.filter((_, index) => index % 2 === 0), SCREENS.filter((_, index) => index % 2 === 1)];
const RUNS = SIZES.flatMap((size) => PARTS.map((screens, index) => ({ ...size, screens, part: index + 1 })));

for (const { down, screens, part, ...viewport } of RUNS)
  test(`every screen at ${viewport.width} px, light and dark, has nothing that axe finds, part ${part}`, async ({
    demo,
    windows,
  }) => {
    // Some thirty screens.
    test.setTimeout(300_000);
    for (const page of Object.values(windows)) {
      await page.setViewportSize(viewport);
      page.setDefaultTimeout(20_000);
    }
    for (const screen of screens)
      await test.step(screen.name, async () => {
        const page = windows[screen.visitor];
        await page.emulateMedia({ colorScheme: 'light' });
        await showScreen(screen, page, demo);
        const found = await axeFindings(page, 'everything');
        // All that the theme changes is colours.
        await page.emulateMedia({ colorScheme: 'dark' });
        await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
        let foundInTheDark = await axeFindings(page, 'colours');
        // What inherits its colour may follow a moment after the rest.
        for (let look = 1; look < 3 && foundInTheDark.length > 0; look += 1)
          foundInTheDark = await axeFindings(page, 'colours');
        await page.setViewportSize({ ...viewport, width: down });
        const overflow = await settledOverflow(page);
        await page.setViewportSize(viewport);
        expect.soft({ found, foundInTheDark, overflow }, screen.name).toEqual({
          found: [],
          foundInTheDark: [],
          overflow: 0,
        });
      });
  });
