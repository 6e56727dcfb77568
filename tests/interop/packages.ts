import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** What invoke-rc.d asks before it starts a service that a package brings along. */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Installs what is missing of Debian's packages, without starting their services.
 * @throws an Error where this is no Debian machine with root, or a package cannot be installed.
 */
export function installPackages(names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error(`To be installed, as root on Debian: ${missing.join(' ')}`);
  process.stderr.write(`Installing ${missing.join(', ')} …\n`);
  const hasPolicy = existsSync(POLICY);
  if (!hasPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    apt('update', '-qq');
    apt('install', '-y', '-qq', '--no-install-recommends', ...missing);
  } finally {
    if (!hasPolicy) rmSync(POLICY, { force: true });
  }
}

function isInstalled(name: string): boolean {
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${db:Status-Abbrev}', name], { encoding: 'utf8' });
  return stdout.startsWith('ii');
}

function apt(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, stderr } = spawnSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env,
  });
  if (status !== 0) throw new Error(`apt-get ${args[0]} ended with ${status}:\n${stderr}`);
}
