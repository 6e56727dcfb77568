import { mailedLink } from '../../core/account-mail.ts';
import { BUILT_IN } from '../../providers/identity/id-token.ts';
import type { IdentityEvents } from '../../providers/identity/identity-provider.ts';
import {
  enqueueMailToUser,
  replaceIdentityUser,
  verifyAddress,
} from '../../store/accounts/identity-users.ts';
import type { Store } from '../../store/db/open-store.ts';

const PAGE_OF = { verify_email: '/verify', reset_password: '/reset-password' } as const;

/**
 * Creates the handlers of the built-in identity provider's events, which queue its mail, and update accounts when
 * somebody proves ownership of an address.
 */
export function createIdentityEvents({
  store,
  publicUrl,
  clock,
}: {
  store: Store;
  publicUrl: URL;
  clock: { now(): number };
}): IdentityEvents {
  const user = (subject: string) => ({ issuer: BUILT_IN, subject });
  return {
    async mail({ subject, email }, { kind, token, expiresAt }) {
      const url = mailedLink(PAGE_OF[kind], token, publicUrl);
      const content = kind === 'verify_email' ? { kind, url } : { kind, url, expiresAt };
      await enqueueMailToUser(store, user(subject), {
        recipient: email,
        content,
        now: clock.now(),
        expiresAt,
      });
    },
    addressVerified: (subject) => verifyAddress(store, user(subject)),
    addressProven: (subject, proof) =>
      replaceIdentityUser(store, user(subject), { ...proof, now: clock.now() }),
  };
}
