import { dirname, join } from 'node:path';
import { programOfDebianPackage } from '../../kit/machine/debian-package.ts';
import { freePort } from '../../kit/product/app.ts';
import {
  type Daemon,
  hasUser,
  idsOf,
  run as runProgram,
  STANDARD_PORT_ADDRESS,
  startDaemon,
  SYSLOG,
} from '../../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from '../servers.ts';

const ADDRESS = '127.0.0.1';

/**
 * nnrpd, the part of INN that serves readers, without innd. The package is only unpacked, because installing it needs a mail
 * server and a host name.
 */
export const inn: ServerKind = {
  name: 'inn',
  packages: SYSLOG,
  unpacked: ['inn2', 'inn2-inews'],
  async start(files, host) {
    const program = programOfDebianPackage('inn2', 'usr/lib/news/bin/nnrpd');
    const library = programOfDebianPackage('inn2-inews', 'usr/lib/news/libinn.so.9');
    if (program === null || library === null) throw new Error('inn2 could not be unpacked');
    if (!hasUser('news')) throw new Error('There is no user news');
    const log = `${files.folder}/syslog`;
    const folders = ['etc', 'db', 'log', 'run', 'spool', 'tmp'].map((name) => files.makeFolder(name));
    const [etc, db, logs, run, spool, tmp] = folders;
    files.write(
      'etc/readers.conf',
      `auth all {\n  hosts: "*"\n  default: "<guest>"\n}\naccess all {\n  users: "*"\n  newsgroups: "*"\n}\n`,
    );
    files.write('etc/storage.conf', 'method tradspool {\n  newsgroups: *\n  class: 0\n}\n');
    files.write('db/active', 'control 0000000000 0000000001 n\n');
    files.write('db/newsgroups', 'control\tControl\n');
    files.write('db/history', '');
    const configurationWith = (overview: string): string =>
      files.write(
        `etc/inn-${overview}.conf`,
        `mta: "/bin/false %s"
organization: "Interop"
ovmethod: tradindexed
hismethod: hisv6
pathhost: ${host}
domain: ${host}
runasuser: news
runasgroup: news
pathnews: ${join(dirname(program), '..')}
pathetc: ${etc}
pathdb: ${db}
pathlog: ${logs}
pathrun: ${run}
pathspool: ${spool}
pathoverview: ${files.makeFolder(overview)}
pathtmp: ${tmp}
tlscafile: ${files.rootFile}
tlscertfile: ${files.certificateFile}
tlskeyfile: ${files.keyFile}
`,
      );
    const configuration = configurationWith('overview');
    const incomplete = configurationWith('nothing');
    files.changeOwner('news');
    const libraries = `${dirname(library)}:${join(dirname(program), '..')}`;
    const environment = (file: string) => ({ INNCONF: file, LD_LIBRARY_PATH: libraries });
    runProgram([join(dirname(program), 'makehistory'), '-O', '-x'], {
      ...idsOf('news'),
      cwd: files.folder,
      env: environment(configuration),
    });
    const plain: Endpoint = { protocol: 'nntp', address: ADDRESS, port: await freePort() };
    const direct: Endpoint = { protocol: 'tls', address: STANDARD_PORT_ADDRESS, port: 563 };
    const refusing: Endpoint = {
      protocol: 'nntp',
      address: ADDRESS,
      port: await freePort(),
      fails: 'refused us now',
    };
    const daemons: Daemon[] = [];
    const start = async (endpoint: Endpoint, file: string, ...flags: string[]): Promise<void> => {
      const { address, port: number } = endpoint;
      const command = [program, '-D', '-f', '-b', address, '-p', String(number), '-c', `${etc}/readers.conf`];
      daemons.push(
        await startDaemon([...command, ...flags], {
          cwd: files.folder,
          env: environment(file),
          listensOn: [endpoint],
          syslog: log,
        }),
      );
    };
    await start(plain, configuration);
    await start(direct, configuration, '-S');
    // Without an overview, nnrpd answers every client with 400.
    await start(refusing, incomplete);
    return {
      endpoints: [plain, refusing, direct],
      traces: { log, filters: {}, errors: /error|reset|EOF/i },
      async stop() {
        for (const daemon of daemons) await daemon.stop();
      },
    };
  },
};
