import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Hosts to look at, and the name server that knows them, in a process of their own. */
export interface Farm {
  port: number;
  /** The host with that number; those of one zone show the same certificate. */
  hostOf(index: number): string;
  /** What the product needs to find and trust them. */
  environment: Record<string, string>;
  stop(): Promise<void>;
}

/** What the process tells once it serves. */
export interface FarmReady {
  port: number;
  dns: string;
  rootPem: string;
}

export const FARM_DOMAIN = 'farm.example';
/** Every certificate is shown by so many hosts at least: what is known of one is not known of all. */
export const ZONES = 500;

/** Starts them; the process ends with this one. `folder` gets the file of their authority. */
export async function startFarm(folder: string): Promise<Farm> {
  const child = fork(new URL('./farm-process.ts', import.meta.url));
  const [ready] = (await once(child, 'message')) as [FarmReady];
  const authorityFile = join(folder, 'authority.pem');
  writeFileSync(authorityFile, ready.rootPem);
  return {
    port: ready.port,
    hostOf: (index) => `h${index}.z${index % ZONES}.${FARM_DOMAIN}`,
    environment: {
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      DNS_SERVERS: ready.dns,
      EXTRA_CA_FILE: authorityFile,
    },
    stop: () => ended(child),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
