import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** HTTPS hosts to monitor and their name server, in a separate process. */
export interface Farm {
  port: number;
  /** Returns the name of host number `index`. */
  hostOf(index: number): string;
  /** Environment variables that let the product find and trust the hosts. */
  environment: Record<string, string>;
  stop(): Promise<void>;
}

/** Message that the farm process sends when it is ready. */
export interface FarmReady {
  port: number;
  dns: string;
  rootPem: string;
}

export const FARM_DOMAIN = 'farm.example';

/** Returns the address of host number `index`. With 128 as `half`, returns its second address. */
export const addressOf = (index: number, half: 0 | 128 = 0): string =>
  `127.${half + 1 + ((index >> 16) & 63)}.${(index >> 8) & 255}.${index & 255}`;

/** Starts the farm process, which ends with this one. Writes the farm's root certificate to `folder`. */
export async function startFarm(folder: string): Promise<Farm> {
  const child = fork(new URL('./farm-process.ts', import.meta.url));
  const [ready] = (await once(child, 'message')) as [FarmReady];
  const authorityFile = join(folder, 'authority.pem');
  writeFileSync(authorityFile, ready.rootPem);
  return {
    port: ready.port,
    hostOf: (index) => `h${index}.${FARM_DOMAIN}`,
    environment: {
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      DNS_SERVERS: ready.dns,
      EXTRA_CA_FILE: authorityFile,
    },
    stop: () => kill(child),
  };
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
