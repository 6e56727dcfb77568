export type StoreErrorCode =
  /** The server did not answer, even after retries. */
  | 'unreachable'
  /** The server refused the connection: wrong password or database name, or missing rights. */
  | 'refused'
  | 'server_too_old'
  /** A newer version of this program migrated the database. */
  | 'newer_database'
  /** The database needs migrations, but the caller did not allow them. */
  | 'older_database'
  /** The database has a schema level below 20, from which this program cannot migrate. */
  | 'too_old_database'
  /** A database of schema level 20 has other tables or columns than that level has. */
  | 'unexpected_schema'
  /** A pending migration would break processes of an older version that are still connected. */
  | 'old_processes'
  /** The database is empty, but it had data before. */
  | 'lost_database'
  /** The database is not the one that DATA_DIR belongs to. */
  | 'other_database'
  /** The embedded database's file cannot be used. */
  | 'unusable_file';

/** Thrown if the store cannot be opened. The message is one line for the operator and never contains a password. */
export class StoreError extends Error {
  override name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** A log for warnings about errors after which the store continues, compatible with pino's logger. */
export interface StoreLog {
  warn(details: object, message: string): void;
}
