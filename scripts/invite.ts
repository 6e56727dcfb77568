import { ConfigError } from '../server/config-error.ts';
import { parseConfig, readEnvironment } from '../server/config.ts';
import { DataDirectoryError, loadSecrets, prepareDataDirectory } from '../server/data-directory.ts';
import { mailedLink } from '../server/core/account-mail.ts';
import { createInvite, INVITE_DAYS } from '../server/providers/identity/invite.ts';
import { answerHelp } from './help-option.ts';

const USAGE = 'Usage: npm run invite -- someone@example.com';
answerHelp(`${USAGE}
Prints a sign-up link that only this address can use, for a server with SIGNUPS=invite.`);

const [address] = process.argv.slice(2);
if (address === undefined || !/^[^@\s]+@[^@\s]+$/.test(address)) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}
try {
  const config = parseConfig(readEnvironment());
  await prepareDataDirectory(config.dataDir);
  const invite = await createInvite(address, loadSecrets(config.dataDir).invite, Date.now());
  const link = mailedLink('/signup', invite, config.publicUrl);
  process.stdout.write(`${link}\nValid for ${INVITE_DAYS} days and only for ${address}.\n`);
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof DataDirectoryError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
