import { createHash, timingSafeEqual } from 'node:crypto';
import type { AppParts } from './api.ts';
import type { AppContext } from './app-env.ts';
import { hostnameOf, isLoopback } from './own-origin.ts';

const FORWARDED = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];
const LOOPBACK_PEER = /^(?:::ffff:)?127\.|^::1$/;

/** Whether a request came to a loopback name and through nobody who says so. */
function isLocal(c: AppContext): boolean {
  const hostname = hostnameOf(c.req.header('host') ?? new URL(c.req.url).host);
  if (hostname === null || !isLoopback(hostname)) return false;
  return FORWARDED.every((name) => c.req.header(name) === undefined);
}

/** Whether this request may see the kept mail: at this machine, with the key from the start line. */
export function maySeeMail(c: AppContext, key: string): boolean {
  // Hashes of equal length, so that the comparison's time says nothing.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return isLocal(c) && timingSafeEqual(digest(c.req.query('key') ?? ''), digest(key));
}

/**
 * Whether a request comes from whoever sits at the machine. Any name can stand in a Host header, and a proxy may say nothing of
 * itself: the socket's peer must be this machine as well, and the product must not be meant for others.
 */
export function isFromThisMachine(c: AppContext, publicUrl: URL): boolean {
  const peer = c.env?.incoming?.socket.remoteAddress ?? '';
  return isLoopback(publicUrl.hostname) && LOOPBACK_PEER.test(peer) && isLocal(c);
}

/** The address of the kept mail, key and all, for whoever sits at the machine; null for everybody else. */
export function mailPageFor(c: AppContext, { mailFolder, secrets, config }: AppParts): string | null {
  const isHere = isFromThisMachine(c, config.publicUrl);
  return mailFolder !== null && isHere ? `/dev/mail?key=${encodeURIComponent(secrets.mailPage)}` : null;
}
