import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Installs a Debian package as root; returns false if this is not possible here or fails. */
export function installDebianPackage(name: string): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => spawnSync('apt-get', args, { stdio: 'ignore', env }).status === 0;
  process.stderr.write(`Installing Debian’s ${name} for the tests …\n`);
  return apt('update') && apt('install', '-y', '--no-install-recommends', name);
}

/**
 * Returns a program of a Debian package without installing the package, whose service would start; null if it is unavailable. It
 * is unpacked once below the temporary folder. `path`: in the package, for example `usr/bin/promtool`.
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
    // The package lists may be too old to name a version that still exists.
    if (!apt('download', name) && !(apt('update') && apt('download', name))) return null;
    const [file = ''] = readdirSync(download).filter((entry) => entry.endsWith('.deb'));
    const unpacked = spawnSync('dpkg-deb', ['-x', join(download, file), join(download, 'unpacked')]);
    if (unpacked.status !== 0) return null;
    // Rename in one step, so that no other process sees half of it.
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(download, 'unpacked'), folder);
    return existsSync(program) ? program : null;
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
}
