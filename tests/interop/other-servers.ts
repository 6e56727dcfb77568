import { freePort } from '../kit/product/app.ts';
import { idsOf, startDaemon } from './daemon.ts';
import type { Endpoint, ServerKind } from './servers.ts';

const ADDRESS = '127.0.0.1';
/** XMPP servers accept other servers on this port only, so the test needs an address where it is free. */
const SERVER_TO_SERVER = { address: '127.0.0.77', port: 5269 };
/** Port of direct TLS for XMPP clients; on other ports they begin in plain text. */
const DIRECT = { address: '127.0.0.77', port: 5223 };

export const slapd: ServerKind = {
  name: 'slapd',
  packages: ['slapd'],
  async start(files) {
    const [plain, implicit] = [await freePort(), await freePort()];
    const configuration = files.write(
      'slapd.conf',
      `include /etc/ldap/schema/core.schema
pidfile ${files.folder}/slapd.pid
argsfile ${files.folder}/slapd.args
TLSCertificateFile ${files.certificateFile}
TLSCertificateKeyFile ${files.keyFile}
TLSCACertificateFile ${files.rootFile}
TLSVerifyClient never
`,
    );
    files.changeOwner('openldap');
    const endpoints: Endpoint[] = [
      { protocol: 'ldap', address: ADDRESS, port: plain },
      { protocol: 'tls', address: ADDRESS, port: implicit },
    ];
    const addresses = `ldap://${ADDRESS}:${plain}/ ldaps://${ADDRESS}:${implicit}/`;
    const daemon = await startDaemon(
      ['slapd', '-d', '0', '-f', configuration, '-h', addresses, '-u', 'openldap', '-g', 'openldap'],
      { cwd: files.folder, listensOn: endpoints },
    );
    return { ...daemon, endpoints };
  },
};

export const vsftpd: ServerKind = {
  name: 'vsftpd',
  packages: ['vsftpd'],
  async start(files) {
    const endpoints: Endpoint[] = [{ protocol: 'ftp', address: ADDRESS, port: await freePort() }];
    const configuration = files.write(
      'vsftpd.conf',
      `listen=YES
listen_address=${ADDRESS}
listen_port=${endpoints[0]?.port}
background=NO
seccomp_sandbox=NO
anonymous_enable=NO
local_enable=YES
secure_chroot_dir=${files.makeFolder('empty')}
ssl_enable=YES
ssl_ciphers=HIGH
rsa_cert_file=${files.certificateFile}
rsa_private_key_file=${files.keyFile}
`,
    );
    const daemon = await startDaemon(['vsftpd', configuration], { cwd: files.folder, listensOn: endpoints });
    return { ...daemon, endpoints };
  },
};

export const prosody: ServerKind = {
  name: 'prosody',
  packages: ['prosody', 'lua-sec'],
  async start(files, host) {
    const client = { address: ADDRESS, port: await freePort() };
    const tls = `ssl = { certificate = "${files.certificateFile}"; key = "${files.keyFile}" }`;
    const configuration = files.write(
      'prosody.cfg.lua',
      `data_path = "${files.makeFolder('data')}"
pidfile = "${files.folder}/prosody.pid"
log = { error = "*stdout" }
modules_enabled = { "tls", "saslauth", "disco" }
c2s_interfaces = { "${ADDRESS}" }
c2s_ports = { ${client.port} }
c2s_direct_tls_interfaces = { "${DIRECT.address}" }
c2s_direct_tls_ports = { ${DIRECT.port} }
s2s_interfaces = { "${SERVER_TO_SERVER.address}" }
s2s_ports = { ${SERVER_TO_SERVER.port} }
http_ports = {}
https_ports = {}
c2s_require_encryption = true
${tls}
VirtualHost "${host}"
  ${tls}
`,
    );
    files.changeOwner('prosody');
    const endpoints: Endpoint[] = [
      { protocol: 'xmpp', ...client },
      { protocol: 'xmpp-server', ...SERVER_TO_SERVER },
      { protocol: 'tls', ...DIRECT },
    ];
    const daemon = await startDaemon(['prosody', '--config', configuration, '-F'], {
      ...idsOf('prosody'),
      cwd: files.folder,
      listensOn: endpoints,
    });
    return { ...daemon, endpoints };
  },
};

export const nginx: ServerKind = {
  name: 'nginx',
  packages: ['nginx-light'],
  async start(files, host) {
    const open = { protocol: 'https' as const, address: ADDRESS, port: await freePort() };
    // Requires a client certificate: nginx completes the handshake and answers 400.
    const guarded = { protocol: 'https' as const, address: ADDRESS, port: await freePort() };
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
error_log ${files.folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${files.makeFolder('body')};
  ${site(open.port, '')}
  ${site(guarded.port, verify)}
}
`,
    );
    const daemon = await startDaemon(['nginx', '-c', configuration], {
      cwd: files.folder,
      listensOn: [open, guarded],
    });
    return { ...daemon, endpoints: [open, guarded] };
  },
};
