import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { programArguments } from '../../../scripts/build/programs.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** Variables for a shared compile cache, with which processes of tests start in two thirds of the time. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'certlantern-test-compile-cache'),
};

/** Limits for tests that sign many people up from this machine. */
export const MANY_SIGN_UPS = Object.fromEntries(
  ['LIMIT_SIGN_UPS', 'LIMIT_NETWORK_SIGN_UPS'].flatMap((limit) => [
    [`${limit}_PER_HOUR`, '10000'],
    [`${limit}_PER_DAY`, '10000'],
  ]),
);

/** The whole product as a process, as an operator runs it. */
export interface App {
  url: string;
  /** null with SMTP_URL. */
  mailUrl: string | null;
  dataDir: string;
  process: ChildProcess;
  /** Returns everything printed so far on both streams. */
  output(): string;
  /** Sends SIGTERM and waits; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL and waits. */
  kill(): Promise<void>;
}

/**
 * Ports below the range from which Linux assigns ports by default. So no other program gets one by chance before it is used,
 * or between two uses.
 */
const PORTS = { first: 12_000, beyond: 32_768 };

/**
 * Returns a free TCP port of 127.0.0.1. Its UDP port, which nothing else uses, stays open as long as this process runs, so that no
 * other test gets the same port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.beyond);
    const reservation = createSocket('udp4');
    const server = createServer();
    try {
      reservation.bind({ port, address: '127.0.0.1', exclusive: true });
      await once(reservation, 'listening');
      reservation.unref();
      await once(server.listen(port, '127.0.0.1'), 'listening');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Creates a folder for one test's data in the system's temporary folder. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'certlantern-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs `node server/main.ts` to its end, with exactly these variables and PATH. */
export async function runServer(
  env: Record<string, string>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { child, printed, errors } = spawnServer(env);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: printed.join(''), stderr: errors.join('') };
}

/**
 * Starts the server on a free port with a data folder that the caller removes; resolves when it is ready. @throws with the output
 * if it exits instead.
 */
export async function startApp(env: Record<string, string> & { DATA_DIR: string }): Promise<App> {
  const port = env['PORT'] ?? String(await freePort());
  // Raises the limits for pages: a test's browser opens pages faster than a person.
  const { child, printed, errors } = spawnServer({
    LIMIT_PAGES_PER_MINUTE: '1000000',
    ...env,
    PORT: port,
  });
  const output = (): string => printed.concat(errors).join('');
  const exited = once(child, 'exit');
  const url = `http://localhost:${port}`;
  await new Promise<void>((ready, failed) => {
    child.stdout?.on('data', () => {
      if (output().includes('npm run demo')) ready();
    });
    child.on('exit', (code) => failed(new Error(`The server ended with ${code}:\n${output()}`)));
  });
  return {
    url,
    mailUrl: /http\S+\/dev\/mail\S*/.exec(output())?.[0] ?? null,
    dataDir: env.DATA_DIR,
    process: child,
    output,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
    kill: () => killAndWait(child),
  };
}

/** A worker process: it has no address and does not print when it is ready. */
export type WorkerApp = Pick<App, 'process' | 'output' | 'kill'>;

/** Starts the server with ROLE=worker; requires DATABASE_URL. */
export function startWorkerApp(env: Record<string, string>): WorkerApp {
  const { child, printed, errors } = spawnServer({ ...env, ROLE: 'worker' });
  return { process: child, output: () => printed.concat(errors).join(''), kill: () => killAndWait(child) };
}

async function killAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function spawnServer(env: Record<string, string>): {
  child: ChildProcess;
  printed: string[];
  errors: string[];
} {
  const child = spawn(process.execPath, programArguments('server/main.ts'), {
    cwd: root,
    env: { PATH: process.env['PATH'], ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  const errors: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  return { child, printed, errors };
}
