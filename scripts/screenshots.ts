import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { BROWSER_FLAGS, findBrowser } from '../tests/kit/machine/browser.ts';
import { startDemo } from '../tests/kit/product/demo.ts';
import { MAILS, pictureMails } from '../tests/kit/screens/mail-screens.ts';
import { SCREENS, showScreen } from '../tests/kit/screens/screens.ts';
import { openWindows } from '../tests/kit/screens/visitors.ts';
import type { Screen } from '../tests/kit/screens/navigation.ts';
import { answerHelp } from './help-option.ts';

answerHelp(`Takes pictures of every screen and dialog of the demo at 1440 and 360 px, light and dark, into screenshots/.

  npm run screenshots                 all of them
  npm run screenshots -- panel login  those whose name begins with these words`);

const FOLDER = resolve(import.meta.dirname, '..', 'screenshots');
const VIEWPORTS = [
  { width: 1440, height: 900 },
  { width: 360, height: 760 },
];

const MAX_HEIGHT = 8_000;

async function main(): Promise<number> {
  const prefixes = process.argv.slice(2);
  const isWanted = ({ name }: { name: string }) =>
    prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix));
  const screens = SCREENS.filter(isWanted);
  const mails = MAILS.filter(isWanted).map(({ name }) => name);
  if (screens.length + mails.length === 0) {
    printLine(`No such screen. Choose from: ${[...SCREENS, ...MAILS].map(({ name }) => name).join(', ')}.`);
    return 2;
  }
  const found = findBrowser();
  if (!found) {
    printLine('No Chromium was found, and none could be installed. Set BROWSER_PATH.');
    return 1;
  }
  if (prefixes.length === 0) rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });

  const browser = await chromium.launch({
    executablePath: found.executablePath,
    args: [...BROWSER_FLAGS, '--font-render-hinting=none', '--hide-scrollbars'],
    env: { ...process.env, ...found.env },
  });
  await pictureMails(browser, mails, FOLDER);
  const missing = screens.length === 0 ? 0 : await captureScreens(browser, screens);
  await browser.close();
  printLine(
    `${screens.length * VIEWPORTS.length - missing} screens, each light and dark, and ${mails.length} mails in ${FOLDER}`,
  );
  return missing === 0 ? 0 : 1;
}

/** Takes light and dark screenshots of each screen at each viewport. Returns the number of failures. */
async function captureScreens(browser: Browser, screens: readonly Screen[]): Promise<number> {
  const demo = await startDemo();
  const windows = await openWindows(browser, demo);
  let missing = 0;
  for (const viewport of VIEWPORTS)
    for (const screen of screens) {
      const page = windows[screen.visitor];
      page.setDefaultTimeout(15_000);
      await page.setViewportSize(viewport);
      try {
        await page.emulateMedia({ colorScheme: 'light' });
        await showScreen(screen, page, demo);
        await stretch(page);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const path = join(FOLDER, `${screen.name}-${viewport.width}-${colorScheme}.png`);
          // The windows have reduced motion. If the screenshot disabled animations, rows that scroll would have no fade at their end.
          await page.screenshot({ path, animations: 'allow', caret: 'hide' });
        }
      } catch (error) {
        missing += 1;
        printLine(
          `${screen.name} at ${viewport.width} px: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  await demo.stop();
  return missing;
}

/**
 * Grows the viewport to the page's full height, at most 8,000 px. Does nothing while an overlay is open, because an overlay is
 * positioned for the usual height.
 */
async function stretch(page: Page): Promise<void> {
  if (await page.locator('[role=dialog], [role=alertdialog], [role=menu], [role=listbox], aside').count())
    return;
  // A virtualised list renders more rows each time, so repeat until the height is stable.
  for (let times = 0; times < 3; times += 1) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const size = page.viewportSize();
    if (!size || height <= size.height) return;
    await page.setViewportSize({ width: size.width, height: Math.min(height, MAX_HEIGHT) });
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
  }
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await main();
