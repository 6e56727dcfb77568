import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Returns when the disk has the file, or the names in the folder. */
export function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
