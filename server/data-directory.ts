import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Keys that are made on the first start and stay; each serves one purpose only. */
export interface Secrets {
  session: string;
  identity: string;
  mailPage: string;
  invite: string;
}
const SECRET_NAMES = ['session', 'identity', 'mailPage', 'invite'] as const;

/** The folder cannot serve; the message is one line that says why and what to do. */
export class DataDirectoryError extends Error {
  override name = 'DataDirectoryError';
}

/** Creates the folder (0700) where it is missing. @throws DataDirectoryError when it cannot be written. */
export function prepareDataDirectory(dataDir: string): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    // Access bits do not tell of read-only file systems and of some network shares: write for real.
    const trial = join(dataDir, `.write-${randomBytes(6).toString('hex')}`);
    try {
      // Not empty: a full disk still takes an empty file.
      writeFileSync(trial, 'a full disk refuses this', { flush: true });
    } finally {
      rmSync(trial, { force: true });
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataDirectoryError(
      `DATA_DIR ${dataDir} cannot be written (${reason}). Set DATA_DIR to a folder that this user may write.`,
      { cause: error },
    );
  }
}

/** As `mkdir -p`. Node's own never returns where a parent is there and yet refuses the child as missing, like /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been first.
    if (!existsSync(path)) throw error;
  }
}

/**
 * Takes the folder for this process alone and returns the function that gives it back. The lock is one of SQLite's, held
 * by the operating system: it ends with the process, however that dies.
 * @throws DataDirectoryError when another process has it.
 */
export function lockDataDirectory(dataDir: string): () => void {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(join(dataDir, 'process.lock'), { timeout: 0 });
    // A memory journal leaves no file behind that a killed process would have to be cleaned up after.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    throw new DataDirectoryError(whyNotLocked(dataDir, error), { cause: error });
  }
  return () => database.close();
}

const SQLITE_BUSY = 5;

function whyNotLocked(dataDir: string, error: unknown): string {
  if (error instanceof Error && Reflect.get(error, 'errcode') === SQLITE_BUSY)
    return `Another process is using DATA_DIR ${dataDir}. Stop it first, or start this one with its own DATA_DIR= and PORT=.`;
  const reason = error instanceof Error ? error.message : String(error);
  return `DATA_DIR ${dataDir}: its file process.lock cannot be used (${reason}). Make it writable for this user, or delete it.`;
}

/** Reads the secrets, making them on the first start. Two processes that start at once end with the same ones. */
export function loadSecrets(dataDir: string): Secrets {
  const path = join(dataDir, 'secrets.json');
  if (!existsSync(path)) {
    const made = Object.fromEntries(
      SECRET_NAMES.map((name) => [name, randomBytes(32).toString('base64url')]),
    );
    const draft = `${path}.${randomBytes(6).toString('hex')}`;
    writeFileSync(draft, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600, flush: true });
    try {
      // Unlike a rename, a link fails where the other process was first.
      linkSync(draft, path);
    } catch (error) {
      if (!existsSync(path)) throw error;
    } finally {
      unlinkSync(draft);
    }
  }
  let secrets: unknown;
  try {
    secrets = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw damaged(path, error);
  }
  if (!isSecrets(secrets)) throw damaged(path, null);
  return secrets;
}

function isSecrets(value: unknown): value is Secrets {
  if (typeof value !== 'object' || value === null) return false;
  return SECRET_NAMES.every((name) => String(Reflect.get(value, name) ?? '').length >= 32);
}

function damaged(path: string, cause: unknown): DataDirectoryError {
  return new DataDirectoryError(
    `${path} is damaged. Restore it from a backup, or delete it: everybody then has to sign in again.`,
    { cause },
  );
}
