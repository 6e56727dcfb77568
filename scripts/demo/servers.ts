import { startDnsServer } from '../../tests/kit/peers/dns-server.ts';
import {
  type Peer,
  type ServerCertificate,
  startTlsServer,
  type TlsPeer,
} from '../../tests/kit/peers/tls-server.ts';
import { answerDemoRequest } from './icons.ts';
import { startMailServer } from './mail-server.ts';

const HTTPS_PORT = 443;
const SMTP_PORT = 25;
const ADDRESS = '127.0.0.1';
/** Additional addresses of hosts with several addresses. They are not used if only 127.0.0.1 is available. */
const EXTRA_ADDRESSES = ['127.0.0.2', '127.0.0.3'];

export interface DemoServers {
  /** Port of the HTTPS hosts: 443 if this user may bind it, so that names need no port, else any free port. */
  port: number;
  /** Port of the mail server: 25 if this user may bind it, else any free port; null without a mail server. */
  mailPort: number | null;
  /** Address of the name server as `ip:port`, the format of DNS_SERVERS. */
  nameServer: string;
  stop(): Promise<void>;
}

export interface Served {
  /** Current certificate of each host by its name. */
  certificates: Record<string, ServerCertificate>;
  /** Previous certificate of each host with several addresses, by its name; the last address still serves it. */
  former: Record<string, ServerCertificate>;
  /** SMTP host of the demo; null if there is none. */
  mail: { name: string; certificate: ServerCertificate } | null;
}

/**
 * Starts loopback servers for all hosts of the demo and a name server that resolves them and `others` to this machine.
 */
export async function startDemoServers(
  { certificates, former, mail }: Served,
  others: readonly string[],
): Promise<DemoServers> {
  const web = await withPortFallback(HTTPS_PORT, (port) =>
    startTlsServer(certificates, { port, serve: answerDemoRequest }),
  );
  const extraServers = await startExtraServers(web.port, certificates, former);
  const smtp =
    mail && (await withPortFallback(SMTP_PORT, (port) => startMailServer(mail.name, mail.certificate, port)));
  const hosts = [...Object.keys(certificates), ...(mail ? [mail.name] : []), ...others];
  const dns = await startDnsServer(
    Object.fromEntries(
      hosts.map((name) => {
        const addresses =
          name in former ? [ADDRESS, ...EXTRA_ADDRESSES.slice(0, extraServers.length)] : [ADDRESS];
        return [name, { addresses }];
      }),
    ),
  );
  return {
    port: web.port,
    mailPort: smtp?.port ?? null,
    nameServer: dns.address,
    async stop() {
      const all = [web, ...extraServers, dns, ...(smtp ? [smtp] : [])];
      await Promise.all(all.map((server) => server.stop()));
    },
  };
}

/** Starts servers on the available additional addresses. Only the server on the last one serves `former` certificates. */
async function startExtraServers(
  port: number,
  certificates: Served['certificates'],
  former: Served['former'],
): Promise<TlsPeer[]> {
  const started: TlsPeer[] = [];
  if (Object.keys(former).length === 0) return started;
  try {
    for (const [index, host] of EXTRA_ADDRESSES.entries()) {
      const isLast = index === EXTRA_ADDRESSES.length - 1;
      const served = isLast ? { ...certificates, ...former } : certificates;
      started.push(await startTlsServer(served, { host, port, serve: answerDemoRequest }));
    }
  } catch (error) {
    if (!isPortUnavailable(error)) throw error;
  }
  return started;
}

/** Starts a server on `port` or, if it is not available, on any free port. */
async function withPortFallback<Started extends Peer>(
  port: number,
  start: (port: number) => Promise<Started>,
): Promise<Started> {
  try {
    return await start(port);
  } catch (error) {
    if (!isPortUnavailable(error)) throw error;
    return start(0);
  }
}

function isPortUnavailable(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'EACCES' || code === 'EADDRINUSE' || code === 'EADDRNOTAVAIL';
}
