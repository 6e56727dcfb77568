import { join } from 'node:path';

import { freePort } from '../kit/app.ts';
import { findPostgres } from '../kit/postgres-binaries.ts';
import { idsOf, run, startDaemon } from './daemon.ts';
import type { Entrance, ServerKind } from './servers.ts';

const ADDRESS = '127.0.0.1';

export const postgresql: ServerKind = {
  name: 'postgresql',
  packages: ['postgresql'],
  async start(quarters) {
    const binaries = findPostgres();
    if (binaries === null) throw new Error('There is no PostgreSQL');
    const data = join(quarters.folder, 'data');
    // The server takes its key only from its own user, and runs as anybody but root.
    quarters.giveTo('postgres');
    const owner = { ...idsOf('postgres'), cwd: quarters.folder };
    run([join(binaries.bin, 'initdb'), '-D', data, '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'], owner);
    const entrances: Entrance[] = [{ protocol: 'postgres', address: ADDRESS, port: await freePort() }];
    const settings = {
      port: entrances[0]?.port,
      listen_addresses: ADDRESS,
      unix_socket_directories: quarters.folder,
      ssl: 'on',
      ssl_cert_file: quarters.certificateFile,
      ssl_key_file: quarters.keyFile,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const daemon = await startDaemon([join(binaries.bin, 'postgres'), '-D', data, ...flags], {
      ...owner,
      listens: entrances,
      signal: 'SIGINT',
    });
    return { ...daemon, entrances };
  },
};

export const mariadb: ServerKind = {
  name: 'mariadb',
  packages: ['mariadb-server'],
  async start(quarters) {
    quarters.makeFolder('data');
    quarters.giveTo('mysql');
    const data = join(quarters.folder, 'data');
    run(['mariadb-install-db', '--no-defaults', `--datadir=${data}`, '--user=mysql', '--skip-test-db']);
    const entrances: Entrance[] = [{ protocol: 'mysql', address: ADDRESS, port: await freePort() }];
    const command = [
      'mariadbd',
      '--no-defaults',
      '--user=mysql',
      `--datadir=${data}`,
      `--socket=${join(quarters.folder, 'socket')}`,
      `--pid-file=${join(quarters.folder, 'pid')}`,
      `--bind-address=${ADDRESS}`,
      `--port=${entrances[0]?.port}`,
      `--ssl-cert=${quarters.certificateFile}`,
      `--ssl-key=${quarters.keyFile}`,
    ];
    const daemon = await startDaemon(command, { cwd: quarters.folder, listens: entrances });
    return { ...daemon, entrances };
  },
};
