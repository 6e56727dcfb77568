import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Peer, type ServerCertificate, startTlsServer } from './tls-server.ts';

export type AriHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A CA's directory (RFC 8555 §7.1.1) and its renewal information (RFC 9773), which Debian's Pebble 2.4 does not have. */
export interface AriServer extends Peer {
  directoryUrl: string;
  /** Paths of all requests, oldest first. */
  asked: string[];
  /** How the server answers. Tests replace them. */
  directory: AriHandler;
  renewalInfo: AriHandler;
}

/** Starts the service at 127.0.0.1. Its answers name no window until a test sets `renewalInfo`. */
export async function startAriServer(certificate: ServerCertificate): Promise<AriServer> {
  const peer = await startTlsServer(
    { '*': certificate },
    {
      serve(request, response) {
        server.asked.push(request.url ?? '');
        (request.url === '/directory' ? server.directory : server.renewalInfo)(request, response);
      },
    },
  );
  const origin = `https://127.0.0.1:${peer.port}`;
  const server: AriServer = {
    port: peer.port,
    directoryUrl: `${origin}/directory`,
    asked: [],
    directory: ariJson({ renewalInfo: `${origin}/renewal-info/` }),
    renewalInfo: ariJson({}, 404),
    stop: () => peer.stop(),
  };
  return server;
}

export function ariJson(content: unknown, status = 200, headers = {}): AriHandler {
  return (_, response) => response.writeHead(status, headers).end(JSON.stringify(content));
}
