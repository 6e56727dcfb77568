import { dovecot, exim, postfix } from './mail-servers.ts';
import { mariadb, postgresql } from './database-servers.ts';
import type { Daemon, ServerFiles } from './daemon.ts';
import { haproxy, nghttpd, sharedPort } from './http2-servers.ts';
import { nginx, prosody, slapd, vsftpd } from './other-servers.ts';
import type { Protocol } from '../../contract/protocols.ts';
import type { MintedCertificate } from '../kit/certificates/mint.ts';

/** A TLS or STARTTLS port of a running server. */
export interface Endpoint {
  protocol: Protocol;
  address: string;
  port: number;
  /** Protocol that our check and the server agree on by ALPN. Default: any. */
  alpn?: string | null;
  /** Name on the certificate for clients that send no ALPN, of which the check must warn. */
  otherWithoutAlpn?: string;
  /** Set if the server has the expired certificate, too: the posture check must find it and test everything else. */
  servesExpiredRsa?: boolean;
}

export interface RunningServer extends Daemon {
  endpoints: Endpoint[];
}

export interface ServerKind {
  name: string;
  /** Names of Debian packages. */
  packages: string[];
  /** `expiredRsa`: a second certificate of the host, for an RSA key. It has expired. */
  start(files: ServerFiles, host: string, expiredRsa: MintedCertificate): Promise<RunningServer>;
}

export const SERVERS: readonly ServerKind[] = [
  postfix,
  dovecot,
  exim,
  slapd,
  postgresql,
  mariadb,
  vsftpd,
  prosody,
  nginx,
  nghttpd,
  haproxy,
  sharedPort,
];
