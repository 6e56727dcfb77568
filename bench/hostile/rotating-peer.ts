import { mintAuthority, type MintedCertificate } from '../../tests/kit/certificates/mint.ts';
import { startTlsServer } from '../../tests/kit/peers/tls-server.ts';

// Usage: node rotating-peer.ts HOST ADDRESS…
// Starts a TLS server on each address, all on one port, that serves a new chain in each handshake. Sends the port to
// the parent process and ends when the parent ends.

/** Number of CAs above the leaf. With `NAMES`, a chain is close to the 100 kB that OpenSSL accepts in a handshake. */
const CHAIN_LENGTH = 10;
const NAMES = { count: 32, length: 240 };

const [host = '', ...addresses] = process.argv.slice(2);
/** All certificates have this key: to differ, they need different bytes, not different keys. */
const { key } = mintAuthority();
let count = 0;
let port = 0;
for (const address of addresses) port = await start(address, port);
process.send?.(port);
process.on('disconnect', () => process.exit());

async function start(address: string, at: number): Promise<number> {
  const peer = await startTlsServer(
    { '*': nextChain() },
    { host: address, port: at, admit: async () => peer.setCertificate('*', nextChain()) },
  );
  return peer.port;
}

function nextChain(): MintedCertificate {
  const number = count++;
  const namesOf = (depth: number): string[] =>
    Array.from({ length: NAMES.count }, (_, index) => {
      const start = `${number}-${depth}-${index}.`;
      return `${start}${`${'x'.repeat(60)}.`.repeat(4).slice(0, NAMES.length - start.length - 5)}.test`;
    });
  let authority = mintAuthority({ key, commonName: `Root ${number}`, dnsNames: namesOf(0) });
  for (let depth = 1; depth < CHAIN_LENGTH; depth++)
    authority = authority.intermediate({
      key,
      commonName: `CA ${number}-${depth}`,
      dnsNames: namesOf(depth),
    });
  return authority.issue({ key, dnsNames: [host, ...namesOf(CHAIN_LENGTH)] });
}
