import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSecureContext, createServer, type SecureContext, type TLSSocket } from 'node:tls';
import { type DnsEntry, startDnsServer } from '../../tests/kit/peers/dns-server.ts';
import { HOSTILE_CHAINS } from '../../tests/kit/certificates/hostile-chains.ts';
import { mintAuthority, type MintedCertificate } from '../../tests/kit/certificates/mint.ts';

// Serves the worst certificate chains over TLS on all addresses of 127.0.0.0/8. `*.c3.hostile.test` serves the fourth chain,
// the twenty addresses of `*.all.hostile.test` serve all chains in turn, and `good.test` serves a valid chain.

export interface HostileReady {
  port: number;
  dns: string;
  rootPem: string;
  names: string[];
}

const ADDRESSES = 20;

const root = mintAuthority();
const contextOf = ([leaf, ...others]: readonly MintedCertificate[]): SecureContext =>
  createSecureContext({
    key: leaf?.keyPem,
    cert: [leaf, ...others].map((one) => one?.certificatePem).join(''),
  });
const contexts = Object.values(HOSTILE_CHAINS).map((mint) => contextOf(mint(root)));
const good = root.intermediate().issue({ dnsNames: ['good.test'] });
const goodContext = contextOf([good, ...good.chain]);

const server = createServer({
  SNICallback(this: TLSSocket, name, answer) {
    const kind = name.split('.').at(-3) ?? '';
    const last = Number(this.localAddress?.split('.').at(-1) ?? 0);
    const index = kind === 'all' ? last % contexts.length : Number(kind.slice(1));
    answer(null, name === 'good.test' ? goodContext : contexts[index]);
  },
});
server.on('tlsClientError', () => undefined);
server.on('secureConnection', (socket) => socket.on('error', () => socket.destroy()).resume());
server.listen(0, '0.0.0.0', 4_096);
await once(server, 'listening');

class Names extends Map<string, DnsEntry> {
  override get(name: string): DnsEntry {
    if (!name.endsWith('.all.hostile.test')) return { addresses: ['127.0.0.1'] };
    return { addresses: Array.from({ length: ADDRESSES }, (_, index) => `127.0.0.${index + 2}`) };
  }
}

const dns = await startDnsServer();
dns.entries = new Names();
dns.onQuestion = () => void (dns.questions.length = 0);
const ready: HostileReady = {
  port: (server.address() as AddressInfo).port,
  dns: dns.address,
  rootPem: root.certificatePem,
  names: Object.keys(HOSTILE_CHAINS),
};
process.send?.(ready);
process.on('disconnect', () => process.exit());
