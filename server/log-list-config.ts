import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from './config-error.ts';
import type { LogLists } from './core/judge/transparency.ts';
import { currentUntil, parseLogList } from './pki/ct/log-list.ts';
import type { LogListSetting, LogListsOptions } from './worker/log-lists.ts';

type Settings = LogListsOptions['settings'];

/** Where Google and Apple publish their lists. */
const GOOGLE_LIST = 'https://www.gstatic.com/ct/log_list/v3/log_list.json';
const APPLE_LIST = 'https://valid.apple.com/ct/log_list/current_log_list.json';

/** Reads where the lists of Certificate Transparency logs of Chrome (CT_LOG_LIST) and Apple (APPLE_LOG_LIST) come from. @throws ConfigError */
export function logListConfig(text: (name: string) => string | null): Settings {
  return {
    google: logListSetting('CT_LOG_LIST', text('CT_LOG_LIST') ?? GOOGLE_LIST),
    apple: logListSetting('APPLE_LOG_LIST', text('APPLE_LOG_LIST') ?? APPLE_LIST),
  };
}

/** Returns the lists that were read from files. */
export function logListsInFiles({ google, apple }: Settings): LogLists {
  const inFile = (setting: LogListSetting) => (setting instanceof URL ? 'off' : setting);
  return { google: inFile(google), apple: inFile(apple) };
}

/** Returns a warning for each list in a file that is too old to be used at `now` (ms UTC). */
export function logListWarnings({ google, apple }: Settings, now: number): string[] {
  const lists = [
    ['CT_LOG_LIST', google],
    ['APPLE_LOG_LIST', apple],
  ] as const;
  return lists.flatMap(([name, list]) =>
    list === 'off' || list instanceof URL || now < currentUntil(list)
      ? []
      : `${name} is not used: the list is of ${new Date(list.asOf).toISOString().slice(0, 10)}. Download it again.`,
  );
}

function logListSetting(name: string, value: string): LogListSetting {
  if (value.toLowerCase() === 'off') return 'off';
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(value)) return address(name, value);
  const { body, writtenAt } = readList(name, value);
  const list = parseLogList(body, writtenAt);
  if ('problem' in list) throw new ConfigError(`${name}: ${value} cannot be used. ${list.problem}`);
  return list;
}

function address(name: string, value: string): URL {
  const url = URL.parse(value);
  // Do not quote the value in the message, because it may contain a password.
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.hash !== '')
    throw new ConfigError(
      `${name} must be an https:// address without user name and #, the path of a file, or off.`,
    );
  return url;
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
