import { storageFaultOf } from '../../db/dialect.ts';
import { errorMessage } from '../../db/postgres-connection.ts';

export type CopyErrorCode =
  /** The file is no backup of this program, or an incomplete one. */
  | 'not_a_backup'
  /** The file is corrupt, a table has other columns than expected, or the copied rows differ from their source. */
  | 'damaged'
  /** A newer version of this program wrote the database or backup. */
  | 'newer'
  /** The database or backup is of a level below 20, which this program does not support. */
  | 'older'
  /** The target already exists, contains data, or has tables of another program with the same names. */
  | 'not_empty'
  /** The source database is empty, so there is nothing to copy. */
  | 'nothing_there'
  /** Processes of this program are connected to the target database. */
  | 'in_use'
  | 'no_room'
  /** The target database cannot store one of the values. */
  | 'unfit';

/** Thrown if a copy failed. Existing data is unchanged. The message is one line for the operator. */
export class CopyError extends Error {
  override name = 'CopyError';
  readonly code: CopyErrorCode;

  constructor(code: CopyErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Runs `work` and converts file errors to CopyErrors: a full disk to one that names `target`, a damaged or unreadable file to one
 * that names `source`. @throws CopyError `no_room` or `damaged`
 */
export async function mapFileErrors<T>(
  { source, target }: { source: string; target: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (storageFaultOf(error) === 'disk_full')
      throw new CopyError(
        'no_room',
        `There is no space left for ${target}. Free some space, then try again.`,
        error,
      );
    if (storageFaultOf(error) !== 'database_damaged' && !isFileError(error)) throw error;
    throw new CopyError('damaged', `${source} cannot be read (${errorMessage(error)}).`, error);
  }
}

/** Returns whether SQLite or a failing disk reported the error. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && ['ERR_SQLITE_ERROR', 'EIO'].includes(String(Reflect.get(error, 'code')));
}
