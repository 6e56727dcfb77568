import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Client } from '../../contract/check-words.ts';

/** A program that connects to servers and says whether it accepts their certificates. */
export interface ClientKind {
  name: string;
  family: Client;
  /** Debian packages. */
  packages: readonly string[];
  start(setup: ClientSetup): Promise<RunningClient>;
}

export interface ClientSetup {
  /** New folder for files of the client. */
  folder: string;
  /** File with the only roots to trust, in PEM. */
  rootsFile: string;
  /** Host names that are to resolve to 127.0.0.1. */
  hosts: readonly string[];
}

export interface RunningClient {
  version: string;
  /**
   * Connects to `host` at 127.0.0.1 over https. Returns null if the client accepts the server, else its error message. A
   * browser that still waits after `CONNECTION_MS` counts as refusing.
   */
  connect(host: string, port: number): Promise<string | null>;
  stop(): Promise<void>;
}

/** Time for one connection, in ms. */
export const CONNECTION_MS = 20_000;

/** The result of `connect` if a browser gets no answer in time. */
export const NO_ANSWER = 'no answer in time';

/**
 * Starts a program that prints its version first. For each line "host port" of its input, it then prints "ok" or the reason
 * why it refused.
 */
export async function startLineClient(
  command: string,
  parameters: readonly string[],
): Promise<RunningClient> {
  const program = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(program, 'exit');
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const line = await withLimit(lines.next(), command);
    if (line.done === true) throw new Error(`${command} ended too early`);
    return line.value;
  };
  const version = await next();
  return {
    version,
    async connect(host, port) {
      program.stdin.write(`${host} ${port}\n`);
      const answer = await next();
      return answer === 'ok' ? null : answer;
    },
    async stop() {
      program.stdin.end();
      program.kill();
      await ended;
    },
  };
}

/** Time for compiling a program with Go's standard library, in ms. */
const BUILD_MS = 300_000;

/** Compiles a program of Go in `folder` and returns its path. @throws Error if it cannot be compiled */
export async function buildGo(source: string, folder: string): Promise<string> {
  const program = join(folder, 'program');
  const env = { ...process.env, GOCACHE: join(folder, 'cache'), GO111MODULE: 'off' };
  const built = await run('go', ['build', '-o', program, source], { env, timeout: BUILD_MS });
  if (built.code !== 0) throw new Error(built.output);
  return program;
}

/** Runs a program and returns its exit code and what it printed. `timeout`: in ms. @throws Error if it does not end in time */
export function run(
  command: string,
  parameters: readonly string[],
  { env = process.env, timeout = CONNECTION_MS }: { env?: NodeJS.ProcessEnv; timeout?: number } = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const program = execFile(command, parameters, { timeout, env }, (error, out, err) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, output: out + err });
      else reject(new Error(`${command} did not end: ${error?.message}`));
    });
    program.stdin?.end();
  });
}

/** Returns the result of `promise`. @throws Error after `CONNECTION_MS` */
export async function withLimit<Result>(promise: Promise<Result>, what: string): Promise<Result> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error(`${what} did not answer in time`)), CONNECTION_MS);
  try {
    return await Promise.race([promise, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
