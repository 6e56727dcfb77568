import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseConfig, readEnvironment } from '../server/config.ts';
import { lockDataDirectory, prepareDataDirectory, writeDatabaseId } from '../server/data-directory.ts';
import { readBackupMetadata } from '../server/store/operations/copy/backup-file.ts';
import { fileTimestamp, restoreBackup } from '../server/store/operations/copy/restore.ts';
import { MistakeError } from './admin/mistake-error.ts';
import { minuteText } from './admin/plain.ts';
import { runTool, say, tableSummary } from './database/run-tool.ts';
import { refuseOtherSecrets, restoreSecrets } from './database/secrets-file.ts';
import { answerHelp } from './help-option.ts';

const USAGE = 'Usage: npm run restore -- FILE [--force]';
answerHelp(`${USAGE}
Restores the database and the keys from a backup. Stop the server first. --force replaces a database that is already
there, and keeps the old one under another name.`);

await runTool(async () => {
  const { path, force } = readArguments();
  const file = resolve(path);
  if (!existsSync(file)) throw new MistakeError(`There is no file ${file}.`, 1);
  const config = parseConfig(readEnvironment());
  const { secrets } = readBackupMetadata(file);
  await prepareDataDirectory(config.dataDir);
  const release = config.databaseUrl === null ? lockDataDirectory(config.dataDir) : null;
  try {
    refuseOtherSecrets(config.dataDir, secrets, force);
    const now = Date.now();
    const { facts, former, databaseId } = await restoreBackup({
      ...config,
      file,
      replace: force,
      now,
      restoreSecrets: () => restoreSecrets(config.dataDir, secrets, `before-${fileTimestamp(now)}`),
    });
    if (databaseId !== null) writeDatabaseId(config.dataDir, databaseId);
    const where = config.databaseUrl === null ? `DATA_DIR ${config.dataDir}` : 'the database of DATABASE_URL';
    say(
      `Restored ${tableSummary(facts.tables)} as of ${minuteText(facts.madeAt)} UTC (schema level ${facts.level}) into ${where}.`,
    );
    if (former !== null) say(`The database that was there is now ${former}.`);
    say(
      'Start the server. It sends the mail that was waiting when the backup was made, with the same Message-IDs.',
    );
  } finally {
    release?.();
  }
});

function readArguments(): { path: string; force: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args: process.argv.slice(2),
      allowPositionals: true,
      options: { force: { type: 'boolean', default: false } },
    });
    const [path, ...more] = positionals;
    if (path !== undefined && more.length === 0) return { path, force: values.force };
  } catch (error) {
    throw new MistakeError(`${error instanceof Error ? error.message.split('. ')[0] : ''}. ${USAGE}`);
  }
  throw new MistakeError(USAGE);
}
