import type { Socket } from 'node:net';

import { flooding } from './raw-peers.ts';

type Manners = (socket: Socket) => void;

/** Sends this text on the first request and closes the connection. */
export const answering =
  (text: string): Manners =>
  (socket) =>
    void socket.once('data', () => socket.end(text, 'latin1'));

/** Closes the connection on the first request without an answer. */
export const hangingUp: Manners = (socket) => void socket.once('data', () => socket.end());

/** Sends this text on the first request, a byte at a time, so that it is never idle for long. */
export const drippingText =
  (text: string): Manners =>
  (socket) => {
    let at = 0;
    socket.once('data', () => {
      const timer = setInterval(() => socket.write(text[at++] ?? ' '), 20);
      socket.on('close', () => clearInterval(timer));
    });
  };

/** Starts an answer and never stops sending headers. */
export const endlessHeaders: Manners = (socket) => {
  socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n'));
  flooding(Buffer.from('x-more: and more\r\n'))(socket);
};

/** Refuses HEAD with the first head, and sends the other one with an endless body. */
export const endlessBody =
  (toHead: string, toGet: string): Manners =>
  (socket) =>
    void socket.once('data', (request: Buffer) => {
      if (request.toString('latin1').startsWith('HEAD')) return socket.end(toHead);
      socket.write(toGet);
      flooding(Buffer.from('more and '))(socket);
      return socket.emit('data', Buffer.alloc(0));
    });
