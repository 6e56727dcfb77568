import { freePort } from '../../kit/product/app.ts';
import { idsOf, STANDARD_PORT_ADDRESS, startDaemon } from '../../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from '../servers.ts';

const ADDRESS = '127.0.0.1';
const SERVER_TO_SERVER = { address: STANDARD_PORT_ADDRESS, port: 5269 };
const DIRECT = { address: STANDARD_PORT_ADDRESS, port: 5223 };

export const prosody: ServerKind = {
  name: 'prosody',
  packages: ['prosody', 'lua-sec'],
  async start(files, host) {
    const client = { address: ADDRESS, port: await freePort() };
    const tls = `ssl = { certificate = "${files.certificateFile}"; key = "${files.keyFile}" }`;
    const log = `${files.folder}/prosody.log`;
    const configuration = files.write(
      'prosody.cfg.lua',
      `data_path = "${files.makeFolder('data')}"
pidfile = "${files.folder}/prosody.pid"
log = { { levels = { min = "info" }, to = "file", filename = "${log}", buffer_mode = "line" } }
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
      // The server answers host-unknown.
      { protocol: 'xmpp', ...client, host: 'other.test', fails: 'refused us now' },
      { protocol: 'xmpp-server', ...SERVER_TO_SERVER },
      { protocol: 'tls', ...DIRECT },
    ];
    const daemon = await startDaemon(['prosody', '--config', configuration, '-F'], {
      ...idsOf('prosody'),
      cwd: files.folder,
      listensOn: endpoints,
    });
    // Warnings do not count as errors: Prosody logs one whenever a peer without a certificate ends its stream.
    const traces = { log, filters: {}, errors: /\terror\t|disconnected: (?!connection closed)/ };
    return { ...daemon, endpoints, traces };
  },
};
