import { createHash, timingSafeEqual } from 'node:crypto';
import type { AppParts } from '../http/api.ts';
import type { AppContext } from '../http/app-env.ts';

/** Returns whether this request may see the kept mail: it is addressed to this machine, with the key from the start line. */
export function maySeeMail(c: AppContext, { thisMachine, secrets }: AppParts): boolean {
  // Hashes of equal length, so that the comparison's time says nothing.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const isKey = timingSafeEqual(digest(c.req.query('key') ?? ''), digest(secrets.mailPage));
  return thisMachine.isAddressed(c) && isKey;
}

/** Returns the address of the kept mail with its key for whoever sits at the machine, null for everybody else. */
export function mailPageFor(c: AppContext, { mailFolder, secrets, thisMachine }: AppParts): string | null {
  if (mailFolder === null || !thisMachine.isSource(c)) return null;
  return `/dev/mail?key=${encodeURIComponent(secrets.mailPage)}`;
}
