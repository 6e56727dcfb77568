import type { Protocol } from '../../contract/protocols.ts';
import type { MintedCertificate } from '../kit/certificates/mint.ts';
import type { Daemon, ServerFiles } from '../kit/machine/daemon.ts';
import { mariadb, openMariadb, refusingMariadb } from './databases/mariadb.ts';
import { postgresql } from './databases/postgresql.ts';
import { slapd } from './databases/slapd.ts';
import { proftpd, vsftpd } from './file-servers.ts';
import { cyrus } from './mail/cyrus.ts';
import { dovecot } from './mail/dovecot.ts';
import { exim } from './mail/exim.ts';
import { postfix } from './mail/postfix.ts';
import { ejabberd } from './messaging/ejabberd.ts';
import { inn } from './messaging/inn.ts';
import { prosody } from './messaging/prosody.ts';
import type { Traces } from './traces.ts';
import { haproxy, nghttpd, sharedPort } from './web/http2-servers.ts';
import { nginx } from './web/nginx.ts';

/** What a check says of a server that has no TLS, that refuses every client, or that has blocked this client. */
export type Failure = 'does not offer STARTTLS' | 'refused us now' | 'has blocked our address';

/** A TLS or STARTTLS port of a running server. */
export interface Endpoint {
  protocol: Protocol;
  address: string;
  port: number;
  /** Protocol that our check and the server agree on by ALPN. Default: any. */
  alpn?: string | null;
  /** Name on the certificate that clients without ALPN get. The check must warn of it. */
  otherWithoutAlpn?: string;
  /** Set if the server has the expired certificate, too: the posture check must find it and test everything else. */
  servesExpiredRsa?: boolean;
  /** A filter that matches one log line of each check. Default: no filter matches any. */
  matchesEach?: string;
  /** The name to check. Default: the name on the certificate. */
  host?: string;
  /** Words in the sentence that says why the check fails. Default: the check must not fail. */
  fails?: Failure;
}

export interface RunningServer extends Daemon {
  endpoints: Endpoint[];
  /** If given, the server is checked 20 more times, and none of these checks may leave a trace. */
  traces?: Traces;
}

export interface ServerKind {
  name: string;
  /** Names of Debian packages. */
  packages: string[];
  /** Packages that `start` unpacks instead, because others would be removed if they were installed. */
  unpacked?: string[];
  /** `expiredRsa`: a second certificate of the host, for an RSA key. It has expired. */
  start(files: ServerFiles, host: string, expiredRsa: MintedCertificate): Promise<RunningServer>;
}

export const SERVERS: readonly ServerKind[] = [
  postfix,
  dovecot,
  exim,
  cyrus,
  inn,
  slapd,
  postgresql,
  mariadb,
  openMariadb,
  refusingMariadb,
  vsftpd,
  proftpd,
  prosody,
  ejabberd,
  nginx,
  nghttpd,
  haproxy,
  sharedPort,
];
