import { createContext, useContext } from 'react';
import type { UserWire } from '../../contract/account.ts';
import type { Identity } from './identity.ts';

export interface CurrentUser {
  id: string;
  email: string;
  fullName: string;
  photoUrl: string | null;
  /** The payment provider's customer id; empty while there is none. */
  paddleId: string;
  /** Empty while there is none. */
  companyName: string;
  /** IANA name of the zone that mails tell dates in; null: UTC alone. */
  timeZone: string | null;
}

/** The wire's user in the page's words. */
export function currentUserOf(wire: UserWire): CurrentUser {
  return {
    id: wire.id,
    email: wire.email,
    fullName: wire.full_name,
    photoUrl: wire.photo_url,
    paddleId: wire.paddle_id,
    companyName: wire.company_name,
    timeZone: wire.time_zone,
  };
}

export interface SignedIn {
  user: CurrentUser;
  /** After the account was changed on the server. */
  replaceUser: (user: CurrentUser) => void;
  /** Ends the session and goes to /login, also when the server could not be told. */
  logOut: () => Promise<void>;
  /** After the account was deleted: forgets everything and goes to /login without another call. */
  leave: () => Promise<void>;
  /** The identity provider, for what the profile changes there. */
  identity: () => Promise<Identity>;
}

export const SignedInContext = createContext<SignedIn | null>(null);

/** Only below a protected route, where there is a user. */
export function useSignedIn(): SignedIn {
  const signedIn = useContext(SignedInContext);
  if (!signedIn) throw new Error('useSignedIn is for protected routes');
  return signedIn;
}

/** Only below a protected route. */
export function useCurrentUser(): CurrentUser {
  return useSignedIn().user;
}
