import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { selfSigned } from '../../tests/kit/certificates/mint.ts';
import { startDaemon } from '../../tests/kit/machine/daemon.ts';
import { listening } from '../../tests/kit/peers/tls-server.ts';
import type { Solve } from './acme-client.ts';
import { ADDRESSES, SHARED_ZONE, type World } from './worlds.ts';

const ACME_PORT = 14_000;

/** Starts Pebble, which resolves names with this DNS server and validates at ports 80 and 443. Returns the URL of its directory. */
export async function startPebble(
  folder: string,
  dnsServer: string,
): Promise<{ directory: string; stop(): Promise<void> }> {
  const own = selfSigned({ dnsNames: ['localhost'] });
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const pebble = {
    listenAddress: `127.0.0.1:${ACME_PORT}`,
    managementListenAddress: '127.0.0.1:15000',
    certificate: file('pebble.pem', own.certificatePem),
    privateKey: file('pebble.key', own.keyPem),
    httpPort: 80,
    tlsPort: 443,
  };
  const config = file('pebble.json', JSON.stringify({ pebble }));
  const server = await startDaemon(['pebble', '-config', config, '-dnsserver', dnsServer], {
    cwd: folder,
    // Pebble would otherwise wait before it validates, refuse good nonces, and reuse half of the validations.
    env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0' },
    listensOn: [{ address: '127.0.0.1', port: ACME_PORT }],
  });
  return { directory: `https://127.0.0.1:${ACME_PORT}/dir`, stop: () => server.stop() };
}

/** Starts the web servers and a mail server at port 80. `tokens`: key authorizations by token. */
export async function startWebServers(
  worlds: readonly World[],
  tokens: ReadonlyMap<string, string>,
): Promise<{ stop(): Promise<void> }> {
  const behaviours = new Map(worlds.flatMap((world) => [...world.behaviours]));
  const web = ([4, 6] as const).map((family) =>
    listening(
      createServer((request, response) => {
        const { url = '' } = request;
        const host = (request.headers.host ?? '').replace(/:\d+$/, '');
        const redirect = (location: string): void => void response.writeHead(302, { location }).end();
        switch (behaviours.get(host)?.[family] ?? 'acme') {
          case 'redirect_port':
            return redirect(`http://${host}:8080${url}`);
          case 'redirect_scheme':
            return redirect(`ftp://${host}${url}`);
          case 'redirect_loop':
            return redirect(`http://${host}${url}`);
          case 'acme': {
            const found = tokens.get(url.split('/').at(-1) ?? '');
            return void response.writeHead(found === undefined ? 404 : 200).end(found);
          }
        }
      }),
      ADDRESSES.web[family],
      80,
    ),
  );
  const mail = ([4, 6] as const).map((family) =>
    listening(
      createTcpServer((socket) =>
        socket.on('error', () => socket.destroy()).end('220 mail.example ESMTP\r\n'),
      ),
      ADDRESSES.mail[family],
      80,
    ),
  );
  const peers = await Promise.all([...web, ...mail]);
  return { stop: async () => void (await Promise.all(peers.map((peer) => peer.stop()))) };
}

/** Returns a function that solves challenges with the web servers, or by updates of the zones in BIND. */
export function createSolver(bind: string, world: World, tokens: Map<string, string>): Solve {
  return async ({ method, name, token, keyAuthorization }) => {
    if (method === 'http-01') {
      tokens.set(token, keyAuthorization);
      return async () => void tokens.delete(token);
    }
    const digest = createHash('sha256').update(keyAuthorization).digest('base64url');
    const records = world.zones.map(({ records: text }) => text).join('\n');
    const host = `_acme-challenge.${name}.`;
    const target = new RegExp(`^${host.replaceAll('.', '\\.')} CNAME (.*)$`, 'm').exec(records)?.[1] ?? host;
    const zone = target === host ? world.site.domain : SHARED_ZONE;
    await update(bind, [`zone ${zone}.`, `update add ${target} 1 TXT "${digest}"`]);
    return () => update(bind, [`zone ${zone}.`, `update delete ${target} TXT "${digest}"`]);
  };
}

/** Sends an update to BIND (RFC 2136). An update that BIND refuses leaves the zone as it is, so that the order fails. */
async function update(bind: string, lines: readonly string[]): Promise<void> {
  const [address = '', port = ''] = bind.split(':');
  const child = spawn('nsupdate', ['-v'], { stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end(`server ${address} ${port}\n${lines.join('\n')}\nsend\n`);
  await once(child, 'close');
}
