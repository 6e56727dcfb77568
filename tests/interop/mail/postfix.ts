import { freePort } from '../../kit/product/app.ts';
import { run, STANDARD_PORT_ADDRESS, startDaemon } from '../../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from '../servers.ts';
import { converse } from '../traces.ts';

const ADDRESS = '127.0.0.1';
const DIRECT = { address: STANDARD_PORT_ADDRESS, port: 465 };

/** Services of master.cf that smtpd and postscreen need. */
const OTHER_SERVICES = `proxymap unix - - n - - proxymap
cleanup unix n - n - 0 cleanup
rewrite unix - - n - - trivial-rewrite
tlsmgr unix - - n 1000? 1 tlsmgr
tlsproxy unix - - n - 0 tlsproxy
dnsblog unix - - n - 0 dnsblog
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
smtpd pass - - n - - smtpd
`;

/** Postfix with several ports: with and without TLS, behind postscreen, and with restrictions that refuse every client. */
export const postfix: ServerKind = {
  name: 'postfix',
  packages: ['postfix'],
  async start(files, host) {
    const queue = files.makeFolder('queue');
    const data = files.makeFolder('data');
    run(['chown', 'postfix', data]);
    const log = `${files.folder}/mail.log`;
    files.write(
      'main.cf',
      `compatibility_level = 3.6
queue_directory = ${queue}
data_directory = ${data}
maillog_file = ${log}
maillog_file_prefixes = ${files.folder}
myhostname = ${host}
mydestination =
inet_interfaces = ${ADDRESS}
inet_protocols = ipv4
smtpd_tls_security_level = may
smtpd_tls_loglevel = 1
smtpd_tls_chain_files = ${files.keyFile}, ${files.certificateFile}
smtpd_relay_restrictions = reject_unauth_destination
strict_helo = reject_invalid_helo_hostname, reject_non_fqdn_helo_hostname, reject_unknown_helo_hostname
refuse_with_421 = check_client_access static:{421 4.7.0 Try again later}
postscreen_greet_action = enforce
postscreen_greet_wait = 2s
postscreen_access_list =
`,
    );
    const services: string[] = [];
    const endpoints: Endpoint[] = [];
    const serve = async (
      options: Readonly<Record<string, string>>,
      more: Partial<Endpoint> = {},
      program = 'smtpd',
    ): Promise<Endpoint> => {
      const endpoint: Endpoint = { protocol: 'smtp', address: ADDRESS, port: await freePort(), ...more };
      const flags = Object.entries(options).map(([name, value]) => `  -o ${name}=${value}\n`);
      const processes = program === 'postscreen' ? 1 : '-';
      services.push(
        `${endpoint.address}:${endpoint.port} inet n - n - ${processes} ${program}\n${flags.join('')}`,
      );
      endpoints.push(endpoint);
      return endpoint;
    };
    const refusing = (restriction: string): Promise<Endpoint> =>
      serve(
        { smtpd_delay_reject: 'no', smtpd_client_restrictions: restriction },
        { fails: 'refused us now' },
      );
    const plain = await serve({});
    await serve({ smtpd_tls_wrappermode: 'yes' }, { protocol: 'tls', ...DIRECT });
    await serve({}, {}, 'postscreen');
    // These tests of postscreen take up the whole dialogue, so it never hands the client over to smtpd.
    await serve(
      {
        postscreen_pipelining_enable: 'yes',
        postscreen_non_smtp_command_enable: 'yes',
        postscreen_bare_newline_enable: 'yes',
        postscreen_cache_map: `btree:${data}/thorough_cache`,
      },
      {},
      'postscreen',
    );
    await serve({ smtpd_delay_reject: 'no', smtpd_helo_restrictions: '$strict_helo' });
    await serve({ smtpd_tls_security_level: 'none' }, { fails: 'does not offer STARTTLS' });
    // Greetings with the codes 450, 421 and 554.
    for (const restriction of ['defer', '$refuse_with_421', 'reject']) await refusing(restriction);
    files.write('master.cf', services.join('') + OTHER_SERVICES);
    run(['postfix', '-c', files.folder, 'check']);
    const daemon = await startDaemon(['/usr/lib/postfix/sbin/master', '-c', files.folder, '-d'], {
      cwd: files.folder,
      listensOn: endpoints,
    });
    const relay = ['EHLO bad.test', 'MAIL FROM:<a@bad.test>', 'RCPT TO:<b@other.test>', 'QUIT'];
    const traces = {
      log,
      filters: {
        postfix: () => converse(plain, relay),
        'postfix[mode=aggressive]': () => converse(plain, ['EHLO bad.test']),
      },
      errors: /lost connection|SSL_accept error|timeout after|HANGUP|improper command/,
    };
    return { ...daemon, endpoints, traces };
  },
};
