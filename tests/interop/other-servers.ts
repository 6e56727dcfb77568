import { freePort } from '../kit/app.ts';
import { idsOf, startDaemon } from './daemon.ts';
import type { Entrance, ServerKind } from './servers.ts';

const ADDRESS = '127.0.0.1';
/** Servers talk to each other on one port only; nobody else listens to it here. */
const BETWEEN_SERVERS = { address: '127.0.0.77', port: 5269 };

export const slapd: ServerKind = {
  name: 'slapd',
  packages: ['slapd'],
  async start(quarters) {
    const [plain, implicit] = [await freePort(), await freePort()];
    const configuration = quarters.write(
      'slapd.conf',
      `include /etc/ldap/schema/core.schema
pidfile ${quarters.folder}/slapd.pid
argsfile ${quarters.folder}/slapd.args
TLSCertificateFile ${quarters.certificateFile}
TLSCertificateKeyFile ${quarters.keyFile}
TLSCACertificateFile ${quarters.rootFile}
TLSVerifyClient never
`,
    );
    quarters.giveTo('openldap');
    const entrances: Entrance[] = [
      { protocol: 'ldap', address: ADDRESS, port: plain },
      { protocol: 'tls', address: ADDRESS, port: implicit },
    ];
    const addresses = `ldap://${ADDRESS}:${plain}/ ldaps://${ADDRESS}:${implicit}/`;
    const daemon = await startDaemon(
      ['slapd', '-d', '0', '-f', configuration, '-h', addresses, '-u', 'openldap', '-g', 'openldap'],
      { cwd: quarters.folder, listens: entrances },
    );
    return { ...daemon, entrances };
  },
};

export const vsftpd: ServerKind = {
  name: 'vsftpd',
  packages: ['vsftpd'],
  async start(quarters) {
    const entrances: Entrance[] = [{ protocol: 'ftp', address: ADDRESS, port: await freePort() }];
    const configuration = quarters.write(
      'vsftpd.conf',
      `listen=YES
listen_address=${ADDRESS}
listen_port=${entrances[0]?.port}
background=NO
seccomp_sandbox=NO
anonymous_enable=NO
local_enable=YES
secure_chroot_dir=${quarters.makeFolder('empty')}
ssl_enable=YES
ssl_ciphers=HIGH
rsa_cert_file=${quarters.certificateFile}
rsa_private_key_file=${quarters.keyFile}
`,
    );
    const daemon = await startDaemon(['vsftpd', configuration], { cwd: quarters.folder, listens: entrances });
    return { ...daemon, entrances };
  },
};

export const prosody: ServerKind = {
  name: 'prosody',
  packages: ['prosody', 'lua-sec'],
  async start(quarters, host) {
    const client = { address: ADDRESS, port: await freePort() };
    const tls = `ssl = { certificate = "${quarters.certificateFile}"; key = "${quarters.keyFile}" }`;
    const configuration = quarters.write(
      'prosody.cfg.lua',
      `data_path = "${quarters.makeFolder('data')}"
pidfile = "${quarters.folder}/prosody.pid"
log = { error = "*stdout" }
modules_enabled = { "tls", "saslauth", "disco" }
c2s_interfaces = { "${ADDRESS}" }
c2s_ports = { ${client.port} }
s2s_interfaces = { "${BETWEEN_SERVERS.address}" }
s2s_ports = { ${BETWEEN_SERVERS.port} }
http_ports = {}
https_ports = {}
c2s_require_encryption = true
${tls}
VirtualHost "${host}"
  ${tls}
`,
    );
    quarters.giveTo('prosody');
    const entrances: Entrance[] = [
      { protocol: 'xmpp', ...client },
      { protocol: 'xmpp', ...BETWEEN_SERVERS },
    ];
    const daemon = await startDaemon(['prosody', '--config', configuration, '-F'], {
      ...idsOf('prosody'),
      cwd: quarters.folder,
      listens: entrances,
    });
    return { ...daemon, entrances };
  },
};

export const nginx: ServerKind = {
  name: 'nginx',
  packages: ['nginx-light'],
  async start(quarters, host) {
    const open = { protocol: 'https' as const, address: ADDRESS, port: await freePort() };
    // Requires a client certificate: nginx completes the handshake and answers 400.
    const guarded = { protocol: 'https' as const, address: ADDRESS, port: await freePort() };
    const site = (port: number, more: string): string => `server {
    listen ${ADDRESS}:${port} ssl;
    server_name ${host};
    ssl_certificate ${quarters.certificateFile};
    ssl_certificate_key ${quarters.keyFile};
    ${more}
    location / { return 204; }
  }`;
    const verify = `ssl_protocols TLSv1.2; ssl_verify_client on; ssl_client_certificate ${quarters.rootFile};`;
    const configuration = quarters.write(
      'nginx.conf',
      `daemon off;
pid ${quarters.folder}/nginx.pid;
error_log ${quarters.folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${quarters.makeFolder('body')};
  ${site(open.port, '')}
  ${site(guarded.port, verify)}
}
`,
    );
    const daemon = await startDaemon(['nginx', '-c', configuration], {
      cwd: quarters.folder,
      listens: [open, guarded],
    });
    return { ...daemon, entrances: [open, guarded] };
  },
};
