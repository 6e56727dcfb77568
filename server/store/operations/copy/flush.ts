import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Flushes a file, or the directory entries of a folder, to disk (fsync). */
export function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
