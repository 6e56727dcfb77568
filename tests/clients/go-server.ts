import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Peer, ServerCertificate } from '../kit/peers/tls-server.ts';
import { buildGo } from './client.ts';

const SOURCE = join(import.meta.dirname, 'programs', 'server.go');

/** Compiles and starts a server of Go, which sends the first of its certificates that a client accepts. */
export async function startGoServer(certificates: readonly ServerCertificate[]): Promise<Peer> {
  const folder = await mkdtemp(join(tmpdir(), 'go-server-'));
  const program = await buildGo(SOURCE, folder);
  const files = await Promise.all(
    certificates.map(async ({ certificatePem, chainPem = '', keyPem }, index) => {
      const file = join(folder, `${index}.pem`);
      await writeFile(file, certificatePem + chainPem + keyPem, { mode: 0o600 });
      return file;
    }),
  );
  const server = spawn(program, files, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(server, 'exit');
  const line = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  if (line.done === true) throw new Error('the server of Go ended before it listened');
  return {
    port: Number(line.value),
    async stop() {
      server.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
