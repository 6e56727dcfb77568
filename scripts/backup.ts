import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseConfig, readEnvironment } from '../server/config.ts';
import { backUp } from '../server/store/operations/copy/back-up.ts';
import { fileTimestamp } from '../server/store/operations/copy/restore.ts';
import { MistakeError } from './admin/mistake-error.ts';
import { refuseMissingDatabase } from './database/embedded-database.ts';
import { runTool, say, tableSummary } from './database/run-tool.ts';
import { readSecrets } from './database/secrets-file.ts';
import { answerHelp } from './help-option.ts';

const USAGE = 'Usage: npm run backup -- FILE|FOLDER';
answerHelp(`${USAGE}
Writes the whole database and the keys into one file. The server can keep running. npm run restore reads the file.`);

await runTool(async () => {
  const [target, ...more] = process.argv.slice(2);
  if (target === undefined || more.length > 0 || target.startsWith('-')) throw new MistakeError(USAGE);
  const config = parseConfig(readEnvironment());
  refuseMissingDatabase(config);
  const now = Date.now();
  const file = fileAt(target, now);
  const secrets = readSecrets(config.dataDir);
  const { tables, level } = await backUp({ ...config, file, secrets, now });
  const megabytes = (statSync(file).size / 1e6).toFixed(1);
  say(`Backed up ${tableSummary(tables)} (schema level ${level}) into ${file} (${megabytes} MB).`);
  say(
    secrets === null
      ? `DATA_DIR ${config.dataDir} has no secrets.json, so the backup has no keys: store the server’s keys with it.`
      : 'It contains the keys of secrets.json too: protect it like the database.',
  );
});

/**
 * Returns the backup file's path: `given`, or a file with the time in its name if `given` is a folder.
 * @throws MistakeError if the folder does not exist.
 */
function fileAt(given: string, now: number): string {
  const target = resolve(given);
  if (existsSync(target) && statSync(target).isDirectory())
    return join(target, `certlantern-${fileTimestamp(now)}.backup`);
  const folder = /[/\\]$/.test(given) ? target : dirname(target);
  if (existsSync(folder) && folder !== target) return target;
  throw new MistakeError(`There is no folder ${folder}.`, 1);
}
