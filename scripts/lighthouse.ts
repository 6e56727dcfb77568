import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from '@playwright/test';
import { freePort } from '../tests/kit/product/app.ts';
import { BROWSER_FLAGS, findBrowser } from '../tests/kit/machine/browser.ts';
import { type Demo, startDemo } from '../tests/kit/product/demo.ts';
import { answerHelp } from './help-option.ts';

answerHelp(`Measures the production build with Lighthouse, on the data of the demo. Prints a table of the median of five runs,
and exits with 1 where a figure is below its limit. Run it alone: load from other programs distorts the figures.

  npm run lighthouse                 all pages
  npm run lighthouse -- dashboard    one page`);

const RUNS = 5;
const LIMIT = 95;
const PACKAGE = join(import.meta.dirname, 'lighthouse');
const PROGRAM = join(PACKAGE, 'node_modules', 'lighthouse', 'core');

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
type Category = (typeof CATEGORIES)[number];

interface Subject {
  path: '/landing' | '/login' | '/dashboard';
  preset: 'mobile' | 'desktop';
  categories: readonly Category[];
}
const SUBJECTS: Subject[] = [
  { path: '/landing', preset: 'mobile', categories: CATEGORIES },
  { path: '/login', preset: 'mobile', categories: CATEGORIES },
  // The dashboard is excluded from search engines, so its SEO score does not matter.
  { path: '/dashboard', preset: 'desktop', categories: CATEGORIES.filter((category) => category !== 'seo') },
];

/** The parts of Lighthouse's report that we use. Declared here, because the project does not depend on Lighthouse. */
interface Report {
  finalDisplayedUrl: string;
  runtimeError?: { message: string };
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { title: string; score: number | null; displayValue?: string }>;
}
type Lighthouse = (url: string, flags: object, config?: object) => Promise<{ lhr: Report } | undefined>;

async function main(): Promise<number> {
  const wanted = process.argv.slice(2);
  const subjects = SUBJECTS.filter(({ path }) => wanted.length === 0 || wanted.includes(path.slice(1)));
  if (subjects.length === 0) {
    printLine(`No such page. Choose from: ${SUBJECTS.map(({ path }) => path.slice(1)).join(', ')}.`);
    return 2;
  }
  const found = findBrowser();
  if (!found) {
    printLine('No Chromium was found, and none could be installed. Set BROWSER_PATH.');
    return 1;
  }
  install();
  const load = async (file: string) =>
    ((await import(pathToFileURL(join(PROGRAM, file)).href)) as { default: unknown }).default;
  const lighthouse = (await load('index.js')) as Lighthouse;
  const desktop = (await load('config/desktop-config.js')) as object;

  const demo = await startDemo();
  const profile = mkdtempSync(join(tmpdir(), 'certlantern-lighthouse-'));
  const port = await freePort();
  // Lighthouse opens its own tabs in this browser. They are signed in because they share this profile.
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: found.executablePath,
    args: [...BROWSER_FLAGS, `--remote-debugging-port=${port}`],
    env: { ...process.env, ...found.env },
  });
  let below = 0;
  try {
    printLine(`Load of this machine at the start: ${loadavg()[0]?.toFixed(1)}`);
    for (const subject of subjects) {
      if (subject.path === '/dashboard') await signIn(await browser.newPage(), demo);
      const reports: Report[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        const config = subject.preset === 'desktop' ? desktop : undefined;
        const result = await lighthouse(
          new URL(subject.path, demo.url).href,
          { port, logLevel: 'error', output: 'json', onlyCategories: subject.categories },
          config,
        );
        if (!result) throw new Error('Lighthouse gave no result');
        const { lhr } = result;
        if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
        if (!lhr.finalDisplayedUrl.includes(subject.path))
          throw new Error(`${subject.path} led to ${lhr.finalDisplayedUrl}`);
        reports.push(lhr);
      }
      below += printScores(subject, reports);
    }
  } finally {
    await browser.close();
    await demo.stop();
    rmSync(profile, { recursive: true, force: true });
  }
  printLine(below === 0 ? `Every median is at least ${LIMIT}.` : `${below} medians are below ${LIMIT}.`);
  return below === 0 ? 0 : 1;
}

/** Installs Lighthouse (about 100 MB) on first use, in a package of its own, because nothing else needs it. */
function install(): void {
  if (existsSync(PROGRAM)) return;
  printLine('Installing Lighthouse from npm …');
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: PACKAGE,
    stdio: 'ignore',
  });
}

async function signIn(
  page: Awaited<ReturnType<Awaited<ReturnType<typeof chromium.launchPersistentContext>>['newPage']>>,
  { url, person }: Demo,
): Promise<void> {
  await page.goto(new URL('/login', url).href);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  await page.waitForURL(/\/dashboard/);
  await page.close();
}

/** Prints a page's scores and the audits of the last run that lowered them. Returns the number of medians below the limit. */
function printScores({ path, preset, categories }: Subject, reports: readonly Report[]): number {
  let below = 0;
  printLine(`\n${path}, ${preset}`);
  for (const category of categories) {
    const scores = reports.map(({ categories: all }) => Math.round((all[category]?.score ?? 0) * 100));
    const middle = median(scores);
    if (middle < LIMIT) below += 1;
    printLine(
      `  ${category.padEnd(16)}${String(middle).padStart(4)}  ${middle < LIMIT ? 'below' : 'good '}  (${scores.join(' ')})`,
    );
    for (const line of lowAudits(category, reports.at(-1))) printLine(`      ${line}`);
  }
  return below;
}

function lowAudits(category: Category, report: Report | undefined): string[] {
  return (report?.categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
    const audit = report?.audits[id];
    const isLow = weight > 0 && audit?.score != null && audit.score < 0.95;
    return isLow ? [`${audit.title}: ${audit.displayValue ?? 'fails'}`] : [];
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exit(await main());
