import { readFileSync } from 'node:fs';
import { freePort } from '../../kit/product/app.ts';
import { idsOf, STANDARD_PORT_ADDRESS, startDaemon } from '../../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from '../servers.ts';
import { converse } from '../traces.ts';

const ADDRESS = '127.0.0.1';

export const ejabberd: ServerKind = {
  name: 'ejabberd',
  packages: ['ejabberd'],
  async start(files, host) {
    const client: Endpoint = { protocol: 'xmpp', address: ADDRESS, port: await freePort() };
    const server: Endpoint = { protocol: 'xmpp-server', address: STANDARD_PORT_ADDRESS, port: 5269 };
    const direct: Endpoint = { protocol: 'tls', address: STANDARD_PORT_ADDRESS, port: 5223 };
    const both = readFileSync(files.certificateFile, 'utf8') + readFileSync(files.keyFile, 'utf8');
    const log = `${files.folder}/ejabberd.log`;
    const database = files.makeFolder('mnesia');
    const configuration = files.write(
      'ejabberd.yml',
      `hosts: ["${host}"]
loglevel: info
log_rotate_count: 0
certfiles: ["${files.write('both.key', both)}"]
ca_file: "${files.rootFile}"
s2s_use_starttls: optional
listen:
  - { port: ${client.port}, ip: "${client.address}", module: ejabberd_c2s, starttls: true }
  - { port: ${direct.port}, ip: "${direct.address}", module: ejabberd_c2s, tls: true }
  - { port: ${server.port}, ip: "${server.address}", module: ejabberd_s2s_in }
modules: {}
`,
    );
    files.changeOwner('ejabberd');
    const endpoints = [client, server, direct];
    // Without a node name, Erlang starts no port mapper that would outlive the server.
    const daemon = await startDaemon(
      ['erl', '-noinput', '-mnesia', 'dir', `"${database}"`, '-s', 'ejabberd'],
      {
        ...idsOf('ejabberd'),
        cwd: files.folder,
        env: {
          HOME: files.folder,
          ERL_LIBS: '/usr/lib/x86_64-linux-gnu',
          EJABBERD_CONFIG_PATH: configuration,
          EJABBERD_LOG_PATH: log,
        },
        listensOn: endpoints,
      },
    );
    const stream = `<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' to='${host}' version='1.0'>`;
    const wrong = Buffer.from('\0nobody\0wrong').toString('base64');
    const auth = `<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>${wrong}</auth>`;
    const traces = {
      log,
      filters: { 'ejabberd-auth': () => converse(client, [stream, auth], { speaksFirst: true }) },
      // ejabberd 23 logs failed logins as warnings and the arity of functions, which the filter of fail2ban 1.0 does not expect.
      forFilters: (lines: string) =>
        lines.replaceAll(' [warning] ', ' [info] ').replaceAll(/(@ejabberd_c2s:\w+)\/\d+/g, '$1'),
      errors: /\[(?:warning|error)\]/,
    };
    return { ...daemon, endpoints, traces };
  },
};
