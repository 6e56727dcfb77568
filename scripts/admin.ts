import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError } from '../server/config-error.ts';
import { parseConfig, readEnvironment } from '../server/config.ts';
import { DataDirectoryError, loadSecrets, readDatabaseId } from '../server/data-directory.ts';
import { openStore } from '../server/store/db/open-store.ts';
import { StoreError } from '../server/store/db/store-error.ts';
import { COMMANDS } from './admin/commands.ts';
import { MistakeError } from './admin/mistake-error.ts';
import { refuseMissingDatabase } from './database/embedded-database.ts';

const HELP = `npm run admin -- COMMAND

${Object.values(COMMANDS)
  .map(({ usage, does }) => `  ${usage.padEnd(26)} ${does}`)
  .join('\n')}

It can run while the server runs, and reads the same settings (.env, DATA_DIR, DATABASE_URL).
`;

/** Exit code for an invalid command line. The exit code for other expected errors is 1. */
const USAGE_ERROR = 2;

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [name, ...args] = positionals;
  if (values.help === true || name === undefined) {
    process[values.help === true ? 'stdout' : 'stderr'].write(HELP);
    process.exitCode = values.help === true ? 0 : USAGE_ERROR;
    return;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw new MistakeError(`There is no command ${name}. See: npm run admin -- --help`);
  const takesDays = command.usage.includes('--days');
  const [minArgs, maxArgs] = command.argumentCount;
  if (args.length < minArgs || args.length > maxArgs || (values.days && !takesDays))
    throw new MistakeError(`Usage: npm run admin -- ${command.usage}`);

  const days = values.days === undefined ? null : wholeDays(values.days);
  const config = parseConfig(readEnvironment());
  refuseMissingDatabase(config);
  const store = await openStore({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    expectedId: readDatabaseId(config.dataDir),
    everyonePremium: config.billing.mode === 'none',
    connectAttempts: 1,
    mayMigrate: false,
  });
  try {
    const lines = await command.run(args, {
      store,
      config,
      identitySecret: () => identitySecret(config.dataDir),
      days,
      now: Date.now(),
    });
    process.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    await store.close();
  }
}

function readArguments() {
  try {
    return parseArgs({
      args: process.argv.slice(2),
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, days: { type: 'string' } },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : String(error);
    throw new MistakeError(`${reason}. See: npm run admin -- --help`);
  }
}

/**
 * Returns the secret of the built-in identity provider. In a wrong DATA_DIR, `loadSecrets` would create new secrets, so this
 * function first checks that secrets.json exists. @throws ConfigError if it does not.
 */
function identitySecret(dataDir: string): string {
  if (existsSync(join(dataDir, 'secrets.json'))) return loadSecrets(dataDir).identity;
  throw new ConfigError(`DATA_DIR ${dataDir} has no secrets.json. Set the DATA_DIR that the server uses.`);
}

function wholeDays(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new MistakeError(`--days must be a whole number of days from 1 to 99999, but it is “${text}”.`);
}

const EXPECTED = [ConfigError, DataDirectoryError, StoreError, MistakeError];

try {
  await main();
} catch (error) {
  if (!EXPECTED.some((kind) => error instanceof kind)) throw error;
  process.stderr.write(`${error instanceof Error ? error.message : ''}\n`);
  process.exitCode = error instanceof MistakeError ? error.exitCode : 1;
}
