export type StoreErrorCode =
  /** No answer, also after retries. */
  | 'unreachable'
  /** The server answered and does not want us: password, database name, rights. */
  | 'refused'
  | 'server_too_old'
  /** The database was migrated by a newer version of this program. */
  | 'newer_database'
  /** The database needs a change first, and whoever opens it was told not to make it. */
  | 'older_database'
  /** Processes of an older version run on the database, which a change would break. */
  | 'old_processes'
  /** The embedded database's file cannot be used. */
  | 'unusable_file';

/** Why the store cannot be opened. The message is one line for the operator; it never holds a password. */
export class StoreError extends Error {
  override name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Where the store tells what it survived; pino's logger fits. */
export interface StoreLog {
  warn(details: object, message: string): void;
}
