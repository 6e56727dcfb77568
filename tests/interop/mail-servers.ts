import { programOfDebianPackage } from '../kit/machine/debian-package.ts';
import { freePort } from '../kit/product/app.ts';
import { hasUser, run, startDaemon } from './daemon.ts';
import type { Endpoint, ServerKind } from './servers.ts';

const ADDRESS = '127.0.0.1';

export const postfix: ServerKind = {
  name: 'postfix',
  packages: ['postfix'],
  async start(files, host) {
    const [plain, implicit] = [await freePort(), await freePort()];
    const queue = files.makeFolder('queue');
    const data = files.makeFolder('data');
    run(['chown', 'postfix', data]);
    files.write(
      'main.cf',
      `compatibility_level = 3.6
queue_directory = ${queue}
data_directory = ${data}
myhostname = ${host}
mydestination =
inet_interfaces = ${ADDRESS}
inet_protocols = ipv4
smtpd_tls_security_level = may
smtpd_tls_chain_files = ${files.keyFile}, ${files.certificateFile}
smtpd_relay_restrictions = reject
`,
    );
    files.write(
      'master.cf',
      `${ADDRESS}:${plain} inet n - n - - smtpd
${ADDRESS}:${implicit} inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes
proxymap unix - - n - - proxymap
cleanup unix n - n - 0 cleanup
rewrite unix - - n - - trivial-rewrite
tlsmgr unix - - n 1000? 1 tlsmgr
anvil unix - - n - 1 anvil
`,
    );
    run(['postfix', '-c', files.folder, 'check']);
    const endpoints: Endpoint[] = [
      { protocol: 'smtp', address: ADDRESS, port: plain },
      { protocol: 'tls', address: ADDRESS, port: implicit },
    ];
    const daemon = await startDaemon(['/usr/lib/postfix/sbin/master', '-c', files.folder, '-d'], {
      cwd: files.folder,
      listensOn: endpoints,
    });
    return { ...daemon, endpoints };
  },
};

export const dovecot: ServerKind = {
  name: 'dovecot',
  packages: ['dovecot-imapd', 'dovecot-pop3d', 'dovecot-managesieved'],
  async start(files) {
    const ports = { imap: await freePort(), pop3: await freePort(), sieve: await freePort() };
    const implicit = await freePort();
    const configuration = files.write(
      'dovecot.conf',
      `protocols = imap pop3 sieve
listen = ${ADDRESS}
base_dir = ${files.makeFolder('run')}
state_dir = ${files.makeFolder('state')}
log_path = ${files.folder}/dovecot.log
ssl = yes
ssl_cert = <${files.certificateFile}
ssl_key = <${files.keyFile}
mail_location = maildir:${files.folder}/mail
passdb {
  driver = static
  args = nopassword=y
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=${files.folder}
}
service imap-login {
  inet_listener imap {
    port = ${ports.imap}
  }
  inet_listener imaps {
    port = ${implicit}
    ssl = yes
  }
}
service pop3-login {
  inet_listener pop3 {
    port = ${ports.pop3}
  }
  inet_listener pop3s {
    port = 0
  }
}
service managesieve-login {
  inet_listener sieve {
    port = ${ports.sieve}
  }
}
`,
    );
    const endpoints: Endpoint[] = [
      { protocol: 'imap', address: ADDRESS, port: ports.imap },
      { protocol: 'pop3', address: ADDRESS, port: ports.pop3 },
      { protocol: 'sieve', address: ADDRESS, port: ports.sieve },
      { protocol: 'tls', address: ADDRESS, port: implicit },
    ];
    const daemon = await startDaemon(['dovecot', '-F', '-c', configuration], {
      cwd: files.folder,
      listensOn: endpoints,
    });
    return { ...daemon, endpoints };
  },
};

/**
 * Exim as many mail servers run it: it greets after four seconds, which drives spammers away, and has a certificate for RSA keys
 * beside the usual one. Unpacked only, because its package would remove Postfix.
 */
export const exim: ServerKind = {
  name: 'exim',
  packages: ['libidn12', 'libgnutls-dane0', 'libnsl2', 'libpcre2-8-0', 'libdb5.3'],
  async start(files, _host, expiredRsa) {
    const program = programOfDebianPackage('exim4-daemon-light', 'usr/sbin/exim4');
    if (program === null) throw new Error('exim4-daemon-light could not be unpacked');
    // Exim's package creates this user, without which it does not start.
    if (!hasUser('Debian-exim')) run(['useradd', '--system', '--shell', '/usr/sbin/nologin', 'Debian-exim']);
    const port = await freePort();
    const rsaFile = files.write('rsa.pem', expiredRsa.certificatePem + expiredRsa.chainPem);
    const rsaKeyFile = files.write('rsa.key', expiredRsa.keyPem);
    const configuration = files.write(
      'exim.conf',
      `spool_directory = ${files.makeFolder('spool')}
log_file_path = ${files.folder}/%slog
local_interfaces = ${ADDRESS}.${port}
tls_advertise_hosts = *
tls_certificate = ${files.certificateFile} : ${rsaFile}
tls_privatekey = ${files.keyFile} : ${rsaKeyFile}
tls_require_ciphers = NORMAL:+VERS-TLS1.0:+VERS-TLS1.1
acl_smtp_connect = greet
begin acl
greet:
  accept delay = 4s
`,
    );
    files.changeOwner('Debian-exim');
    run(['chown', 'root', configuration]);
    const endpoints: Endpoint[] = [{ protocol: 'smtp', address: ADDRESS, port, servesExpiredRsa: true }];
    const daemon = await startDaemon([program, '-C', configuration, '-bdf'], {
      cwd: files.folder,
      listensOn: endpoints,
    });
    return { ...daemon, endpoints };
  },
};
