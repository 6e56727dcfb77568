import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

// npm run bench            lists the figures
// npm run bench -- check   measures one
const benches = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== basename(import.meta.filename))
  .map((file) => basename(file, '.ts'))
  .toSorted();

const [name] = process.argv.slice(2);
if (name !== undefined && benches.includes(name)) {
  await import(join(import.meta.dirname, `${name}.ts`));
} else {
  const list = `npm run bench -- NAME, where NAME is one of: ${benches.join(', ')}\n`;
  if (name === undefined) process.stdout.write(list);
  else {
    process.stderr.write(`There is no bench "${name}". ${list}`);
    process.exitCode = 1;
  }
}
