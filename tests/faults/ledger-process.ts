import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { COMPILE_CACHE } from '../kit/product/app.ts';
import type { LedgerEntry } from './ledger-file.ts';

/** Message from the bench to a receiver process that changes the receiver's behaviour. */
export type LedgerOrder =
  | { kind: 'down' | 'up' | 'release' }
  | { kind: 'login'; refused: boolean }
  | { kind: 'well'; isWell: boolean };

export type LedgerReport =
  { kind: 'listening'; port: number } | { kind: 'done' | 'arrived' } | { kind: 'asked'; to: string };

/** A receiver in another process that writes each message that arrives to a ledger file. */
export interface LedgerProcess {
  port: number;
  order(order: LedgerOrder): Promise<void>;
  /** Returns all messages so far in order of arrival. */
  read(): readonly LedgerEntry[];
  /** Returns the number of requests to a webhook path, including the refused ones. */
  asked(path: string): number;
  stop(): Promise<void>;
}

/**
 * Starts the mail server or the webhook receiver as a child process that ends with this process. Throws if the child
 * ends before it listens.
 */
export async function startLedger(kind: 'mail' | 'webhook', folder: string): Promise<LedgerProcess> {
  const path = join(folder, `${kind}.ledger`);
  const child: ChildProcess = fork(join(import.meta.dirname, `${kind}-ledger.ts`), [path], {
    env: { ...process.env, ...COMPILE_CACHE },
  });
  const asked = new Map<string, number>();
  let port = 0;
  let orders: Promise<unknown> = Promise.resolve();
  const answers: (() => void)[] = [];
  const ended = once(child, 'exit');
  await new Promise<void>((ready, failed) => {
    child.once('exit', (code) => failed(new Error(`The ${kind} ledger ended with ${code}`)));
    child.on('message', (report: LedgerReport) => {
      if (report.kind === 'done') answers.shift()?.();
      if (report.kind === 'asked') asked.set(report.to, (asked.get(report.to) ?? 0) + 1);
      if (report.kind !== 'listening') return;
      ({ port } = report);
      ready();
    });
  });
  const tail = createTail(path);
  return {
    port,
    order(order) {
      const done = orders.then(
        () =>
          new Promise<void>((resolve) => {
            answers.push(resolve);
            child.send(order);
          }),
      );
      orders = done;
      return done;
    },
    read: () => tail.read(),
    asked: (to) => asked.get(to) ?? 0,
    async stop() {
      child.disconnect();
      await ended;
      tail.close();
    },
  };
}

/** Opens a growing ledger file. `read` returns all entries so far and keeps an incomplete last line for the next call. */
function createTail(path: string): { read(): readonly LedgerEntry[]; close(): void } {
  const file = openSync(path, 'r');
  const entries: LedgerEntry[] = [];
  let at = 0;
  let rest = '';
  return {
    read() {
      const bytes = Buffer.alloc(fstatSync(file).size - at);
      at += readSync(file, bytes, 0, bytes.length, at);
      const lines = (rest + bytes.toString()).split('\n');
      rest = lines.pop() ?? '';
      entries.push(...lines.map((line) => JSON.parse(line) as LedgerEntry));
      return entries;
    },
    close: () => closeSync(file),
  };
}
