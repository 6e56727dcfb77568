import type { PasswordWeakness } from './weak-password.ts';

/** What an identity provider vouches for in an ID token. */
export interface IdentityClaims {
  /** Names the provider for good, whatever address it is reached at: `built-in`, or `firebase:` and the project. */
  provider: string;
  /** The provider's own id of the person. */
  subject: string;
  /** Lower case. */
  email: string;
  emailVerified: boolean;
  name: string;
  photoUrl: string | null;
  /** What the sign-up asked for, for when the account is made. Empty and false where the provider does not keep it. */
  signUp: { company: string; trial: boolean };
  /** The provider's own session that the token was issued in; null where there is none to end. */
  sessionId: string | null;
}

export type TokenRefusal =
  | 'invalid'
  | 'expired'
  /** The provider's session that it was issued in has ended: it was used, or its person is gone or has a new password. */
  | 'session_over'
  /** Somebody for sure, but without the address that an account is about. */
  | 'no_email'
  /** The keys that judge tokens could not be fetched: nothing is known about this one. */
  | 'unreachable';

export type TokenVerdict = { ok: true; claims: IdentityClaims } | { ok: false; reason: TokenRefusal };

export interface IdentityMethods {
  password: boolean;
  totp: boolean;
  passkeys: { id: string; name: string; createdAt: number }[];
  /** Ids of the OpenID providers that were used. */
  oidc: string[];
}

/** The provider could not be asked; nothing was done. */
export class IdentityUnavailable extends Error {
  override name = 'IdentityUnavailable';
}

export interface IdentityProvider {
  kind: 'built-in' | 'firebase';
  /** Answers the provider's own HTTP routes below `/api/identity`; everything that is not needed is 404. */
  handler(request: Request): Promise<Response>;
  /** Judges an ID token: signature, issuer, audience, time, and (built-in) that its session still exists. */
  verify(token: string): Promise<TokenVerdict>;
  /** Ends one of the provider's sessions. False where there is none of that id: it was used or ended already. */
  endSession(sessionId: string): Promise<boolean>;
  /** How a person can sign in. Of another provider than the built-in one it knows nothing: all is empty. */
  methods(subject: string): Promise<IdentityMethods>;
  /**
   * Deletes the person where that takes more than our own database, before the account goes. Nothing to do for the
   * built-in provider and for Firebase without service credentials (the page deletes the user then).
   * @throws IdentityUnavailable
   */
  deleteUser(subject: string): Promise<void>;
  /** What only the built-in provider does; null elsewhere. */
  builtIn: BuiltInActions | null;
}

export interface BuiltInActions {
  /** The subject whose provider session, or half-finished sign-in, a Cookie header proves. */
  callerOf(cookie: string): Promise<string | null>;
  /** Mails a link to the person's address; nothing to do where it is verified. */
  sendVerification(subject: string): Promise<void>;
  /** Whether the token is good for this very person, whose address is verified then. */
  verifyEmail(token: string, subject: string): Promise<boolean>;
  /** Mails a link to whoever has the address; takes as long where nobody has. */
  requestPasswordReset(email: string): Promise<void>;
  /**
   * Sets the password with the token of such a link, which is spent, and verifies the address, which it proves. Where it
   * was not verified before, every other way to sign in goes. The person has another subject afterwards.
   */
  resetPassword(
    token: string,
    password: string,
  ): Promise<{ ok: true; subject: string } | { ok: false; reason: 'invalid_token' | PasswordWeakness }>;
}

/** What happens at the built-in provider and reaches beyond its library: each is carried out in one transaction. */
export interface IdentityEvents {
  /** Instants are ms UTC. */
  mail(
    person: { subject: string; email: string },
    content: { kind: 'verify_email' | 'reset_password'; token: string; expiresAt: number },
  ): Promise<void>;
  /** Somebody proved, in a session of the person's own, to own the address. False where there is no such person. */
  addressVerified(subject: string): Promise<boolean>;
  /**
   * Somebody proved to own the address of `subject` from outside of every session, by a link that sets a password or through another
   * provider. All sessions end. An unverified person may have been somebody else: their ways to sign in go, and the account is cleared.
   * Answers the person's new subject, null where there is no such person.
   */
  addressProven(subject: string, proof: AddressProof): Promise<string | null>;
}

/** A new password, or what another provider says of the person. */
export type AddressProof = { passwordHash: string } | { profile: { name: string; image: string | null } };
