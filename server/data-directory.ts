import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { writeTestFile } from './store/db/storage-health.ts';
import { DATABASE_ID_FILE } from './store/schema/database-id.ts';

/**
 * Secret keys, generated at the first start and never changed. The keys for unsubscribe links, bounces and other purposes are
 * derived from `session`.
 */
export interface Secrets {
  session: string;
  identity: string;
  mailPage: string;
  invite: string;
}
const SECRET_NAMES = ['session', 'identity', 'mailPage', 'invite'] as const;

/** Error for a DATA_DIR that cannot be used. The message is one line with the reason and what to do. */
export class DataDirectoryError extends Error {
  override name = 'DataDirectoryError';
}

/** Creates the folder (mode 0700) if it is missing. @throws DataDirectoryError if it is not writable */
export async function prepareDataDirectory(dataDir: string): Promise<void> {
  try {
    ensureFolder(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    await writeTestFile(dataDir);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataDirectoryError(
      `DATA_DIR ${dataDir} cannot be written (${reason}). Set DATA_DIR to a folder that this user can write to.`,
      { cause: error },
    );
  }
}

/**
 * Creates a folder and its parents, like `mkdir -p`. Node's recursive mkdir loops forever if an existing parent reports
 * ENOENT for the child, as /proc does.
 */
function ensureFolder(path: string): void {
  if (existsSync(path)) return;
  ensureFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created the folder meanwhile.
    if (!existsSync(path)) throw error;
  }
}

/**
 * Locks the folder for this process and returns a function that unlocks it. The operating system releases the lock when the
 * process ends, even after a crash. @throws DataDirectoryError if the folder is already locked or its lock file is unusable
 */
export function lockDataDirectory(dataDir: string): () => void {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(join(dataDir, 'process.lock'), { timeout: 0 });
    // An in-memory journal leaves no journal file behind when the process is killed.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    throw new DataDirectoryError(lockErrorMessage(dataDir, error), { cause: error });
  }
  return () => database.close();
}

const SQLITE_BUSY = 5;

function lockErrorMessage(dataDir: string, error: unknown): string {
  if (error instanceof Error && Reflect.get(error, 'errcode') === SQLITE_BUSY)
    return `Another process is using DATA_DIR ${dataDir}. Stop it first, or start this one with its own DATA_DIR= and PORT=.`;
  const reason = error instanceof Error ? error.message : String(error);
  return `DATA_DIR ${dataDir}: its file process.lock cannot be used (${reason}). Make it writable for this user, or delete it.`;
}

/**
 * Reads the secrets, or generates them on the first start. Processes that start together get the same secrets.
 * @throws DataDirectoryError if secrets.json is damaged
 */
export function loadSecrets(dataDir: string): Secrets {
  const path = join(dataDir, 'secrets.json');
  if (!existsSync(path)) {
    const generated = Object.fromEntries(
      SECRET_NAMES.map((name) => [name, randomBytes(32).toString('base64url')]),
    );
    const temporaryPath = writeDraft(path, `${JSON.stringify(generated, null, 2)}\n`);
    try {
      // Link, unlike rename, fails if another process has already written the file.
      linkSync(temporaryPath, path);
    } catch (error) {
      if (!existsSync(path)) throw error;
    } finally {
      unlinkSync(temporaryPath);
    }
  }
  let secrets: unknown;
  try {
    secrets = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw damagedSecrets(path, error);
  }
  if (!isSecrets(secrets)) throw damagedSecrets(path, null);
  return secrets;
}

/** Writes a file that only its owner can read, under another name than `path`. Returns that name. */
function writeDraft(path: string, text: string): string {
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(temporaryPath, text, { mode: 0o600, flush: true });
  return temporaryPath;
}

/**
 * Returns the id of the database that this folder belongs to; null if it does not belong to one yet.
 * @throws DataDirectoryError if database-id is empty or cannot be read
 */
export function readDatabaseId(dataDir: string): string | null {
  const path = join(dataDir, DATABASE_ID_FILE);
  const id = readIdFile(path);
  if (id === '')
    throw new DataDirectoryError(
      `${path} is empty. Restore it from a backup, or delete it to accept any database.`,
    );
  return id;
}

function readIdFile(path: string): string | null {
  if (!existsSync(path)) return null;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataDirectoryError(
      `${path} cannot be read (${reason}). Make it readable for this user, or delete it to accept any database.`,
      { cause: error },
    );
  }
}

/** Makes the folder belong to the database with this id, so that no other one is used by mistake. */
export function writeDatabaseId(dataDir: string, id: string): void {
  const path = join(dataDir, DATABASE_ID_FILE);
  if (readIdFile(path) === id) return;
  renameSync(writeDraft(path, `${id}\n`), path);
}

function isSecrets(value: unknown): value is Secrets {
  if (typeof value !== 'object' || value === null) return false;
  return SECRET_NAMES.every((name) => String(Reflect.get(value, name) ?? '').length >= 32);
}

function damagedSecrets(path: string, cause: unknown): DataDirectoryError {
  return new DataDirectoryError(
    `${path} is damaged. Restore it from a backup, or delete it: everybody then has to log in again.`,
    { cause },
  );
}
