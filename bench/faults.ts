import { createMigratedTemplate, freshDatabase } from '../tests/kit/databases/database.ts';
import { startPostgres } from '../tests/kit/databases/postgres-server.ts';
import { SCENARIOS } from '../tests/faults/scenarios.ts';

// Checks that alerts survive killed and stalled processes, cut connections to the database and the network, a full disk,
// wrong clocks, and failing mail servers and webhooks. Compares the database with the records of the receivers, which run in
// processes of their own.

//   npm run bench -- faults                   every scenario
//   npm run bench -- faults kills network     some scenarios
//   FAULTS_SEED=7 npm run bench -- faults     repeats the random choices of an earlier run

const wanted = process.argv.slice(3);
const unknown = wanted.filter((name) => !(name in SCENARIOS));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no scenario ${unknown.join(', ')}. The scenarios are ${Object.keys(SCENARIOS).join(', ')}.\n`,
  );
  process.exit(2);
}
const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);
process.stdout.write(`To repeat these random choices: FAULTS_SEED=${seed}. Node ${process.versions.node}\n`);

// Run PostgreSQL with fsync, as in production. Without fsync the bench would prove nothing: the operating system's cache
// survives the killed process, so no data would be lost anyway.
const server = await startPostgres({ durable: true });
if (server === null)
  process.stdout.write('PostgreSQL is not available and could not be installed: only SQLite is tested.\n');
const template = server && { url: server.url, template: `certlantern_faults_${process.pid}` };
const dropTemplate = template && (await createMigratedTemplate(template.url, template.template));
const table: string[] = [];
let broken = 0;
try {
  for (const [name, run] of Object.entries(SCENARIOS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const startedAt = Date.now();
    const outcomes = await run({
      databases: server === null ? ['sqlite'] : ['sqlite', 'postgres'],
      create: (database) => freshDatabase(database, { postgres: template }),
      seed,
      progress: (text) => void process.stdout.write(`  ${name}: ${text}\n`),
    });
    for (const [database, outcome] of outcomes) {
      const line = `${name} (${database}): ${outcome.line}`;
      table.push(line, ...outcome.broken.slice(0, 20).map((what) => `  BROKEN ${what}`));
      broken += outcome.broken.length;
      process.stdout.write(`${line}${outcome.broken.length > 0 ? ' — BROKEN' : ''}\n`);
    }
    process.stdout.write(`  ${name} took ${Math.round((Date.now() - startedAt) / 1_000)} s\n`);
  }
} finally {
  await dropTemplate?.();
  await server?.stop();
}
process.stdout.write(
  `\n${table.join('\n')}\n\n${broken === 0 ? 'Every limit was met.' : `${broken} limits were exceeded.`}\n`,
);
process.exit(broken === 0 ? 0 : 1);
