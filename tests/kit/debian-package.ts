import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Installs a package of Debian's as root; false where this is no such machine, or it could not be installed. */
export function installDebianPackage(name: string): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => spawnSync('apt-get', args, { stdio: 'ignore', env }).status === 0;
  process.stderr.write(`Installing Debian’s ${name} for the tests …\n`);
  return apt('update') && apt('install', '-y', '--no-install-recommends', name);
}

/**
 * A program out of a package of Debian's, without installing the package, whose service would start; null where it cannot be had.
 * Unpacked once below the temporary folder. `path`: in the package, as `usr/bin/promtool`.
 */
export function programOfDebianPackage(name: string, path: string): string | null {
  if (existsSync(`/${path}`)) return `/${path}`;
  const folder = join(tmpdir(), `certlantern-debian-${name}`);
  const program = join(folder, path);
  if (existsSync(program)) return program;
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) return null;
  process.stderr.write(`Unpacking Debian’s ${name} for the tests …\n`);
  const download = mkdtempSync(join(tmpdir(), 'certlantern-debian-'));
  try {
    const apt = (...args: string[]) =>
      spawnSync('apt-get', args, { cwd: download, stdio: 'ignore', timeout: 120_000 }).status === 0;
    // Its lists of packages may be too old to name one that is still there.
    if (!apt('download', name) && !(apt('update') && apt('download', name))) return null;
    const [file = ''] = readdirSync(download).filter((entry) => entry.endsWith('.deb'));
    const unpacked = spawnSync('dpkg-deb', ['-x', join(download, file), join(download, 'unpacked')]);
    if (unpacked.status !== 0) return null;
    // At once, so that nobody sees half of it.
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(download, 'unpacked'), folder);
    return existsSync(program) ? program : null;
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
}
