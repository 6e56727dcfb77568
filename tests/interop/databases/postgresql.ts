import { join } from 'node:path';
import { freePort } from '../../kit/product/app.ts';
import { findPostgres } from '../../kit/databases/postgres-binaries.ts';
import { idsOf, run, startDaemon } from '../../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from '../servers.ts';

const ADDRESS = '127.0.0.1';

export const postgresql: ServerKind = {
  name: 'postgresql',
  packages: ['postgresql'],
  async start(files) {
    const binaries = findPostgres();
    if (binaries === null) throw new Error('PostgreSQL is not available');
    const data = join(files.folder, 'data');
    // PostgreSQL refuses to run as root, and requires that its own user owns the key file.
    files.changeOwner('postgres');
    const owner = { ...idsOf('postgres'), cwd: files.folder };
    run([join(binaries.bin, 'initdb'), '-D', data, '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'], owner);
    const endpoints: Endpoint[] = [{ protocol: 'postgres', address: ADDRESS, port: await freePort() }];
    const settings = {
      port: endpoints[0]?.port,
      listen_addresses: ADDRESS,
      unix_socket_directories: files.folder,
      ssl: 'on',
      ssl_cert_file: files.certificateFile,
      ssl_key_file: files.keyFile,
      log_connections: 'on',
      logging_collector: 'on',
      log_directory: files.folder,
      log_filename: 'postgres.log',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const daemon = await startDaemon([join(binaries.bin, 'postgres'), '-D', data, ...flags], {
      ...owner,
      listensOn: endpoints,
      signal: 'SIGINT',
    });
    const traces = {
      log: `${files.folder}/postgres.log`,
      filters: {},
      errors: /invalid length|incomplete|could not|unexpected|unsupported|FATAL/,
    };
    return { ...daemon, endpoints, traces };
  },
};
