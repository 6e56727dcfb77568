import { measureChains } from './hostile/chain.ts';
import type { Figure } from './hostile/figure.ts';

// npm run bench -- hostile           what strangers can cost others, every part
// npm run bench -- hostile chain     some parts

const PARTS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  chain: measureChains,
};

const asked = process.argv.slice(3);
const unknown = asked.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no part ${unknown.join(', ')}. Parts are: ${Object.keys(PARTS).join(', ')}\n`,
  );
  process.exit(1);
}
for (const [name, measure] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stdout.write(`${name}, Node ${process.versions.node}\n`);
  for (const { label, value, unit, limit } of await measure()) {
    const isOver = limit !== null && value > limit;
    const target = limit === null ? '' : `   at most ${limit}${isOver ? ', MISSED' : ''}`;
    process.stdout.write(`  ${label.padEnd(72)} ${value.toFixed(1).padStart(8)} ${unit}${target}\n`);
    if (isOver) process.exitCode = 1;
  }
}
