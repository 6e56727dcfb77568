import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { COMPILE_CACHE, freePort, temporaryFolder } from './app.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** `npm run demo` with a temporary data folder. */
export interface Demo {
  url: string;
  person: { email: string; password: string };
  mailUrl: string;
  /** Suffix for hosts of the demo: `:port` if port 443 was not available, else empty. */
  portSuffix: string;
  /** Sends SIGTERM, waits and removes the data folder; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts the demo on a free port; resolves when it is ready. @throws with the output if it exits instead. */
export async function startDemo(env: Record<string, string> = {}): Promise<Demo> {
  const folder = temporaryFolder();
  const child = spawn(process.execPath, [join(root, 'scripts', 'demo.ts')], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      ...COMPILE_CACHE,
      DATA_DIR: folder.path,
      PORT: String(await freePort()),
      ...env,
    },
    // The fourth stream lets the demo notice when this process is killed.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  const exited = once(child, 'exit');
  await new Promise<void>((ready, failed) => {
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ctrl-C')) ready();
    });
    child.on('exit', (code) => failed(new Error(`The demo ended with ${code}:\n${output}`)));
  });
  const [, url = ''] = /ready at (\S+)/.exec(output) ?? [];
  const [, email = '', password = ''] = /Sign in as (\S+) with the password (\S+)/.exec(output) ?? [];
  return {
    url,
    person: { email, password },
    mailUrl: /http\S+\/dev\/mail\S*/.exec(output)?.[0] ?? '',
    portSuffix: /adding lab\.moss\.example(:\d+)?/.exec(output)?.[1] ?? '',
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const [code] = (await exited) as [number | null];
      folder.remove();
      return code;
    },
  };
}
