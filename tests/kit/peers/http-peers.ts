import { flooding, type PeerBehaviour } from './raw-peers.ts';

/** Sends this text on the first request and closes the connection. */
export const answering =
  (text: string): PeerBehaviour =>
  (socket) =>
    void socket.once('data', () => socket.end(text, 'latin1'));

/** Sends this text on the first request, a byte at a time, so that it is never idle for long. */
export const drippingText =
  (text: string): PeerBehaviour =>
  (socket) => {
    let at = 0;
    socket.once('data', () => {
      const timer = setInterval(() => socket.write(text[at++] ?? ' '), 20);
      socket.on('close', () => clearInterval(timer));
    });
  };

/** Starts an answer and never stops sending headers. */
export const endlessHeaders: PeerBehaviour = (socket) => {
  socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n'));
  flooding(Buffer.from('x-more: and more\r\n'))(socket);
};

/** Answers HEAD with `toHead`, and GET with `toGet` and an endless body. */
export const endlessBody =
  (toHead: string, toGet: string): PeerBehaviour =>
  (socket) =>
    void socket.once('data', (request: Buffer) => {
      if (request.toString('latin1').startsWith('HEAD')) return socket.end(toHead);
      socket.write(toGet);
      flooding(Buffer.from('more and '))(socket);
      return socket.emit('data', Buffer.alloc(0));
    });
