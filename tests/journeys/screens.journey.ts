import { test as base, expect, type Page } from '@playwright/test';
import { type Demo, startDemo } from '../kit/product/demo.ts';
import { SCREENS, showScreen } from '../kit/screens/screens.ts';
import { openWindows, type Visitor } from '../kit/screens/visitors.ts';
import { axeFindings, preloadAxe } from './axe.ts';

const SIZES = [
  // `down` is the width to shrink to: 640 px are what is left of 1280 px at 200 % zoom.
  { width: 1440, height: 900, down: 640 },
  { width: 360, height: 760, down: 320 },
] as const;

/** Returns how far the page can be scrolled sideways once its layout is stable, which may take some frames on a busy machine. */
const settledOverflow = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const overflow = (): number =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth;
    for (let frame = 0; frame < 3 || (frame < 60 && overflow() > 0); frame += 1)
      await new Promise((next) => requestAnimationFrame(next));
    return overflow();
  });

// One demo per worker: creating its history takes as long as a dozen screens, and no screen changes it.
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
      await Promise.all(Object.values(windows).map(preloadAxe));
      await use(windows);
      await Promise.all(Object.values(windows).map((page) => page.context().close()));
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

test.describe.configure({ mode: 'parallel' });

const PANEL = '[role="tabpanel"]:not([hidden])';

/**
 * Returns a description of the layers over the page, which must be the same at both widths. A domain's panel is another
 * element at the other width, so its content is described, such as opened forms.
 */
async function layersOf(page: Page): Promise<string> {
  const layers = await page.evaluate(
    (panel) =>
      [
        ...document.querySelectorAll(
          '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], aside, [popover]',
        ),
      ]
        .filter((layer) => layer.checkVisibility())
        .map((layer) =>
          layer.querySelector(panel)
            ? panel
            : `${layer.tagName} ${layer.getAttribute('role')} ${layer.ariaLabel}`,
        ),
    PANEL,
  );
  if (layers.includes(PANEL)) layers.push(await page.locator(PANEL).ariaSnapshot());
  return layers.join();
}

/** Checks the screen at `width`, then shrinks the window to `down`. */
async function checkScreen(page: Page, { width, height, down }: (typeof SIZES)[number]) {
  // Measured: colours take most of the CPU time of axe. A layer has the same colours at both widths, a page does not.
  const findings = await axeFindings(page, { layerColours: width === SIZES[0].width });
  await page.setViewportSize({ width: down, height });
  return { findings, overflow: await settledOverflow(page) };
}

// The workers take the parts in turn: with two parts, one worker would wait for the slower part of the other.
const PARTS = 8;
for (let part = 0; part < PARTS; part += 1)
  test(`every screen is accessible at 1440 and 360 px and fits 640 and 320 px, part ${part + 1}`, async ({
    demo,
    windows,
  }) => {
    test.setTimeout(240_000);
    for (const page of Object.values(windows)) page.setDefaultTimeout(60_000);
    for (const screen of SCREENS.filter((_, index) => index % PARTS === part))
      await test.step(screen.name, async () => {
        const page = windows[screen.visitor];
        let layers: string | null = null;
        for (const size of SIZES) {
          await page.setViewportSize({ width: size.width, height: size.height });
          // Loading a page takes longer than checking it, so the second width reuses it unless a layer closed.
          if (layers === null || layers !== (await layersOf(page))) await showScreen(screen, page, demo);
          if (size === SIZES[0]) layers = await layersOf(page);
          expect.soft(await checkScreen(page, size), `${screen.name} at ${size.width} px`).toEqual({
            findings: [],
            overflow: 0,
          });
        }
      });
  });
