import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { installDebianPackage } from '../../tests/kit/machine/debian-package.ts';
import { HOST } from './protocol.ts';

export const PROGRAM = 'prometheus-blackbox-exporter';
const CONCURRENCY = 4;
const WARM_UP_PROBES = 200;
const PROBES = 600;

export interface Blackbox {
  /** Returns the exporter's CPU time per probe in µs, user plus system, including its HTTP response. */
  round(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts Debian's blackbox_exporter with a tcp probe over TLS that verifies the chain. Returns null if the package
 * cannot be installed.
 */
export async function startBlackbox(
  folder: string,
  rootFile: string,
  port: number,
): Promise<Blackbox | null> {
  if (!isBlackboxInstalled()) return null;

  const config = join(folder, 'blackbox.yml');
  const module = {
    prober: 'tcp',
    timeout: '10s',
    tcp: {
      preferred_ip_protocol: 'ip4',
      tls: true,
      tls_config: { ca_file: rootFile, server_name: HOST },
    },
  };
  await writeFile(config, JSON.stringify({ modules: { certificate: module } }));
  const exporterPort = await freePort();
  const child = spawn(
    PROGRAM,
    [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${exporterPort}`, '--log.level=error'],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const probe = (): Promise<string> =>
    fetchProbeText(
      `http://127.0.0.1:${exporterPort}/probe?module=certificate&target=127.0.0.1:${port}`,
      agent,
    );
  const probes = async (count: number): Promise<void> => {
    let left = count;
    const runWorker = async (): Promise<void> => {
      while (left-- > 0)
        if (!(await probe()).includes('\nprobe_success 1\n'))
          throw new Error('a probe of the exporter failed');
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, runWorker));
  };

  while (!(await probe().then(Boolean, () => false))) await new Promise((wait) => setTimeout(wait, 50));
  await probes(WARM_UP_PROBES);
  return {
    async round() {
      const before = cpuMicroseconds(child.pid ?? 0);
      await probes(PROBES);
      return (cpuMicroseconds(child.pid ?? 0) - before) / PROBES;
    },
    async stop() {
      agent.destroy();
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Installs the exporter if it is missing. Returns whether it can be run. */
export function isBlackboxInstalled(): boolean {
  const isInstalled = (): boolean => spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' }).status === 0;
  return isInstalled() || (installDebianPackage(PROGRAM) && isInstalled());
}

/** Returns utime plus stime of /proc/PID/stat in µs. Resolution is 10 ms, so rounds must be long enough. */
function cpuMicroseconds(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [utime = 0, stime = 0] = rest.split(' ').slice(11, 13).map(Number);
  return (utime + stime) * 10_000;
}

export async function fetchProbeText(url: string, agent: Agent): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get(url, { agent }, (response) => {
    let body = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    response.on('end', () => resolve(body)).on('error', reject);
  }).on('error', reject);
  return promise;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
