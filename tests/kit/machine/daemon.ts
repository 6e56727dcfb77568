import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { MintedCertificate } from '../certificates/mint.ts';

/** A server's own folder with the files of its certificate. */
export interface ServerFiles {
  folder: string;
  /** Leaf and intermediate, PEM. */
  certificateFile: string;
  keyFile: string;
  /** Intermediate alone, PEM. */
  chainFile: string;
  /** Root certificate, PEM. */
  rootFile: string;
  /** Writes a file into the folder and returns its path. */
  write(name: string, text: string): string;
  /** Creates a subfolder and returns its path. */
  makeFolder(name: string): string;
  /** Makes a user of the machine the owner of all files so far. Throws if there is no such user. */
  changeOwner(user: string): void;
}

export function prepareFiles(folder: string, leaf: MintedCertificate, rootPem: string): ServerFiles {
  mkdirSync(folder, { mode: 0o755 });
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: name.endsWith('.key') ? 0o600 : 0o644 });
    return path;
  };
  return {
    folder,
    certificateFile: write('server.pem', leaf.certificatePem + leaf.chainPem),
    keyFile: write('server.key', leaf.keyPem),
    chainFile: write('chain.pem', leaf.chainPem),
    rootFile: write('root.pem', rootPem),
    write,
    makeFolder(name) {
      const path = join(folder, name);
      mkdirSync(path, { mode: 0o755 });
      return path;
    },
    changeOwner(user) {
      const { uid, gid } = idsOf(user);
      chownAll(folder, uid, gid);
    },
  };
}

function chownAll(path: string, uid: number, gid: number): void {
  chownSync(path, uid, gid);
  if (!statSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) chownAll(join(path, name), uid, gid);
}

export function hasUser(user: string): boolean {
  return spawnSync('id', [user]).status === 0;
}

/** Returns the ids of a user of the machine. Throws if there is no such user. */
export function idsOf(user: string): { uid: number; gid: number } {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, user], { encoding: 'utf8' }));
  if (uid?.status !== 0 || gid?.status !== 0) throw new Error(`There is no user ${user}`);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** Runs a program, waits for its end and returns what it wrote to stdout. Throws with its output if it fails. */
export function run(
  command: readonly string[],
  options: { uid?: number; gid?: number; cwd?: string; env?: Record<string, string> } = {},
): string {
  const [program = '', ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, { ...options, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${program} ended with ${status}: ${error?.message ?? ''}\n${stdout}${stderr}`);
  return stdout;
}

export interface Daemon {
  stop(): Promise<void>;
}

export interface DaemonOptions {
  uid?: number;
  gid?: number;
  cwd: string;
  env?: Record<string, string>;
  /** Addresses to wait for: the server is ready when it accepts connections at all of them. */
  listensOn: readonly { address: string; port: number }[];
  /** File for what the server writes to stdout and stderr. */
  output?: string;
  /** File for what the server sends to syslog. Default: syslog of the machine. */
  syslog?: string;
  /** Signal for a clean shutdown. Default: SIGTERM. */
  signal?: NodeJS.Signals;
}

/**
 * Address for servers that must listen at the standard port of their protocol, such as 465, because clients recognise the
 * protocol by its port. At 127.0.0.1, another server of this machine may use that port.
 */
export const STANDARD_PORT_ADDRESS = '127.0.0.77';

/** Package of the syslog that `syslog` starts. */
export const SYSLOG = ['busybox'];

/**
 * Runs a command in a mount namespace with a /dev/log of its own, whose messages go to the file `$0`. The namespace gets a new /dev,
 * because /dev/log does not exist everywhere and must not appear outside.
 */
const WITH_SYSLOG = `set -e
mkdir -p dev
mount --rbind /dev dev
mount -t tmpfs tmpfs /dev
for name in null zero full random urandom; do touch /dev/$name; mount --bind dev/$name /dev/$name; done
mkdir /dev/shm
mount --bind dev/shm /dev/shm
busybox syslogd -n -S -O "$0" &
while [ ! -S /dev/log ]; do sleep 0.05; done
exec "$@"`;

const START_MS = 30_000;
const STOP_MS = 10_000;

/**
 * Starts a server in the foreground, in a process group of its own, and waits until it listens. Throws with its output after
 * 30 s or if it ends.
 */
export async function startDaemon(command: readonly string[], options: DaemonOptions): Promise<Daemon> {
  const { listensOn, signal = 'SIGTERM', env, output: file, syslog, ...rest } = options;
  const wrapper = syslog === undefined ? [] : ['unshare', '--mount', 'sh', '-c', WITH_SYSLOG, syslog];
  const [program = '', ...args] = [...wrapper, ...command];
  const child = spawn(program, args, {
    ...rest,
    env: { PATH: process.env['PATH'], LC_ALL: 'C', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-4_000);
    if (file !== undefined) appendFileSync(file, chunk);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const exited = once(child, 'exit');
  let hasExited = false;
  exited.then(
    () => (hasExited = true),
    () => (hasExited = true),
  );

  async function stop(): Promise<void> {
    if (!hasExited) child.kill(signal);
    const timer = setTimeout(() => killGroup(child.pid), STOP_MS);
    if (!hasExited) await exited;
    clearTimeout(timer);
    // Kill the rest of the group, because some servers do not end their children.
    killGroup(child.pid);
  }

  const deadline = performance.now() + START_MS;
  for (const { address, port } of listensOn) {
    while (!(await accepts(address, port))) {
      if (hasExited || performance.now() > deadline) {
        await stop();
        throw new Error(`${command[0]} does not listen on ${address}:${port}:\n${output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return { stop };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function accepts(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: address, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
