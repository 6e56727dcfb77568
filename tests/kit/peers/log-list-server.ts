import { createHash, type KeyObject, sign } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { createAddressPolicy } from '../../../server/egress/address-policy.ts';
import { createVerifiedTls } from '../../../server/egress/exchange.ts';
import { createResolver } from '../../../server/egress/resolver.ts';
import { createLogListSource } from '../../../server/probe/sources/log-list-source.ts';
import { mintAuthority, mintKey } from '../certificates/mint.ts';
import { startDnsServer } from './dns-server.ts';
import { listening } from './tls-server.ts';

const root = mintAuthority();
const HOST = 'lists.certs.test';
const server = root.issue({ dnsNames: [HOST] });
const googleKey = mintKey('RSA-2048');

/** What the server has at a path: a body, or how it answers. */
export type ListAnswer = string | Buffer | RequestListener;

/** An HTTPS server with lists of Certificate Transparency logs, and a source that fetches them. */
export interface LogListServer {
  /** The requests so far: the path, and the validators if the request is conditional. */
  requests: string[];
  url(path: string): URL;
  /** Serves a body with an ETag that changes with it, and answers 304 if the client has it. */
  serve(path: string, answer: ListAnswer): void;
  /** Serves a list with its signature. */
  serveSigned(path: string, body: string, key?: KeyObject): void;
  /** Creates a source that knows the server's authority and key. */
  createSource(
    options?: Partial<Parameters<typeof createLogListSource>[0]>,
  ): ReturnType<typeof createLogListSource>;
  stop(): Promise<void>;
}

export async function startLogListServer(): Promise<LogListServer> {
  const answers = new Map<string, ListAnswer>();
  const requests: string[] = [];
  const dns = await startDnsServer({ [HOST]: { addresses: ['127.0.0.1'] } });
  const peer = await listening(
    createServer({ cert: server.certificatePem, key: server.keyPem }, (request, response) => {
      const { url = '', headers } = request;
      const validator = headers['if-none-match'];
      requests.push(validator === undefined ? url : `${url} ${validator}`);
      const answer = answers.get(url);
      if (typeof answer === 'function') return answer(request, response);
      if (answer === undefined) return void response.writeHead(404).end();
      const etag = `"${createHash('sha256').update(answer).digest('hex')}"`;
      if (validator === etag) return void response.writeHead(304, { etag }).end();
      response.writeHead(200, { etag }).end(answer);
    }),
  );
  const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
  return {
    requests,
    url: (path) => new URL(`https://${HOST}:${peer.port}${path}`),
    serve: (path, answer) => void answers.set(path, answer),
    serveSigned(path, body, key = googleKey.privateKey) {
      answers.set(path, body);
      answers.set(path.replace(/\.json$/, '.sig'), sign('sha256', Buffer.from(body), key));
    },
    createSource: (options = {}) =>
      createLogListSource({
        resolver: createResolver({ servers: [dns.address], policy }),
        policy,
        secure: createVerifiedTls([root.certificatePem]),
        googleKey: googleKey.publicKey,
        ...options,
      }),
    async stop() {
      await Promise.all([peer.stop(), dns.stop()]);
    },
  };
}
