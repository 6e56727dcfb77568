import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A script that invoke-rc.d runs before it starts a service of a newly installed package. It forbids the start. */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Installs the Debian packages that are missing, without starting their services.
 * @throws Error if this is not Debian, this process is not root, or apt-get fails.
 */
export function installPackages(names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error(`Only root on Debian can install ${missing.join(', ')}.`);
  process.stderr.write(`Installing ${missing.join(', ')} …\n`);
  const hasPolicy = existsSync(POLICY);
  if (!hasPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    runApt('update', '-qq');
    runApt('install', '-y', '-qq', '--no-install-recommends', ...missing);
  } finally {
    if (!hasPolicy) rmSync(POLICY, { force: true });
  }
}

/** Installs one package like `installPackages`, but returns false instead of throwing. */
export function installDebianPackage(name: string): boolean {
  try {
    installPackages([name]);
    return true;
  } catch {
    return false;
  }
}

function isInstalled(name: string): boolean {
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${db:Status-Abbrev}', name], { encoding: 'utf8' });
  // If dpkg-query is missing, stdout is null.
  return (stdout ?? '').startsWith('ii');
}

/** Returns the libraries that these packages need. They must be installed even if the packages are only unpacked. */
export function librariesOf(names: readonly string[]): string[] {
  const read = (): string =>
    spawnSync('apt-cache', ['depends', '--important', ...names], { encoding: 'utf8' }).stdout ?? '';
  if (names.length === 0) return [];
  let dependencies = read();
  if (dependencies === '') {
    runApt('update', '-qq');
    dependencies = read();
  }
  return (
    [...dependencies.matchAll(/^ +(?:Pre)?Depends: (lib\S+)$/gm)]
      .map(([, library = '']) => library)
      // Perl modules may be virtual packages, which never count as installed.
      .filter((library) => !library.endsWith('-perl'))
  );
}

function runApt(...args: string[]): void {
  const { status, stderr } = spawnSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) throw new Error(`apt-get ${args[0]} ended with ${status}:\n${stderr}`);
}

/**
 * Returns the path of a program in a Debian package, unpacked below the temporary folder; null if it is unavailable. Does not
 * install the package, because that would start its service. `path`: path in the package, for example `usr/bin/promtool`.
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
    // If the package lists are old, they may name a version that no longer exists. So update them and try again.
    if (!apt('download', name) && !(apt('update') && apt('download', name))) return null;
    const [file = ''] = readdirSync(download).filter((entry) => entry.endsWith('.deb'));
    const unpacked = spawnSync('dpkg-deb', ['-x', join(download, file), join(download, 'unpacked')]);
    if (unpacked.status !== 0) return null;
    // Renames the folder in one step, so that no other process sees a half-written one.
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(download, 'unpacked'), folder);
    return existsSync(program) ? program : null;
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
}
