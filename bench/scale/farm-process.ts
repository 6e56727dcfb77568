import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { startCaServer } from '../../tests/kit/peers/ca-server.ts';
import { type DnsEntry, startDnsServer } from '../../tests/kit/peers/dns-server.ts';
import { mintAuthority, mintKey } from '../../tests/kit/certificates/mint.ts';
import { mintCrl } from '../../tests/kit/certificates/mint-crl.ts';
import { mintOcspResponse } from '../../tests/kit/certificates/mint-ocsp.ts';
import { addressOf, FARM_DOMAIN, type FarmReady } from './farm.ts';

// Serves HTTPS on all addresses of 127.0.0.0/8, the answers of its authority, and DNS that gives each host name an address of its
// own. Each host has a certificate of its own, which is minted at its first handshake and then stays the same.

const SLOW_MS = 3_000;

const ca = await startCaServer();
const root = mintAuthority();
const issuer = root.intermediate();
const aia = ca.issuer('/issuer.cer', issuer.der);
const crl = ca.crl('/issuer.crl', mintCrl(issuer));
// All leaf certificates have one key, because generating keys would take longer than everything else.
const key = mintKey();

/** Returns the number of the host, or null for a name outside of the farm. */
function numberOf(name: string): number | null {
  const number = /^h(\d+)\./.exec(name)?.[1];
  return number !== undefined && name.endsWith(`.${FARM_DOMAIN}`) ? Number(number) : null;
}

/**
 * Mints a host's certificate. One in four names a CRL, one in eight an OCSP responder, and every second one the address of
 * its issuer's certificate.
 */
function mint(name: string, index: number): string {
  const serialNumber = BigInt(index + 1);
  const url =
    index % 8 === 1 ? ca.ocsp(`/ocsp/${index}`, () => mintOcspResponse(issuer, { serialNumber })) : null;
  const leaf = issuer.issue({
    key,
    serialNumber,
    dnsNames: [name],
    ...(index % 2 === 0 && { caIssuersUrls: [aia] }),
    ...(index % 4 === 0 && { crlUrls: [crl] }),
    ...(url !== null && { ocspUrls: [url] }),
  });
  return leaf.certificatePem;
}

const certificates = new Map<string, string>();

function contextOf(name: string): SecureContext {
  const certificate = certificates.get(name) ?? mint(name, numberOf(name) ?? 0);
  certificates.set(name, certificate);
  const cert = certificate + issuer.certificatePem;
  return createSecureContext({
    key: key.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert,
    ecdhCurve: 'X25519:P-256',
  });
}

const server = createServer(
  {
    SNICallback(name, answer) {
      const context = contextOf(name);
      // One host in a hundred is slow, so that some checks are always running.
      if (name.split('.')[0]?.endsWith('77')) setTimeout(answer, SLOW_MS, null, context);
      else answer(null, context);
    },
  },
  (_, response) => void response.writeHead(200, { connection: 'close' }).end('Here.'),
);
server.on('tlsClientError', () => undefined);
server.listen(0, '0.0.0.0', 4_096);
await once(server, 'listening');

/** DNS entries of all hosts. One host in twenty has two addresses. */
class Names extends Map<string, DnsEntry> {
  override get(name: string): DnsEntry {
    const index = numberOf(name);
    if (index === null) return { answer: 'nxdomain' };
    const addresses = [addressOf(index), ...(index % 20 === 5 ? [addressOf(index, 128)] : [])];
    return { addresses, ttlSeconds: 60 };
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
