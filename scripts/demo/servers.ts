import { startDnsServer } from '../../tests/kit/dns-server.ts';
import { type ServerCertificate, startTlsServer, type TlsPeer } from '../../tests/kit/tls-server.ts';
import { serveIcons } from './icons.ts';

const HTTPS_PORT = 443;

export interface DemoServers {
  /** 443 where this user may have it, so that the names look as they do elsewhere. */
  port: number;
  /** `ip:port`, as DNS_SERVERS takes it. */
  nameServer: string;
  stop(): Promise<void>;
}

/** One https server on 127.0.0.1 that is every host of these certificates, with its icon, and a name server that knows them. */
export async function startDemoServers(
  certificates: Readonly<Record<string, ServerCertificate>>,
): Promise<DemoServers> {
  const tls = await listen(certificates);
  const names = Object.keys(certificates).map((name) => [name, { addresses: ['127.0.0.1'] }] as const);
  const dns = await startDnsServer(Object.fromEntries(names));
  return {
    port: tls.port,
    nameServer: dns.address,
    async stop() {
      await Promise.all([tls.stop(), dns.stop()]);
    },
  };
}

async function listen(certificates: Readonly<Record<string, ServerCertificate>>): Promise<TlsPeer> {
  try {
    return await startTlsServer(certificates, { port: HTTPS_PORT, serve: serveIcons });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'EACCES' && code !== 'EADDRINUSE') throw error;
    return startTlsServer(certificates, { serve: serveIcons });
  }
}
