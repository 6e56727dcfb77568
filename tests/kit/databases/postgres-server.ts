import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../product/app.ts';
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts';

export interface PostgresServer {
  /** A superuser's URL of the database `postgres`. */
  url: string;
  /** Says where the server comes from. Printed once at the start of a run. */
  origin: string;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** If false (the default), the server runs without fsync, for speed. If true, as an operator runs it. */
  durable?: boolean;
}

/**
 * Returns TEST_POSTGRES_URL's server, else a temporary cluster on a free port of 127.0.0.1, under an unprivileged user. The
 * cluster ends with this process, even after a kill. null if no server is available.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer | null> {
  const given = process.env['TEST_POSTGRES_URL'];
  if (given) return { url: given, origin: 'TEST_POSTGRES_URL', stop: async () => undefined };
  const binaries = findPostgres();
  if (binaries === null) return null;
  // Try again if another program has taken the port in the meantime.
  for (let attempt = 1; ; attempt++) {
    try {
      return await startCluster(binaries, options);
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

async function startCluster(
  binaries: PostgresBinaries,
  { durable = false }: PostgresOptions,
): Promise<PostgresServer> {
  const owner = unprivilegedUser();
  const home = mkdtempSync(join(tmpdir(), 'certlantern-postgres-'));
  const bin = owner ? reachable(binaries.bin, home) : binaries.bin;
  const [data, password] = [join(home, 'data'), randomBytes(16).toString('hex')];
  const passwordFile = join(home, 'password');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (owner) for (const path of [home, data, passwordFile]) chownSync(path, owner.uid, owner.gid);

  const initdb = spawnSync(
    join(bin, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'scram-sha-256',
      '--pwfile',
      passwordFile,
      '-E',
      'UTF8',
      '--no-locale',
      '-N',
    ],
    { ...owner, cwd: home, encoding: 'utf8', env: programEnvironment() },
  );
  if (initdb.status !== 0) throw new Error(`initdb failed: ${initdb.stderr || String(initdb.error)}`);

  const port = await freePort();
  const settings: Record<string, string | number> = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: process.platform === 'win32' ? '' : home,
    max_connections: 200,
    // `synchronous_commit` stays on: without it, VACUUM cannot mark pages all-visible before their commits are written to the
    // WAL.
    ...(durable ? {} : { shared_buffers: '64MB', fsync: 'off', full_page_writes: 'off' }),
  };
  const watch = spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'postgres-watch.ts'),
      JSON.stringify({ program: join(bin, 'postgres'), data, home, owner, settings }),
    ],
    // Runs in a session of its own, so that a Ctrl-C that ends the tests leaves it time to clean up.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true, env: programEnvironment() },
  );
  const ended = once(watch, 'exit');
  const log: string[] = [];
  await new Promise<void>((ready, failed) => {
    watch.stdout.on('data', (chunk: Buffer) => {
      log.push(chunk.toString());
      if (log.length < 200 && log.join('').includes('ready to accept connections')) ready();
    });
    watch.on('exit', () => failed(new Error(`PostgreSQL did not start:\n${log.join('')}`)));
  });
  watch.unref();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    origin: binaries.origin,
    async stop() {
      watch.ref();
      watch.stdin.end();
      await ended;
    },
  };
}

interface User {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): User | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error('PostgreSQL refuses to run as root, and there is neither a user "postgres" nor "nobody".');
}

/** Returns a folder with the programs that the unprivileged user can access. The user has no access to a checkout below /root. */
function reachable(bin: string, home: string): string {
  if (isOpenToAll(bin)) return bin;
  const copy = join(home, 'programs');
  cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(home, 0o755);
  return join(copy, 'bin');
}

function isOpenToAll(folder: string): boolean {
  for (let path = folder; ; path = dirname(path)) {
    if ((statSync(path).mode & 0o005) !== 0o005) return false;
    if (path === dirname(path)) return true;
  }
}

/**
 * Returns the environment without the PG* variables of the person who runs the tests. Sets the language to English, because
 * the log is parsed.
 */
function programEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], TMPDIR: tmpdir(), LC_ALL: 'C' };
}
