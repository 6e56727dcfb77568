import { Worker } from 'node:worker_threads';
import type { StoreLog } from './store-log.ts';

/** It has one connection, and nothing of the program. */
const LITTLE_MEMORY = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32, stackSizeMb: 1 };

/**
 * Carries what stands in SQLite's write-ahead log over into the database, in a thread of its own: whoever writes leaves that to it, and
 * does it himself only where the log has become long. `path`: of the database's file. To be closed before the last other connection.
 */
export function startCheckpoints(path: string, log: StoreLog): { close(): Promise<void> } {
  const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
    workerData: path,
    resourceLimits: LITTLE_MEMORY,
  });
  // It alone keeps nobody running.
  thread.unref();
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    thread.once('exit', () => {
      hasEnded = true;
      resolve();
    });
  });
  thread.on('error', (error) =>
    log.warn({ err: error }, 'the thread that tidies up after writes ended; they do it themselves now'),
  );
  return {
    async close() {
      if (hasEnded) return;
      // What is waited for has to keep the process running.
      thread.ref();
      thread.postMessage('close');
      await ended;
    },
  };
}
