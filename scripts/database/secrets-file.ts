import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MistakeError } from '../admin/mistake-error.ts';

const pathIn = (dataDir: string): string => join(dataDir, 'secrets.json');

/** Returns the text of secrets.json; null if there is none. */
export function readSecrets(dataDir: string): string | null {
  return existsSync(pathIn(dataDir)) ? readFileSync(pathIn(dataDir), 'utf8') : null;
}

/** Refuses to overwrite keys. @throws MistakeError if secrets.json has other keys than `text` and `replace` is false. */
export function refuseOtherSecrets(dataDir: string, text: string | null, replace: boolean): void {
  const existing = readSecrets(dataDir);
  if (replace || text === null || existing === null || existing === text) return;
  throw new MistakeError(
    `secrets.json in DATA_DIR ${dataDir} and the backup have different keys. With --force, the old file is renamed and the backup’s keys are written.`,
    1,
  );
}

/** Writes `text` to secrets.json unless it is null. Renames a file with other keys so that its name ends in `suffix`. */
export function restoreSecrets(dataDir: string, text: string | null, suffix: string): void {
  const path = pathIn(dataDir);
  if (text === null || readSecrets(dataDir) === text) return;
  const draft = `${path}.restoring`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
  if (existsSync(path)) renameSync(path, `${path}.${suffix}`);
  renameSync(draft, path);
}
