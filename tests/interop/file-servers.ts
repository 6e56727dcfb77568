import { dirname } from 'node:path';
import { programOfDebianPackage } from '../kit/machine/debian-package.ts';
import { freePort } from '../kit/product/app.ts';
import { STANDARD_PORT_ADDRESS, startDaemon } from '../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from './servers.ts';
import { converse } from './traces.ts';

const ADDRESS = '127.0.0.1';
const DIRECT: Endpoint = { protocol: 'tls', address: STANDARD_PORT_ADDRESS, port: 990 };

const badLogin = (endpoint: Endpoint) => () => converse(endpoint, ['USER nobody', 'PASS wrong', 'QUIT']);

export const vsftpd: ServerKind = {
  name: 'vsftpd',
  packages: ['vsftpd'],
  async start(files) {
    const plain: Endpoint = { protocol: 'ftp', address: ADDRESS, port: await freePort() };
    const log = `${files.folder}/vsftpd.log`;
    const empty = files.makeFolder('empty');
    const configurationOf = ({ address, port }: Endpoint, more: string): string =>
      files.write(
        `vsftpd-${port}.conf`,
        `listen=YES
listen_address=${address}
listen_port=${port}
background=NO
seccomp_sandbox=NO
anonymous_enable=NO
local_enable=YES
force_local_logins_ssl=NO
secure_chroot_dir=${empty}
xferlog_enable=YES
xferlog_std_format=NO
vsftpd_log_file=${log}
ssl_ciphers=HIGH
rsa_cert_file=${files.certificateFile}
rsa_private_key_file=${files.keyFile}
${more}
`,
      );
    const withoutTls: Endpoint = {
      protocol: 'ftp',
      address: ADDRESS,
      port: await freePort(),
      fails: 'does not offer STARTTLS',
    };
    const endpoints = [plain, withoutTls, DIRECT];
    const start = (endpoint: Endpoint, more: string) =>
      startDaemon(['vsftpd', configurationOf(endpoint, more)], { cwd: files.folder, listensOn: [endpoint] });
    const daemons = [
      await start(plain, 'ssl_enable=YES'),
      await start(withoutTls, 'ssl_enable=NO'),
      await start(DIRECT, 'ssl_enable=YES\nimplicit_ssl=YES'),
    ];
    return {
      endpoints,
      traces: { log, filters: { vsftpd: badLogin(plain) }, errors: /error|lost/i },
      async stop() {
        for (const daemon of daemons) await daemon.stop();
      },
    };
  },
};

/** ProFTPD. Its package is only unpacked, because installing it would remove vsftpd. */
export const proftpd: ServerKind = {
  name: 'proftpd',
  packages: [],
  unpacked: ['proftpd-core', 'proftpd-mod-crypto'],
  async start(files) {
    const program = programOfDebianPackage('proftpd-core', 'usr/sbin/proftpd');
    const module = programOfDebianPackage('proftpd-mod-crypto', 'usr/lib/proftpd/mod_tls.so');
    if (program === null || module === null) throw new Error('proftpd could not be unpacked');
    const plain: Endpoint = { protocol: 'ftp', address: ADDRESS, port: await freePort() };
    const log = `${files.folder}/proftpd.log`;
    const tls = `TLSEngine on
TLSECCertificateFile ${files.certificateFile}
TLSECCertificateKeyFile ${files.keyFile}
TLSCertificateChainFile ${files.chainFile}`;
    const configuration = files.write(
      'proftpd.conf',
      `ModulePath ${dirname(module)}
LoadModule mod_tls.c
ServerType standalone
UseReverseDNS off
User nobody
Group nogroup
PidFile ${files.folder}/proftpd.pid
ScoreboardFile ${files.folder}/scoreboard
AuthOrder mod_auth_file.c
AuthUserFile ${files.write('passwd.key', '')}
DefaultAddress ${ADDRESS}
SocketBindTight on
Port ${plain.port}
${tls}
<VirtualHost ${DIRECT.address}>
  Port ${DIRECT.port}
  ${tls}
  TLSOptions UseImplicitSSL
</VirtualHost>
`,
    );
    const endpoints = [plain, DIRECT];
    const daemon = await startDaemon([program, '-n', '-c', configuration], {
      cwd: files.folder,
      output: log,
      listensOn: endpoints,
    });
    return {
      ...daemon,
      endpoints,
      traces: { log, filters: { proftpd: badLogin(plain) }, errors: /TLS.*error|fail/i },
    };
  },
};
