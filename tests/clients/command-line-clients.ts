import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildGo, type ClientKind, run, type RunningClient, startLineClient } from './client.ts';

const VERSIONS = '`Node.js ${process.versions.node}, OpenSSL ${process.versions.openssl}`';
const PROGRAMS = join(import.meta.dirname, 'programs');

/** Returns a client that starts a program for every connection. */
async function perConnection(
  version: readonly [command: string, ...parameters: string[]],
  attempt: (host: string, port: number) => Promise<string | null>,
): Promise<RunningClient> {
  const [command, ...parameters] = version;
  const { output } = await run(command, parameters);
  return {
    version: output.split('\n')[0] ?? '',
    connect: attempt,
    stop: () => Promise.resolve(),
  };
}

const curl: ClientKind = {
  name: 'curl',
  family: 'openssl',
  packages: ['curl'],
  start: ({ rootsFile }) =>
    perConnection(['curl', '--version'], async (host, port) => {
      const trust = ['--cacert', rootsFile, '--capath', '/dev/null'];
      const where = ['--resolve', `${host}:${port}:127.0.0.1`, `https://${host}:${port}/`];
      const { code, output } = await run('curl', ['-sS', '--max-time', '10', ...trust, ...where]);
      return code === 0 ? null : output.trim();
    }),
};

const openssl = (name: string, more: readonly string[] = []): ClientKind => ({
  name,
  family: 'openssl',
  packages: ['openssl'],
  start: ({ rootsFile }) =>
    perConnection(['openssl', 'version'], async (host, port) => {
      const trust = ['-verify_return_error', '-CAfile', rootsFile, '-no-CApath', '-no-CAstore', ...more];
      const isAddress = /^[\d.]+$/.test(host);
      const named = isAddress
        ? ['-verify_ip', host, '-noservername']
        : ['-verify_hostname', host, '-servername', host];
      const where = ['-connect', `127.0.0.1:${port}`];
      const { code, output } = await run('openssl', ['s_client', '-brief', ...trust, ...named, ...where]);
      return code === 0 ? null : (/verify error:.*|error:.*/.exec(output)?.[0] ?? output.trim());
    }),
});

const gnutls: ClientKind = {
  name: 'GnuTLS',
  family: 'gnutls',
  packages: ['gnutls-bin'],
  start: ({ rootsFile }) =>
    perConnection(['gnutls-cli', '--version'], async (host, port) => {
      const names = ['--sni-hostname', host, '--verify-hostname', host];
      const { output } = await run('gnutls-cli', [
        '--x509cafile',
        rootsFile,
        ...names,
        '-p',
        String(port),
        '127.0.0.1',
      ]);
      if (output.includes('Handshake was completed')) return null;
      return /Status: .*|\*\*\* Fatal error.*/.exec(output)?.[0] ?? output.trim();
    }),
};

/** Runs in a process of its own, because some certificates crash Node.js. */
const node: ClientKind = {
  name: 'Node.js',
  family: 'openssl',
  packages: [],
  start: ({ rootsFile }) =>
    perConnection([process.execPath, '-p', VERSIONS], async (host, port) => {
      const program = join(PROGRAMS, 'client.ts');
      try {
        const { code, output } = await run(process.execPath, [program, rootsFile, host, String(port)]);
        return code === 0 ? null : output;
      } catch (error) {
        return String(error);
      }
    }),
};

const python: ClientKind = {
  name: 'Python',
  family: 'openssl',
  packages: ['python3'],
  start: ({ rootsFile }) => startLineClient('/usr/bin/python3', [join(PROGRAMS, 'client.py'), rootsFile]),
};

const go: ClientKind = {
  name: 'Go',
  family: 'go',
  packages: ['golang-go'],
  start: async ({ folder, rootsFile }) =>
    startLineClient(await buildGo(join(PROGRAMS, 'client.go'), folder), [rootsFile]),
};

/** Needs the JDK, because the runtime alone cannot start a source file. */
const java = (name: string, more: readonly string[] = []): ClientKind => ({
  name,
  family: 'java',
  packages: ['openjdk-17-jdk-headless'],
  start({ folder, rootsFile, hosts }) {
    const hostsFile = join(folder, 'hosts');
    writeFileSync(hostsFile, hosts.map((host) => `127.0.0.1 ${host}\n`).join(''));
    const resolving = `-Djdk.net.hosts.file=${hostsFile}`;
    return startLineClient('java', [resolving, join(PROGRAMS, 'Client.java'), rootsFile, ...more]);
  },
});

/** All clients that are not browsers. */
export const COMMAND_LINE_CLIENTS: readonly ClientKind[] = [
  curl,
  openssl('s_client'),
  node,
  python,
  gnutls,
  go,
  java('Java'),
];

/** Clients that fetch the CRL of the leaf. They refuse the leaf if they get no CRL that they accept. */
export const CRL_CLIENTS: readonly ClientKind[] = [
  openssl('s_client with CRLs', ['-crl_check', '-crl_download']),
  java('Java with CRLs', ['crls']),
];
