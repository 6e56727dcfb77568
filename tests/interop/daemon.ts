import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';

import type { MintedCertificate } from '../../scripts/local-peers/mint.ts';

/** What a server is given: a folder of its own, and the files of its certificate there. */
export interface Quarters {
  folder: string;
  /** The leaf and its intermediate. */
  certificateFile: string;
  keyFile: string;
  /** The root alone. */
  rootFile: string;
  /** Writes a file into the folder and returns its path. */
  write(name: string, text: string): string;
  /** Makes a folder below it. */
  makeFolder(name: string): string;
  /** Gives all that is there so far to a user of the machine. */
  giveTo(user: string): void;
}

export function prepareQuarters(folder: string, leaf: MintedCertificate, rootPem: string): Quarters {
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
    rootFile: write('root.pem', rootPem),
    write,
    makeFolder(name) {
      const path = join(folder, name);
      mkdirSync(path, { mode: 0o755 });
      return path;
    },
    giveTo(user) {
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

/** @throws an Error where the machine has no such user. */
export function idsOf(user: string): { uid: number; gid: number } {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, user], { encoding: 'utf8' }));
  if (uid?.status !== 0 || gid?.status !== 0) throw new Error(`There is no user ${user}`);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** Runs a program to its end. @throws an Error with what it said where it fails. */
export function run(
  command: readonly string[],
  options: { uid?: number; gid?: number; cwd?: string } = {},
): void {
  const [program = '', ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, { ...options, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${program} ended with ${status}: ${error?.message ?? ''}\n${stdout}${stderr}`);
}

export interface Daemon {
  stop(): Promise<void>;
}

export interface DaemonOptions {
  uid?: number;
  gid?: number;
  cwd: string;
  env?: Record<string, string>;
  /** It is up when all of these accept connections. */
  listens: readonly { address: string; port: number }[];
  /** Ends it in good order; SIGTERM when absent. */
  signal?: NodeJS.Signals;
}

const START_MS = 30_000;
const STOP_MS = 10_000;

/** Starts a server that stays in the foreground, in a process group of its own, and waits until it listens. */
export async function startDaemon(command: readonly string[], options: DaemonOptions): Promise<Daemon> {
  const { listens, signal = 'SIGTERM', env, ...rest } = options;
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    ...rest,
    env: { PATH: process.env['PATH'], LC_ALL: 'C', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const keep = (chunk: Buffer): void => void (said = (said + chunk.toString()).slice(-4_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exited = once(child, 'exit');
  let isOver = false;
  exited.then(
    () => (isOver = true),
    () => (isOver = true),
  );

  async function stop(): Promise<void> {
    if (!isOver) child.kill(signal);
    const timer = setTimeout(() => killGroup(child.pid), STOP_MS);
    if (!isOver) await exited;
    clearTimeout(timer);
    // What it left of its group: most end their own children.
    killGroup(child.pid);
  }

  const deadline = performance.now() + START_MS;
  for (const { address, port } of listens) {
    while (!(await accepts(address, port))) {
      if (isOver || performance.now() > deadline) {
        await stop();
        throw new Error(`${program} did not come to listen on ${address}:${port}:\n${said}`);
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
