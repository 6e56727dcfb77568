import { createContext, useContext } from 'react';
import { z } from 'zod';
import { userSchema, type UserWire } from '../../../contract/account.ts';
import type { Identity } from './identity.ts';

export interface CurrentUser {
  id: string;
  email: string;
  fullName: string;
  photoUrl: string | null;
  /** The payment provider's customer id; empty for users who never bought anything. */
  paddleId: string;
  /** Empty if the user gave no company. */
  companyName: string;
  /** IANA name of the zone for dates in emails; null: UTC only. */
  timeZone: string | null;
}

/** An answer with a user. The specification allows an answer without one. */
export const optionalUser = z.object({ data: userSchema.nullish() });

/** Maps the wire's user to the page's. */
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
  /** Updates the user after a change on the server. */
  replaceUser: (user: CurrentUser) => void;
  /** Ends the session and goes to /login, even if the server could not be reached. */
  logOut: () => Promise<void>;
  /** Forgets everything after the account was deleted and goes to /login, without another call. */
  leave: () => Promise<void>;
  /** Loads the identity provider, which resets the password and signs the user in again for changes of security settings. */
  identity: () => Promise<Identity>;
}

export const SignedInContext = createContext<SignedIn | null>(null);

/** Returns the session of the signed-in user. Throws outside protected routes. */
export function useSignedIn(): SignedIn {
  const signedIn = useContext(SignedInContext);
  if (!signedIn) throw new Error('useSignedIn is for protected routes');
  return signedIn;
}

/** Returns the signed-in user. Throws outside protected routes. */
export function useCurrentUser(): CurrentUser {
  return useSignedIn().user;
}
