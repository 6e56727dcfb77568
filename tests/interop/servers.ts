import { dovecot, postfix } from './mail-servers.ts';
import { mariadb, postgresql } from './database-servers.ts';
import type { Daemon, Quarters } from './daemon.ts';
import { nginx, prosody, slapd, vsftpd } from './other-servers.ts';
import type { Protocol } from '../../contract/words.ts';

/** A way in to a running server. */
export interface Entrance {
  protocol: Protocol;
  address: string;
  port: number;
}

export interface RunningServer extends Daemon {
  entrances: Entrance[];
}

export interface ServerKind {
  name: string;
  /** Debian's. */
  packages: string[];
  start(quarters: Quarters, host: string): Promise<RunningServer>;
}

export const SERVERS: readonly ServerKind[] = [
  postfix,
  dovecot,
  slapd,
  postgresql,
  mariadb,
  vsftpd,
  prosody,
  nginx,
];
