import { freePort } from '../../kit/product/app.ts';
import { startDaemon } from '../../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from '../servers.ts';
import { converse } from '../traces.ts';

const ADDRESS = '127.0.0.1';

export const nginx: ServerKind = {
  name: 'nginx',
  packages: ['nginx-light'],
  async start(files, host) {
    const open: Endpoint = { protocol: 'https', address: ADDRESS, port: await freePort() };
    // Requires a client certificate: nginx completes the handshake and answers 400, as to every client without one.
    const guarded: Endpoint = {
      protocol: 'https',
      address: ADDRESS,
      port: await freePort(),
      matchesEach: 'nginx-bad-request',
    };
    const plain = { address: ADDRESS, port: await freePort() };
    // Errors and requests go to one file, because each filter reads only the lines that it knows.
    const log = `${files.folder}/nginx.log`;
    const site = (port: number, more: string): string => `server {
    listen ${ADDRESS}:${port} ssl;
    server_name ${host};
    ssl_certificate ${files.certificateFile};
    ssl_certificate_key ${files.keyFile};
    ${more}
    location / { return 204; }
  }`;
    const verify = `ssl_protocols TLSv1.2; ssl_verify_client on; ssl_client_certificate ${files.rootFile};`;
    const configuration = files.write(
      'nginx.conf',
      `daemon off;
pid ${files.folder}/nginx.pid;
error_log ${log} info;
events {}
http {
  access_log ${log};
  client_body_temp_path ${files.makeFolder('body')};
  ${site(open.port, '')}
  ${site(guarded.port, verify)}
  server {
    listen ${plain.address}:${plain.port};
    root ${files.makeFolder('pages')};
    location /private/ { auth_basic "private"; auth_basic_user_file ${files.write('passwords', '')}; }
  }
}
`,
    );
    const daemon = await startDaemon(['nginx', '-c', configuration], {
      cwd: files.folder,
      listensOn: [open, guarded, plain],
    });
    const request =
      (path: string, ...headers: string[]) =>
      () =>
        converse(plain, [[`GET ${path} HTTP/1.0`, ...headers, ''].join('\r\n')], { speaksFirst: true });
    const login = request('/private/', 'Host: bad.test', 'Authorization: Basic eDp5');
    const traces = {
      log,
      filters: {
        'nginx-http-auth': login,
        'nginx-http-auth[mode=aggressive]': login,
        'nginx-bad-request': request('/ bad'),
        'nginx-botsearch': request('/phpMyAdmin/'),
      },
      errors: /\[(?:warn|error|crit|alert|emerg)\]/,
    };
    return { ...daemon, endpoints: [open, guarded], traces };
  },
};
