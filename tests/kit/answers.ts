import type { Socket } from 'node:net';

import { flooding } from './raw-peers.ts';

type Manners = (socket: Socket) => void;

/** Says this on the first request and hangs up. */
export const answering =
  (text: string): Manners =>
  (socket) =>
    void socket.once('data', () => socket.end(text, 'latin1'));

/** Hangs up on the first request without a word. */
export const hangingUp: Manners = (socket) => void socket.once('data', () => socket.end());

/** Says this on the first request, a byte at a time, and so is never idle for long. */
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

/** Refuses HEAD with one head of an answer, and starts a body without an end after the other one. */
export const endlessBody =
  (toHead: string, toGet: string): Manners =>
  (socket) =>
    void socket.once('data', (request: Buffer) => {
      if (request.toString('latin1').startsWith('HEAD')) return socket.end(toHead);
      socket.write(toGet);
      flooding(Buffer.from('more and '))(socket);
      return socket.emit('data', Buffer.alloc(0));
    });
