import { createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { listening, type Peer, type ServerCertificate } from '../../tests/kit/peers/tls-server.ts';

/** Starts an SMTP server on 127.0.0.1 that supports only EHLO, STARTTLS and QUIT. */
export function startMailServer(name: string, certificate: ServerCertificate, port: number): Promise<Peer> {
  const { certificatePem, keyPem, chainPem = '' } = certificate;
  const secureContext = createSecureContext({ cert: certificatePem + chainPem, key: keyPem });
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.write(`220 ${name} ESMTP\r\n`);
    let received = '';
    const onData = (chunk: Buffer): void => {
      received = (received + chunk.toString('latin1')).slice(-1000);
      const lines = received.split('\r\n');
      received = lines.pop() ?? '';
      for (const line of lines) {
        const command = line.slice(0, 8).trimEnd().toUpperCase();
        if (command === 'STARTTLS') {
          socket.off('data', onData);
          upgradeToTls(socket);
        }
        socket.write(replyTo(command, name));
        if (command === 'QUIT') socket.end();
      }
    };
    socket.on('data', onData);
  });
  const upgradeToTls = (socket: Socket): void => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext });
    secured.on('error', () => secured.destroy());
    secured.resume();
  };
  return listening(server, '127.0.0.1', port);
}

function replyTo(command: string, name: string): string {
  if (command.startsWith('EHLO')) return `250-${name}\r\n250 STARTTLS\r\n`;
  if (command === 'STARTTLS') return '220 Go ahead\r\n';
  return command === 'QUIT' ? '221 Bye\r\n' : '502 Not here\r\n';
}
