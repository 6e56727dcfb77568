import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What a server keeps about clients that misbehave. */
export interface Traces {
  /** Log that fail2ban reads. The server creates it. */
  log: string;
  /**
   * Filters of Debian's fail2ban that read this log, such as `postfix[mode=aggressive]`. Each comes with an action of a bad
   * client: the filter must match the lines that it causes, which shows that it can read the log.
   */
  filters: Readonly<Record<string, () => Promise<void> | void>>;
  /** Rewrites log lines to the form that the filters expect, where the two differ for reasons unrelated to the client. */
  forFilters?: (lines: string) => string;
  /** Matches lines that the server logs about broken connections, even if no filter reads them. */
  errors?: RegExp;
  /** The server's counters of errors. `raise` does what a bad client does; it must raise all of them. */
  counters?: { read: () => Record<string, number>; raise: () => Promise<void> };
}

/** fail2ban bans an address after this many matching lines within 10 minutes (`maxretry` and `findtime` of its jail.conf). */
export const MAX_RETRY = 5;
export const FAIL2BAN = ['fail2ban'];

/** A log counts as complete when it has not grown for this long. */
const QUIET_MS = 1_500;

/** Runs an action and returns the lines that the log gained meanwhile. */
export async function logDuring(log: string, act: () => Promise<void> | void): Promise<string> {
  const before = read(log).length;
  await act();
  for (let length = -1; length !== read(log).length; await pause(QUIET_MS)) length = read(log).length;
  return read(log).slice(before);
}

const read = (log: string): string => (existsSync(log) ? readFileSync(log, 'latin1') : '');

/** Returns the number of lines that one of fail2ban's filters matches. Throws if the filter does not run. */
export function countMatches(lines: string, filter: string, file: string): number {
  writeFileSync(file, lines, 'latin1');
  const { stdout, stderr } = spawnSync('fail2ban-regex', [file, filter], { encoding: 'utf8' });
  const [, matched] = /^Lines: \d+ lines, \d+ ignored, (\d+) matched/m.exec(stdout) ?? [];
  // fail2ban-regex reads no empty file.
  if (matched === undefined && lines.trim() !== '') throw new Error(`${filter}: ${stdout}${stderr}`);
  return Number(matched ?? 0);
}

/** Connects, sends each message after something was received, and ends the connection. */
export async function converse(
  { address, port }: { address: string; port: number },
  messages: readonly (string | Buffer)[],
  { speaksFirst = false } = {},
): Promise<void> {
  const socket = createConnection({ host: address, port });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  for (const [index, message] of messages.entries()) {
    if (index > 0 || !speaksFirst)
      await Promise.race([once(socket, 'data'), once(socket, 'close'), pause(10_000)]);
    socket.write(typeof message === 'string' ? `${message}\r\n` : message);
  }
  if (messages.length > 0) await Promise.race([once(socket, 'data'), once(socket, 'close'), pause(10_000)]);
  socket.destroy();
}
