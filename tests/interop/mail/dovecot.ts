import { freePort } from '../../kit/product/app.ts';
import { STANDARD_PORT_ADDRESS, startDaemon } from '../../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from '../servers.ts';
import { converse } from '../traces.ts';

const ADDRESS = '127.0.0.1';

/** Dovecot. It accepts anonymous logins, but a check makes none. */
export const dovecot: ServerKind = {
  name: 'dovecot',
  packages: [
    'dovecot-imapd',
    'dovecot-pop3d',
    'dovecot-managesieved',
    'dovecot-lmtpd',
    'dovecot-submissiond',
  ],
  async start(files) {
    const log = `${files.folder}/dovecot.log`;
    const plain = async (protocol: Endpoint['protocol']): Promise<Endpoint> => ({
      protocol,
      address: ADDRESS,
      port: await freePort(),
    });
    const [imap, pop3, sieve] = [await plain('imap'), await plain('pop3'), await plain('sieve')];
    const submission = await plain('smtp');
    const lmtp = await plain('lmtp');
    const direct = [993, 995, 465].map((port): Endpoint => ({
      protocol: 'tls',
      address: STANDARD_PORT_ADDRESS,
      port,
    }));
    const listeners = (name: string, endpoint: Endpoint, directPort?: number): string => `
service ${name}-login {
  inet_listener ${name} {
    address = ${endpoint.address}
    port = ${endpoint.port}
  }
  inet_listener ${name}s {
    address = ${STANDARD_PORT_ADDRESS}
    port = ${directPort ?? 0}
    ssl = yes
  }
}
`;
    const configuration = files.write(
      'dovecot.conf',
      `protocols = imap pop3 sieve submission lmtp
base_dir = ${files.makeFolder('run')}
state_dir = ${files.makeFolder('state')}
log_path = ${log}
auth_verbose = yes
auth_mechanisms = plain anonymous
disable_plaintext_auth = no
auth_anonymous_username = nobody
ssl = yes
ssl_cert = <${files.certificateFile}
ssl_key = <${files.keyFile}
mail_location = maildir:${files.folder}/mail
submission_relay_host = ${ADDRESS}
passdb {
  driver = passwd-file
  args = ${files.write('users', 'watched:{PLAIN}secret\n')}
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=${files.folder}
}
protocol imap {
  login_greeting = Ready.
}
${listeners('imap', imap, 993)}
${listeners('pop3', pop3, 995)}
${listeners('submission', submission, 465)}
service lmtp {
  inet_listener lmtp {
    address = ${ADDRESS}
    port = ${lmtp.port}
  }
}
service managesieve-login {
  inet_listener sieve {
    address = ${ADDRESS}
    port = ${sieve.port}
  }
}
`,
    );
    const endpoints = [imap, pop3, sieve, submission, lmtp, ...direct];
    const daemon = await startDaemon(['dovecot', '-F', '-c', configuration], {
      cwd: files.folder,
      listensOn: endpoints,
    });
    const traces = {
      log,
      filters: {
        dovecot: () => converse(imap, ['a LOGIN nobody wrong', 'b LOGOUT']),
        'dovecot[mode=aggressive]': () => converse(imap, ['a CAPABILITY']),
      },
      errors: /Login:|Connection closed|Connection reset|SSL_accept/,
    };
    return { ...daemon, endpoints, traces };
  },
};
