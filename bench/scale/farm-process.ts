import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type DnsEntry, startDnsServer } from '../../scripts/local-peers/dns-server.ts';
import { mintAuthority } from '../../scripts/local-peers/mint.ts';
import { FARM_DOMAIN, type FarmReady, ZONES } from './farm.ts';

// Serves HTTPS on all addresses of 127.0.0.0/8, and DNS that gives each host name an address of its own.

const SLOW_MS = 3_000;

const root = mintAuthority();
const intermediate = root.intermediate();
const contexts = Array.from({ length: ZONES }, (_, zone): SecureContext => {
  const leaf = intermediate.issue({ dnsNames: [`*.z${zone}.${FARM_DOMAIN}`] });
  return createSecureContext({
    key: leaf.keyPem,
    cert: leaf.certificatePem + leaf.chainPem,
    ecdhCurve: 'X25519:P-256',
  });
});

const server = createServer(
  {
    SNICallback(name, answer) {
      const [host = '', zone = ''] = name.split('.');
      const context = contexts[Number(zone.slice(1))];
      // One host in a hundred is slow, so that some checks are always running.
      if (host.endsWith('77')) setTimeout(answer, SLOW_MS, null, context);
      else answer(null, context);
    },
  },
  (_, response) => void response.writeHead(200, { connection: 'close' }).end('Here.'),
);
server.on('tlsClientError', () => undefined);
server.listen(0, '0.0.0.0', 4_096);
await once(server, 'listening');

/** DNS entries of all hosts. The address of a host is computed from its number. */
class Names extends Map<string, DnsEntry> {
  override get(name: string): DnsEntry {
    const index = Number(/^h(\d+)\./.exec(name)?.[1] ?? Number.NaN);
    if (!name.endsWith(`.${FARM_DOMAIN}`) || !Number.isInteger(index)) return { answer: 'nxdomain' };
    const address = `127.${1 + ((index >> 16) & 127)}.${(index >> 8) & 255}.${index & 255}`;
    return { addresses: [address], ttlSeconds: 60 };
  }
}

const dns = await startDnsServer();
dns.entries = new Names();
// Discard the questions that this name server records for tests, because they would fill the memory.
dns.onQuestion = () => void (dns.questions.length = 0);
const ready: FarmReady = {
  port: (server.address() as AddressInfo).port,
  dns: dns.address,
  rootPem: root.certificatePem,
};
process.send?.(ready);
process.on('disconnect', () => process.exit());
