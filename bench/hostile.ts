import { measureChains } from './hostile/chain.ts';
import { measureExpect } from './hostile/expect.ts';
import { measureRotating } from './hostile/rotating.ts';
import { measureHttp2 } from './hostile/http2.ts';
import { measureLogLists } from './hostile/log-lists.ts';
import { measureQueues } from './hostile/queues.ts';
import { measureRoutes } from './hostile/routes.ts';
import { measureSearch } from './hostile/search.ts';
import { measureStory } from './hostile/story.ts';
import { measureTarpits } from './hostile/tarpits.ts';
import { type Figure, isMissed, tableOf } from './scale/figures.ts';

// Measures how much attackers can slow down other users and fill the database. Exits with 1 if a target is missed.
//
//   npm run bench -- hostile                 every part
//   npm run bench -- hostile chain search    some parts

const PARTS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  chain: measureChains,
  expect: measureExpect,
  http2: measureHttp2,
  'log-lists': measureLogLists,
  queues: measureQueues,
  routes: measureRoutes,
  rotating: measureRotating,
  search: measureSearch,
  story: measureStory,
  tarpits: measureTarpits,
};

const asked = process.argv.slice(3);
const unknown = asked.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no part ${unknown.join(', ')}. The parts are ${Object.keys(PARTS).join(', ')}.\n`,
  );
  process.exit(2);
}

let missed = 0;
for (const [name, measure] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stdout.write(`${name}\n`);
  const figures = await measure();
  missed += figures.filter(isMissed).length;
  process.stdout.write(`${tableOf(figures)}\n\n`);
}
process.stdout.write(
  `Node ${process.versions.node}; ${missed === 0 ? 'every target was met.' : `${missed} targets were missed.`}\n`,
);
process.exit(missed === 0 ? 0 : 1);
