import { appendFileSync, closeSync, fsyncSync, openSync } from 'node:fs';

/** One message that arrived, as the ledger of a receiver keeps it. */
export interface LedgerEntry {
  /** Message-ID without angle brackets, or webhook-id: the same for every repetition. */
  id: string;
  /** The recipient's address, or the path of the webhook. */
  to: string;
  /** The subject, or the body of the webhook. */
  text: string;
  /** By the receiver's own clock, ms UTC. */
  at: number;
  /** False where the sender was not told that it arrived. */
  told: boolean;
}

/** Appends to a file so that an entry is on the disk before its sender hears of it. */
export function createLedgerFile(path: string): { keep(entry: LedgerEntry): void; close(): void } {
  const file = openSync(path, 'a');
  return {
    keep(entry) {
      appendFileSync(file, `${JSON.stringify(entry)}\n`);
      fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}
