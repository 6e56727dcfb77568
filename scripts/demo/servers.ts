import { startDnsServer } from '../../tests/kit/dns-server.ts';
import {
  type Peer,
  type ServerCertificate,
  startTlsServer,
  type TlsPeer,
} from '../../tests/kit/tls-server.ts';
import { serveIcons } from './icons.ts';
import { startMailServer } from './mail-server.ts';

const HTTPS_PORT = 443;
const SMTP_PORT = 25;
const ADDRESS = '127.0.0.1';
/** Of hosts with several. Where this machine has 127.0.0.1 alone, the others are left out. */
const MORE_ADDRESSES = ['127.0.0.2', '127.0.0.3'];

export interface DemoServers {
  /** 443 where this user may have it, so that the names look as they do elsewhere. */
  port: number;
  /** 25 where this user may have it; null where there is no mail server. */
  mailPort: number | null;
  /** `ip:port`, as DNS_SERVERS takes it. */
  nameServer: string;
  stop(): Promise<void>;
}

export interface Served {
  /** By host. */
  certificates: Record<string, ServerCertificate>;
  /** Hosts with several addresses, each with what the last of them still serves. */
  former: Record<string, ServerCertificate>;
  /** The one that speaks SMTP. */
  mail: { name: string; certificate: ServerCertificate } | null;
}

/** Loopback servers that are every host of the demo, with their icons, and a name server that knows them and `others`. */
export async function startDemoServers(
  { certificates, former, mail }: Served,
  others: readonly string[],
): Promise<DemoServers> {
  const web = await orElsewhere(HTTPS_PORT, (port) =>
    startTlsServer(certificates, { port, serve: serveIcons }),
  );
  const more = await startMore(web.port, certificates, former);
  const post =
    mail && (await orElsewhere(SMTP_PORT, (port) => startMailServer(mail.name, mail.certificate, port)));
  const hosts = [...Object.keys(certificates), ...(mail ? [mail.name] : []), ...others];
  const dns = await startDnsServer(
    Object.fromEntries(
      hosts.map((name) => {
        const addresses = name in former ? [ADDRESS, ...MORE_ADDRESSES.slice(0, more.length)] : [ADDRESS];
        return [name, { addresses }];
      }),
    ),
  );
  return {
    port: web.port,
    mailPort: post?.port ?? null,
    nameServer: dns.address,
    async stop() {
      const all = [web, ...more, dns, ...(post ? [post] : [])];
      await Promise.all(all.map((server) => server.stop()));
    },
  };
}

/** Only the last of them has not heard of the renewal. */
async function startMore(
  port: number,
  certificates: Served['certificates'],
  former: Served['former'],
): Promise<TlsPeer[]> {
  const started: TlsPeer[] = [];
  if (Object.keys(former).length === 0) return started;
  try {
    for (const [index, host] of MORE_ADDRESSES.entries()) {
      const isLast = index === MORE_ADDRESSES.length - 1;
      const served = isLast ? { ...certificates, ...former } : certificates;
      started.push(await startTlsServer(served, { host, port, serve: serveIcons }));
    }
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
  return started;
}

/** At its own port, or at a free one where that is not to be had. */
async function orElsewhere<Started extends Peer>(
  port: number,
  start: (port: number) => Promise<Started>,
): Promise<Started> {
  try {
    return await start(port);
  } catch (error) {
    if (!isTaken(error)) throw error;
    return start(0);
  }
}

function isTaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'EACCES' || code === 'EADDRINUSE' || code === 'EADDRNOTAVAIL';
}
