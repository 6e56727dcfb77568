import { mintAuthority } from '../../tests/kit/certificates/mint.ts';
import { HOSTILE_HTTP2 } from '../../tests/kit/peers/http2-peers.ts';
import { startTlsServer } from '../../tests/kit/peers/tls-server.ts';

// Serves every kind of hostile HTTP/2 server on a port of its own. Runs in a process of its own.

export interface Http2Ready {
  /** Ports in the order of `HOSTILE_HTTP2`. */
  ports: number[];
}

const leaf = mintAuthority().issue({ dnsNames: ['hostile.test'] });
const peers = await Promise.all(
  HOSTILE_HTTP2.map(([, manners]) => startTlsServer({ '*': leaf }, { ALPNProtocols: ['h2'], manners })),
);
const ready: Http2Ready = { ports: peers.map(({ port }) => port) };
process.send?.(ready);
