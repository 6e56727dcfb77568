import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, createServer, type SecureContext, type TlsOptions } from 'node:tls';

/** Certificate and key of a server. The server sends the certificates of `chainPem` after the leaf, in that order. */
export interface ServerCertificate {
  certificatePem: string;
  keyPem: string;
  chainPem?: string;
}

/** One certificate, or several with different key types, from which OpenSSL chooses by the ClientHello. */
type ServerCertificates = ServerCertificate | readonly ServerCertificate[];

export interface Peer {
  port: number;
  stop(): Promise<void>;
}

export interface OpensslOptions {
  /** Loopback address. Default: 127.0.0.1. */
  host?: string;
  /** Additional arguments of `openssl s_server`, for example `['-tls1_2']`. */
  arguments?: readonly string[];
  /** A further certificate, with a key of another type. */
  second?: ServerCertificate;
}

/** Starts the machine's `openssl s_server` on a free port. It serves one connection at a time. */
export async function startOpensslServer(
  certificate: ServerCertificate,
  { host = '127.0.0.1', arguments: more = [], second }: OpensslOptions = {},
): Promise<Peer> {
  const folder = await mkdtemp(join(tmpdir(), 'tls-peer-'));
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const options = async (
    { certificatePem, keyPem, chainPem = '' }: ServerCertificate,
    d = '',
  ): Promise<string[]> => [
    `-${d}cert`,
    await file(`${d}certificate.pem`, certificatePem),
    `-${d}key`,
    await file(`${d}key.pem`, keyPem),
    ...(chainPem === '' ? [] : [`-${d}cert_chain`, await file(`${d}chain.pem`, chainPem)]),
  ];
  const server = spawn(
    'openssl',
    [
      's_server',
      '-accept',
      host.includes(':') ? `[${host}]:0` : `${host}:0`,
      ...(await options(certificate)),
      ...(second === undefined ? [] : await options(second, 'd')),
      ...more,
    ],
    // Keep stdin open, because s_server exits at its end. Ignore stderr: errors about closed connections would fill an unread pipe.
    { stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const ended = once(server, 'exit');
  const port = await new Promise<number>((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString('latin1')).slice(-4_096);
      const accepting = /^ACCEPT .*:(\d+)$/m.exec(text)?.[1];
      if (accepting !== undefined) resolve(Number(accepting));
    });
    server.once('error', reject);
    server.once('exit', (code) =>
      reject(new Error(`openssl s_server ended with ${code} before it listened`)),
    );
  });
  return {
    port,
    async stop() {
      server.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface TlsPeer extends Peer {
  /** Server names (SNI) of the completed handshakes, oldest first; null for a client that sent none. */
  serverNames: (string | null)[];
  /** Replaces the certificate for a server name, or for `'*'`, from the next handshake on. */
  setCertificate(serverName: string, certificate: ServerCertificates): void;
  /** Returns the number of accepted TCP connections. */
  accepted(): number;
}

export interface TlsPeerOptions extends TlsOptions {
  host?: string;
  port?: number;
  /** Handles HTTP requests. If absent, the server sends nothing after the handshake. */
  serve?: RequestListener;
  /** Handles a connection after its handshake, instead of `serve`. */
  manners?: ((socket: Socket) => void) | undefined;
  /** Handles a connection that agreed on HTTP/2, instead of `manners` and `serve`. */
  http2?: (socket: Socket) => void;
  /** Bytes stapled as OCSP response for clients that ask for one (RFC 6066 §8). They may be invalid. */
  staple?: Buffer;
  /** Delays the answer to a ClientHello with a server name until the promise resolves. */
  admit?: (serverName: string) => Promise<void>;
}

/**
 * Starts a node:tls server with a certificate for each server name. For other names, and for clients that send none, it uses
 * the certificate of `'*'`, or else the first one. If that is a list, the server ignores server names. @throws Error without
 * any certificate
 */
export async function startTlsServer(
  certificates: Readonly<Record<string, ServerCertificates>>,
  { host = '127.0.0.1', port = 0, serve, manners, http2, staple, admit, ...options }: TlsPeerOptions = {},
): Promise<TlsPeer> {
  const contexts = new Map<string, SecureContext>();
  const context = (certificate: ServerCertificates): SecureContext =>
    createSecureContext({ ...options, ...pairs(certificate) });
  for (const [name, certificate] of Object.entries(certificates)) contexts.set(name, context(certificate));
  const fallback = certificates['*'] ?? Object.values(certificates)[0];
  if (fallback === undefined) throw new Error('a TLS server needs a certificate');

  let accepted = 0;
  const serverNames: (string | null)[] = [];
  const server = createServer({
    ...options,
    ...pairs(fallback),
    // Node.js offers only the last certificate of a context that it chooses by name.
    ...((admit !== undefined || !Array.isArray(fallback)) && {
      SNICallback: (name: string, done: (error: Error | null, context?: SecureContext) => void) => {
        const answer = (): void => done(null, contexts.get(name) ?? contexts.get('*'));
        if (admit === undefined) answer();
        else void admit(name).then(answer);
      },
    }),
  });
  if (staple !== undefined) server.on('OCSPRequest', (_certificate, _issuer, send) => send(null, staple));
  const http = serve === undefined ? null : createHttpServer(serve);
  server.on('connection', () => accepted++);
  server.on('secureConnection', (socket) => {
    serverNames.push(socket.servername || null);
    socket.on('error', () => socket.destroy());
    if (socket.alpnProtocol === 'h2' && http2 !== undefined) http2(socket);
    else if (manners !== undefined) manners(socket);
    else if (http === null) socket.resume();
    else http.emit('connection', socket);
  });
  const peer = await listening(server, host, port);
  return {
    ...peer,
    serverNames,
    accepted: () => accepted,
    setCertificate: (name, certificate) => {
      contexts.set(name, context(certificate));
      if (name === '*') server.setSecureContext({ ...options, ...pairs(certificate) });
    },
  };
}

function pairs(certificates: ServerCertificates): { cert: string[]; key: string[] } {
  const all = [certificates].flat();
  return {
    cert: all.map(({ certificatePem, chainPem = '' }) => certificatePem + chainPem),
    key: all.map(({ keyPem }) => keyPem),
  };
}

/** Starts a server on a loopback port (0: a free one). Its `stop` also closes open connections. */
export async function listening(server: Server, host = '127.0.0.1', port = 0): Promise<Peer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
