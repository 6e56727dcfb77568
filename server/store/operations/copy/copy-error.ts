import { isDiskFull } from '../../db/dialect.ts';

export type CopyErrorCode =
  /** The file is none of ours, or one that was never finished. */
  | 'not_a_backup'
  /** What was read is not what was written. */
  | 'damaged'
  /** It was made by a newer version of this program. */
  | 'newer'
  /** There is something already where it should go. */
  | 'not_empty'
  /** There is nothing to copy. */
  | 'nothing_there'
  /** Processes of this program work on it. */
  | 'in_use'
  | 'no_room'
  /** The other database cannot hold some value. */
  | 'unfit';

/** Why a copy was not made; then nothing was changed. The message is one line for the operator. */
export class CopyError extends Error {
  override name = 'CopyError';
  readonly code: CopyErrorCode;

  constructor(code: CopyErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Does the work; a disk that is full on the way ends it in one line. @throws CopyError `no_room` */
export async function withRoom<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDiskFull(error) && !isFileFull(error)) throw error;
    throw new CopyError('no_room', `There is no room left for ${place}. Make some, then try again.`, error);
  }
}

function isFileFull(error: unknown): boolean {
  const code = error instanceof Error ? String(Reflect.get(error, 'code') ?? '') : '';
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
}
