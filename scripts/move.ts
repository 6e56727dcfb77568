import { parseArgs } from 'node:util';
import { parseConfig, readEnvironment } from '../server/config.ts';
import { lockDataDirectory } from '../server/data-directory.ts';
import { moveToPostgres } from '../server/store/operations/copy/fill-postgres.ts';
import { MistakeError } from './admin/mistake-error.ts';
import { refuseMissingDatabase } from './database/embedded-database.ts';
import { runTool, say, tableSummary } from './database/run-tool.ts';
import { grouped } from '../contract/words.ts';
import { answerHelp } from './help-option.ts';

const USAGE = 'Usage: npm run move -- --to postgres://user:password@host:5432/name';
answerHelp(`${USAGE}
Copies the embedded database to PostgreSQL and compares the two row by row. Stop the server first.`);

await runTool(async () => {
  const to = readArguments();
  const { dataDir } = parseConfig({ ...readEnvironment(), ROLE: 'all' });
  refuseMissingDatabase({ databaseUrl: null, dataDir });
  const release = lockDataDirectory(dataDir);
  try {
    let hasHeader = false;
    const tables = await moveToPostgres({
      dataDir,
      to,
      onTable({ table, rows, checksum }) {
        if (!hasHeader)
          say(`${'TABLE'.padEnd(24)}${'ROWS'.padStart(12)}  CHECKSUM (THE SAME IN BOTH DATABASES)`);
        hasHeader = true;
        say(`${table.padEnd(24)}${grouped(rows).padStart(12)}  ${checksum}`);
      },
    });
    say(`Moved ${tableSummary(tables)}. The embedded database in ${dataDir} stays as it was.`);
    say('Now set DATABASE_URL to the new address, keep DATA_DIR with its keys, and start the server.');
  } finally {
    release();
  }
});

function readArguments(): string {
  try {
    const { values } = parseArgs({ args: process.argv.slice(2), options: { to: { type: 'string' } } });
    const to = values.to ?? '';
    if (['postgres:', 'postgresql:'].includes(URL.parse(to)?.protocol ?? '')) return to;
  } catch (error) {
    throw new MistakeError(`${error instanceof Error ? error.message.split('. ')[0] : ''}. ${USAGE}`);
  }
  throw new MistakeError(USAGE);
}
