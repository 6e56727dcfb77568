import { dirname, join } from 'node:path';
import { programOfDebianPackage } from '../../kit/machine/debian-package.ts';
import { freePort } from '../../kit/product/app.ts';
import { hasUser, run, STANDARD_PORT_ADDRESS, startDaemon, SYSLOG } from '../../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from '../servers.ts';
import { converse } from '../traces.ts';

const ADDRESS = '127.0.0.1';
const DIRECT = { address: STANDARD_PORT_ADDRESS, port: 993 };
const USER = 'cyrus';

/** Cyrus. Its packages are only unpacked, because installing them would remove Dovecot. */
export const cyrus: ServerKind = {
  name: 'cyrus',
  packages: [...SYSLOG, 'libsasl2-modules-db'],
  unpacked: ['cyrus-common', 'cyrus-imapd', 'cyrus-pop3d'],
  async start(files, host) {
    const bin = (name: string, program: string): string => {
      const path = programOfDebianPackage(name, `usr/lib/cyrus/bin/${program}`);
      if (path === null) throw new Error(`${name} could not be unpacked`);
      return path;
    };
    const master = bin('cyrus-common', 'master');
    const libraries = join(dirname(master), '../../x86_64-linux-gnu');
    if (!hasUser(USER)) run(['useradd', '--system', '--gid', 'mail', '--shell', '/usr/sbin/nologin', USER]);
    const ports = { imap: await freePort(), pop3: await freePort(), sieve: await freePort() };
    const imapd = files.write(
      'imapd.conf',
      `configdirectory: ${files.makeFolder('config')}
partition-default: ${files.makeFolder('mail')}
defaultpartition: default
proc_path: ${files.makeFolder('proc')}
mboxname_lockpath: ${files.makeFolder('lock')}
idlesocket: ${files.folder}/idle
lmtpsocket: ${files.folder}/lmtp
sievedir: ${files.makeFolder('sieve')}
servername: ${host}
syslog_prefix: cyrus
allowplaintext: yes
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_mech_list: PLAIN
sasl_sasldb_path: ${files.folder}/sasldb2
tls_server_cert: ${files.certificateFile}
tls_server_key: ${files.keyFile}
`,
    );
    for (const name of ['db', 'log', 'proc', 'socket']) files.makeFolder(`config/${name}`);
    const service = (name: string, command: string, address: string, port: number): string =>
      `  ${name} cmd="${command} -C ${imapd}" listen="${address}:${port}" prefork=0\n`;
    const configuration = files.write(
      'cyrus.conf',
      `START {
  recover cmd="${bin('cyrus-common', 'ctl_cyrusdb')} -C ${imapd} -r"
}
SERVICES {
${service('imap', bin('cyrus-imapd', 'imapd'), ADDRESS, ports.imap)}
${service('imaps', `${bin('cyrus-imapd', 'imapd')} -s`, DIRECT.address, DIRECT.port)}
${service('pop3', bin('cyrus-pop3d', 'pop3d'), ADDRESS, ports.pop3)}
${service('sieve', bin('cyrus-common', 'timsieved'), ADDRESS, ports.sieve)}
}
EVENTS {
}
`,
    );
    files.changeOwner(USER);
    const at = (protocol: Endpoint['protocol'], port: number): Endpoint => ({
      protocol,
      address: ADDRESS,
      port,
    });
    const imap = at('imap', ports.imap);
    const sieve = at('sieve', ports.sieve);
    const endpoints: Endpoint[] = [imap, at('pop3', ports.pop3), sieve, { protocol: 'tls', ...DIRECT }];
    const log = `${files.folder}/syslog`;
    const daemon = await startDaemon(
      [master, '-C', imapd, '-M', configuration, '-p', `${files.folder}/pid`],
      {
        cwd: files.folder,
        env: { LD_LIBRARY_PATH: libraries },
        listensOn: endpoints,
        syslog: log,
      },
    );
    const wrong = Buffer.from('\0nobody\0wrong').toString('base64');
    const traces = {
      log,
      filters: {
        'cyrus-imap': () => converse(imap, ['a LOGIN nobody wrong', 'b LOGOUT']),
        sieve: () => converse(sieve, [`AUTHENTICATE "PLAIN" "${wrong}"`, 'LOGOUT']),
      },
      errors: /STARTTLS failed|TLS negotiation failed|SSL_accept|lost connection|Connection reset/,
    };
    return { ...daemon, endpoints, traces };
  },
};
