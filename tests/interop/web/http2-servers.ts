import { readFileSync } from 'node:fs';
import { selfSigned } from '../../kit/certificates/mint.ts';
import { freePort } from '../../kit/product/app.ts';
import { startDaemon } from '../../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from '../servers.ts';

const ADDRESS = '127.0.0.1';

const site = async (more: Partial<Endpoint>): Promise<Endpoint> => ({
  protocol: 'https',
  address: ADDRESS,
  port: await freePort(),
  ...more,
});

/** A server that speaks only HTTP/2, and closes connections without ALPN. */
export const nghttpd: ServerKind = {
  name: 'nghttpd',
  packages: ['nghttp2-server'],
  async start(files) {
    const only = await site({ alpn: 'h2' });
    const pages = files.makeFolder('pages');
    files.write('pages/index.html', 'hello');
    const daemon = await startDaemon(
      ['nghttpd', '-a', ADDRESS, '-d', pages, String(only.port), files.keyFile, files.certificateFile],
      { cwd: files.folder, listensOn: [only] },
    );
    return { ...daemon, endpoints: [only] };
  },
};

/** HAProxy with one port that speaks only HTTP/2, and one that rejects clients without ALPN. */
export const haproxy: ServerKind = {
  name: 'haproxy',
  packages: ['haproxy'],
  async start(files) {
    const only = await site({ alpn: 'h2' });
    const strict = await site({ alpn: 'h2' });
    const both = readFileSync(files.certificateFile, 'utf8') + readFileSync(files.keyFile, 'utf8');
    const certificate = files.write('both.key', both);
    const frontend = ({ port }: Endpoint, options: string, rule = ''): string => `frontend f${port}
  bind ${ADDRESS}:${port} ssl crt ${certificate} ${options}
  ${rule}
  http-request return status 204
`;
    const configuration = files.write(
      'haproxy.cfg',
      `defaults
  mode http
  timeout client 10s
  timeout connect 10s
  timeout server 10s
${frontend(only, 'alpn h2 proto h2')}
${frontend(strict, 'alpn h2,http/1.1', 'tcp-request session reject if !{ ssl_fc_alpn -m found }')}
`,
    );
    const endpoints = [only, strict];
    const daemon = await startDaemon(['haproxy', '-db', '-f', configuration], {
      cwd: files.folder,
      listensOn: endpoints,
    });
    return { ...daemon, endpoints };
  },
};

/** The layout of Jitsi's package: nginx sends clients that offer HTTP by ALPN to the website, and all others to coturn. */
export const sharedPort: ServerKind = {
  name: 'nginx+coturn',
  packages: ['nginx-light', 'libnginx-mod-stream', 'coturn'],
  async start(files, host) {
    const shared = await site({ alpn: 'h2', otherWithoutAlpn: 'turn.interop.test' });
    const web = { address: ADDRESS, port: await freePort() };
    const turn = { address: ADDRESS, port: await freePort() };
    const relay = selfSigned({ dnsNames: ['turn.interop.test'], commonName: 'turn.interop.test' });
    const relayConfiguration = files.write(
      'turnserver.conf',
      `listening-ip=${ADDRESS}
listening-port=${await freePort()}
tls-listening-port=${turn.port}
cert=${files.write('turn.pem', relay.certificatePem)}
pkey=${files.write('turn.key', relay.keyPem)}
pidfile=${files.folder}/turn.pid
userdb=${files.folder}/turn.db
log-file=stdout
no-auth
no-cli
no-dtls
no-udp
`,
    );
    const coturn = await startDaemon(['turnserver', '-c', relayConfiguration], {
      cwd: files.folder,
      listensOn: [turn],
    });
    const configuration = files.write(
      'nginx.conf',
      `load_module /usr/lib/nginx/modules/ngx_stream_module.so;
daemon off;
pid ${files.folder}/nginx.pid;
error_log ${files.folder}/error.log;
events {}
stream {
  map $ssl_preread_alpn_protocols $service {
    ~\\bh2\\b ${ADDRESS}:${web.port};
    ~\\bhttp/1\\. ${ADDRESS}:${web.port};
    default ${ADDRESS}:${turn.port};
  }
  server {
    listen ${ADDRESS}:${shared.port};
    ssl_preread on;
    proxy_pass $service;
  }
}
http {
  access_log off;
  client_body_temp_path ${files.makeFolder('body')};
  server {
    listen ${ADDRESS}:${web.port} ssl http2;
    server_name ${host};
    ssl_certificate ${files.certificateFile};
    ssl_certificate_key ${files.keyFile};
    location / { return 204; }
  }
}
`,
    );
    try {
      const nginx = await startDaemon(['nginx', '-c', configuration], {
        cwd: files.folder,
        listensOn: [shared, web],
      });
      return {
        endpoints: [shared],
        async stop() {
          await nginx.stop();
          await coturn.stop();
        },
      };
    } catch (error) {
      await coturn.stop();
      throw error;
    }
  },
};
