import { isDiskFull } from '../../db/dialect.ts';
import { CopyError } from './copy-error.ts';

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
