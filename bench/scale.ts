import { type Figure, isMissed, tableOf } from './scale/figures.ts';
import { measureWorkers } from './scale/four-workers.ts';
import { measureLists } from './scale/lists.ts';
import { measureMonth } from './scale/month.ts';
import { measurePages } from './scale/pages.ts';
import { fill, stopServer, STORE_VARIANTS } from './scale/store-variants.ts';
import { watchStolenTime } from './scale/stolen-time.ts';
import { measureSustained } from './scale/sustain.ts';
import { measureWork } from './scale/work.ts';
import { MINUTE_MS } from '../contract/durations.ts';

// Measures queries, checks and database size with up to a million monitors. Exits with 1 if a target is missed.

//   npm run bench -- scale                              every part; takes most of an hour
//   npm run bench -- scale quick                        every part at a smaller size; takes about ten minutes
//   npm run bench -- scale lists work sqlite-100k       some parts, on some stores
//   npm run bench -- scale sustain four-workers month pages

const PARTS = ['lists', 'work', 'pages', 'month', 'sustain', 'four-workers'] as const;
type Part = (typeof PARTS)[number];

const args = process.argv.slice(3);
const isQuick = args.includes('quick');
const chosen = <T extends string>(from: readonly T[]): readonly T[] => {
  const some = from.filter((name) => args.includes(name));
  return some.length > 0 ? some : from;
};
const unknown = args.filter((arg) => ![...PARTS, ...STORE_VARIANTS, 'quick'].some((known) => known === arg));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no part or store ${unknown.join(', ')}. There are ${[...PARTS, ...STORE_VARIANTS, 'quick'].join(', ')}.\n`,
  );
  process.exit(2);
}

const variants = isQuick
  ? STORE_VARIANTS.filter((variant) => variant.endsWith('10k'))
  : chosen(STORE_VARIANTS);
const say = (text: string): void => void process.stdout.write(`  ${text}\n`);

type Run = [name: string, measure: () => Promise<Figure[]>];

/**
 * Returns one run per store, which measures all `parts` on it: filling a store takes longer than measuring it.
 */
const runsPerStore = (parts: readonly ('lists' | 'work')[]): Run[] =>
  parts.length === 0
    ? []
    : variants.map((variant) => [
        `${parts.join(' and ')}: ${variant}`,
        async () => {
          const filled = await fill(variant);
          try {
            const figures: Figure[] = [];
            for (const part of parts)
              figures.push(...(part === 'lists' ? await measureLists(filled) : await measureWork(filled)));
            return figures;
          } finally {
            await filled.remove();
          }
        },
      ]);

const others: Record<Exclude<Part, 'lists' | 'work'>, () => Run[]> = {
  pages: () => [['pages: list pages and event streams', () => measurePages(say)]],
  month: () => (['sqlite', 'postgres'] as const).map((kind) => [`month: ${kind}`, () => measureMonth(kind)]),
  sustain: () => [
    [
      'sustain: one process, embedded database',
      () =>
        measureSustained(
          isQuick
            ? { monitors: 5_000, everyMs: 2 * MINUTE_MS, runMs: MINUTE_MS, say }
            : { monitors: 100_000, everyMs: 15 * MINUTE_MS, runMs: 5 * MINUTE_MS, say },
        ),
    ],
  ],
  'four-workers': () => [
    [
      'four workers on PostgreSQL',
      () =>
        measureWorkers(
          isQuick
            ? { monitors: 6_000, overMs: 2 * MINUTE_MS, killedAfterMs: MINUTE_MS, say }
            : { monitors: 24_000, overMs: 5 * MINUTE_MS, killedAfterMs: 4 * MINUTE_MS, say },
        ),
    ],
  ],
};

const parts = chosen(PARTS);
const runs = [
  ...runsPerStore(parts.filter((part) => part === 'lists' || part === 'work')),
  ...parts.flatMap((part) => (part === 'lists' || part === 'work' ? [] : others[part]())),
];

let missed = 0;
const tables: string[] = [];
try {
  for (const [name, measure] of runs) {
    process.stdout.write(`${name}\n`);
    const from = Date.now();
    const stolen = watchStolenTime();
    const figures = await measure();
    missed += figures.filter(isMissed).length;
    const seconds = Math.round((Date.now() - from) / 1_000);
    const share = stolen();
    const lost =
      share === null
        ? ''
        : `; ${(share * 100).toFixed(1)} % of the processors went to other machines (steal time)`;
    const table = `${tableOf(figures)}\n  (${seconds} s${lost})`;
    tables.push(`${name}\n${table}`);
    process.stdout.write(`${table}\n\n`);
  }
} finally {
  await stopServer();
}
process.stdout.write(
  `Node ${process.versions.node}\n\n${tables.join('\n\n')}\n\n${missed === 0 ? 'Every target was met.' : `${missed} targets were missed.`}\n`,
);
process.exit(missed === 0 ? 0 : 1);
