import { programOfDebianPackage } from '../../kit/machine/debian-package.ts';
import { freePort } from '../../kit/product/app.ts';
import { hasUser, run, STANDARD_PORT_ADDRESS, startDaemon } from '../../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from '../servers.ts';
import { converse } from '../traces.ts';

const ADDRESS = '127.0.0.1';
const DIRECT = { address: STANDARD_PORT_ADDRESS, port: 465 };

/**
 * Exim as many mail servers run it. It greets after four seconds, which drives spammers away, refuses clients whose EHLO name
 * is not that of their address, and has a second certificate, with an RSA key. Its package is only unpacked, because
 * installing it would remove Postfix.
 */
export const exim: ServerKind = {
  name: 'exim',
  packages: [],
  unpacked: ['exim4-daemon-light'],
  async start(files, _host, expiredRsa) {
    const program = programOfDebianPackage('exim4-daemon-light', 'usr/sbin/exim4');
    if (program === null) throw new Error('exim4-daemon-light could not be unpacked');
    // Exim's package creates this user, without which it does not start.
    if (!hasUser('Debian-exim')) run(['useradd', '--system', '--shell', '/usr/sbin/nologin', 'Debian-exim']);
    const port = await freePort();
    const log = `${files.folder}/mainlog`;
    const rsaFile = files.write('rsa.pem', expiredRsa.certificatePem + expiredRsa.chainPem);
    const rsaKeyFile = files.write('rsa.key', expiredRsa.keyPem);
    const configuration = files.write(
      'exim.conf',
      `spool_directory = ${files.makeFolder('spool')}
log_file_path = ${files.folder}/%slog
log_selector = +smtp_connection +smtp_protocol_error +smtp_syntax_error +tls_certificate_verified +tls_peerdn
local_interfaces = ${ADDRESS}.${port} : ${DIRECT.address}.${DIRECT.port}
tls_on_connect_ports = ${DIRECT.port}
helo_verify_hosts = *
tls_advertise_hosts = *
tls_certificate = ${files.certificateFile} : ${rsaFile}
tls_privatekey = ${files.keyFile} : ${rsaKeyFile}
tls_require_ciphers = NORMAL:+VERS-TLS1.0:+VERS-TLS1.1
acl_smtp_connect = greet
acl_smtp_rcpt = refuse
begin acl
greet:
  accept delay = 4s
refuse:
  deny local_parts = dnsbl
       message = in a dnsbl
  deny message = relay not permitted
`,
    );
    files.changeOwner('Debian-exim');
    run(['chown', 'root', configuration]);
    const plain: Endpoint = { protocol: 'smtp', address: ADDRESS, port, servesExpiredRsa: true };
    const endpoints: Endpoint[] = [plain, { protocol: 'tls', ...DIRECT, servesExpiredRsa: true }];
    const daemon = await startDaemon([program, '-C', configuration, '-bdf'], {
      cwd: files.folder,
      listensOn: endpoints,
    });
    const mailTo = (recipient: string): Promise<void> =>
      converse(plain, [`EHLO [${ADDRESS}]`, 'MAIL FROM:<a@bad.test>', `RCPT TO:<${recipient}>`, 'QUIT']);
    const relay = (): Promise<void> => mailTo('b@other.test');
    const traces = {
      log,
      filters: { exim: relay, 'exim[mode=aggressive]': relay, 'exim-spam': () => mailTo('dnsbl@other.test') },
      errors:
        /unexpected disconnection|TLS error|synchronization error|SMTP connection from .* lost|rejected EHLO/,
    };
    return { ...daemon, endpoints, traces };
  },
};
