import { spawnSync } from 'node:child_process';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../kit/product/app.ts';
import { type Daemon, run, type ServerFiles, startDaemon } from '../../kit/machine/daemon.ts';
import type { Endpoint, Failure, ServerKind } from '../servers.ts';
import { converse } from '../traces.ts';

/**
 * MariaDB counts connection errors of addresses whose names it looks up, but never those of 127.0.0.1. Connections to an address of
 * the loopback interface come from this address, so the test adds one.
 */
const ADDRESS = '127.0.0.43';
const NAME = 'watcher.test';
const PACKAGES = ['mariadb-server', 'iproute2'];
const WATCHED = `CREATE USER 'watched'@'%' IDENTIFIED BY 'secret';`;
const ANYBODY = `CREATE USER ''@'%';`;

export const mariadb = serverWith('mariadb', WATCHED);
/** MariaDB that accepts logins with an empty user name. */
export const openMariadb = serverWith('mariadb-anonymous', `${WATCHED} ${ANYBODY}`);

/** MariaDB in four variants: one without TLS, and three that refuse us in place of a greeting. */
export const refusingMariadb: ServerKind = {
  name: 'mariadb-refusing',
  packages: PACKAGES,
  async start(files) {
    addAddress();
    const held: Socket[] = [];
    const servers: (Daemon & { endpoint: Endpoint })[] = [];
    const start = async (fails: Failure, accounts: string, ...flags: string[]): Promise<Endpoint> => {
      const server = await startServer(files, `refusing-${servers.length}`, accounts, flags);
      servers.push(server);
      server.endpoint.fails = fails;
      return server.endpoint;
    };
    const stop = async (): Promise<void> => {
      for (const socket of held) socket.destroy();
      for (const server of servers) await server.stop();
      removeAddress();
    };
    try {
      await start('does not offer STARTTLS', WATCHED, '--skip-ssl');
      // Error 1130: no account may connect from this address.
      await start('refused us now', '');
      // Error 1129: too many connection errors. `startDaemon` caused the first one when it tested whether the server listens.
      await converse(await start('has blocked our address', WATCHED, '--max-connect-errors=1'), []);
      // Error 1040: too many connections.
      const full = await start('refused us now', WATCHED, '--max-connections=10', '--connect-timeout=600');
      for (let count = 0; count < 12; count++)
        held.push(createConnection({ host: full.address, port: full.port }).on('error', () => undefined));
      return { endpoints: servers.map(({ endpoint }) => endpoint), stop };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

function serverWith(name: string, accounts: string): ServerKind {
  return {
    name,
    packages: PACKAGES,
    async start(files) {
      addAddress();
      try {
        const server = await startServer(files, 'server', accounts, []);
        const { endpoint, log, socket } = server;
        // Forget the connection error that `startDaemon` caused when it tested whether the server listens.
        ask(socket, 'FLUSH HOSTS');
        const login = [`-h${ADDRESS}`, `-P${endpoint.port}`, '-uwatched', '-pwrong', '-e', 'SELECT 1'];
        const traces = {
          log,
          filters: { 'mysqld-auth': () => void spawnSync('mariadb', ['--no-defaults', ...login]) },
          // Replaces the name in the log by the address, because fail2ban would look up the name.
          forFilters: (lines: string) => lines.replaceAll(`'${NAME}'`, `'${ADDRESS}'`),
          errors: /Aborted connection/,
          counters: { read: () => readCounters(socket), raise: () => converse(endpoint, []) },
        };
        return {
          endpoints: [endpoint],
          traces,
          async stop() {
            await server.stop();
            removeAddress();
          },
        };
      } catch (error) {
        removeAddress();
        throw error;
      }
    },
  };
}

const addAddress = (): string => run(['ip', 'address', 'replace', `${ADDRESS}/32`, 'dev', 'lo']);
const removeAddress = (): string => run(['ip', 'address', 'del', `${ADDRESS}/32`, 'dev', 'lo']);

async function startServer(
  files: ServerFiles,
  name: string,
  accounts: string,
  flags: readonly string[],
): Promise<Daemon & { endpoint: Endpoint; log: string; socket: string }> {
  const folder = files.makeFolder(name);
  const data = files.makeFolder(`${name}/data`);
  const [log, socket] = [join(folder, 'error.log'), join(folder, 'socket')];
  const hosts = files.write(`${name}/hosts`, `127.0.0.1 localhost\n${ADDRESS} ${NAME}\n`);
  const init = files.write(`${name}/accounts.sql`, `${accounts.replaceAll('; ', ';\n')}\n`);
  files.changeOwner('mysql');
  run(['mariadb-install-db', '--no-defaults', `--datadir=${data}`, '--user=mysql', '--skip-test-db']);
  const endpoint: Endpoint = { protocol: 'mysql', address: ADDRESS, port: await freePort() };
  const command = [
    'mariadbd',
    '--no-defaults',
    '--user=mysql',
    `--datadir=${data}`,
    `--socket=${socket}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--log-error=${log}`,
    '--log-warnings=2',
    '--performance-schema=ON',
    `--init-file=${init}`,
    `--bind-address=${ADDRESS}`,
    `--port=${endpoint.port}`,
    `--ssl-cert=${files.certificateFile}`,
    `--ssl-key=${files.keyFile}`,
    ...flags,
  ];
  const inNamespace = ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/hosts; exec "$@"', hosts];
  const daemon = await startDaemon([...inNamespace, ...command], { cwd: folder, listensOn: [endpoint] });
  return { ...daemon, endpoint, log, socket };
}

function ask(socket: string, query: string): string {
  const options = ['--no-defaults', '-S', socket, '-BNe', query];
  const { stdout, stderr, status } = spawnSync('mariadb', options, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function readCounters(socket: string): Record<string, number> {
  const sum = 'SELECT COALESCE(SUM(SUM_CONNECT_ERRORS), 0) FROM performance_schema.host_cache';
  return { sum_connect_errors: Number(ask(socket, sum)) };
}
