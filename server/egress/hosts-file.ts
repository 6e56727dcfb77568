import { readFile, stat } from 'node:fs/promises';
import { canonicalAddress } from './address.ts';

/** The names of a file in the format of /etc/hosts (hosts(5)). */
export interface HostsFile {
  /** Returns the addresses of a name, in the order of the file; empty if the file does not have the name. Never rejects. */
  addresses(host: string): Promise<readonly string[]>;
}

type Names = Map<string, string[]>;

/** How long the content is used before we check whether the file has changed, ms. */
const RECHECK_MS = 5_000;
/** Maximum size of the file. It exceeds the largest lists of blocked names that people keep in such files. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Creates a reader that reads the file again when it has changed; null if `path` is null. `onProblem` gets a sentence for the
 * operator, once until the problem changes. While the file cannot be read, its last content stays in use.
 */
export function createHostsFile(path: string | null, onProblem: (message: string) => void): HostsFile | null {
  if (path === null) return null;
  let names: Names = new Map();
  let version = '';
  let recheckAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  let lastProblem: string | null = null;

  const report = (problem: string | null): void => {
    if (problem !== null && problem !== lastProblem) onProblem(`HOSTS_FILE: ${problem}`);
    lastProblem = problem;
  };
  const read = async (): Promise<void> => {
    try {
      const stats = await stat(path);
      const found = `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
      if (found === version) return;
      if (!stats.isFile()) throw new Error('it is not a file');
      if (stats.size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
      const parsed = parseHosts(await readFile(path, 'utf8'));
      [names, version] = [parsed.names, found];
      report(parsed.problem && `${path} ${parsed.problem}`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const rest = version === '' ? 'Names are looked up without it.' : 'Its last content stays in use.';
      report(`${path} cannot be read: ${reason}. ${rest}`);
    }
  };

  return {
    async addresses(host) {
      if (performance.now() >= recheckAt) {
        recheckAt = performance.now() + RECHECK_MS;
        reading = read();
      }
      await reading;
      return names.get(host.toLowerCase()) ?? [];
    },
  };
}

/**
 * Parses lines of the form `address name alias… # comment`. A name on several lines has the addresses of all. Skips lines without an address.
 * Skips addresses with a zone (`fe80::1%lo0`) without a warning, because no policy permits them.
 */
function parseHosts(text: string): { names: Names; problem: string | null } {
  const names: Names = new Map();
  const bad: number[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const [first, ...rest] = (line.split('#', 1)[0] ?? '').split(/\s+/).filter((field) => field !== '');
    if (first === undefined || first.includes('%')) continue;
    const address = canonicalAddress(first);
    if (address === null) {
      bad.push(index + 1);
      continue;
    }
    for (const name of rest) {
      const key = name.toLowerCase().replace(/\.$/, '');
      const known = names.get(key) ?? [];
      names.set(key, known.includes(address) ? known : [...known, address]);
    }
  }
  const [line] = bad;
  if (line === undefined) return { names, problem: null };
  return {
    names,
    problem:
      bad.length === 1
        ? `is used without line ${line}, which does not begin with an IP address.`
        : `is used without ${bad.length} lines that do not begin with an IP address; the first is line ${line}.`,
  };
}
