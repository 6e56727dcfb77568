import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from './config-error.ts';
import type { LogLists } from './core/judge/transparency.ts';
import { currentUntil, type LogList, parseLogList } from './pki/ct/log-list.ts';

/** Value that means: no list. */
const OFF = 'off';

/** Reads the lists of Certificate Transparency logs of Chrome (CT_LOG_LIST) and Apple (APPLE_LOG_LIST). @throws ConfigError */
export function logListConfig(text: (name: string) => string | null): LogLists {
  return {
    google: logListFile('CT_LOG_LIST', text('CT_LOG_LIST')),
    apple: logListFile('APPLE_LOG_LIST', text('APPLE_LOG_LIST')),
  };
}

/** Returns a warning for each list that is too old to be used at `now` (ms UTC). */
export function logListWarnings({ google, apple }: LogLists, now: number): string[] {
  const lists = [
    ['CT_LOG_LIST', google],
    ['APPLE_LOG_LIST', apple],
  ] as const;
  return lists.flatMap(([name, list]) =>
    list === null || now < currentUntil(list)
      ? []
      : `${name} is not used: the list is of ${new Date(list.asOf).toISOString().slice(0, 10)}. Download it again.`,
  );
}

function logListFile(name: string, path: string | null): LogList | null {
  if (path === null || path.toLowerCase() === OFF) return null;
  if (/^https?:/i.test(path))
    throw new ConfigError(
      `${name} must be the path of a file, but it is “${path}”. Download the list first.`,
    );
  const { body, writtenAt } = readList(name, path);
  const list = parseLogList(body, writtenAt);
  if ('problem' in list) throw new ConfigError(`${name}: ${path} cannot be used. ${list.problem}`);
  return list;
}

/** `writtenAt`: when the file was written, ms UTC. Apple's list does not say how old it is. */
function readList(name: string, path: string): { body: Uint8Array; writtenAt: number } {
  try {
    return { body: readFileSync(path), writtenAt: statSync(path).mtimeMs };
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${name}: ${path} cannot be read (${code}).`, { cause: error });
  }
}
