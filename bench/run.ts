import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { answerHelp } from '../scripts/help-option.ts';

const benches = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== basename(import.meta.filename))
  .map((file) => basename(file, '.ts'))
  .toSorted();

const usage = `npm run bench -- NAME, where NAME is one of: ${benches.join(', ')}`;
answerHelp(`${usage}\nRuns one bench; without NAME it lists them. bench/README.md explains each.`);

const [name] = process.argv.slice(2);
if (name !== undefined && benches.includes(name)) {
  await import(join(import.meta.dirname, `${name}.ts`));
} else {
  if (name === undefined) process.stdout.write(`${usage}\n`);
  else {
    process.stderr.write(`There is no bench "${name}". ${usage}\n`);
    process.exitCode = 1;
  }
}
