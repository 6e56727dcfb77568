import type { PasswordWeakness } from './weak-password.ts';

/** Claims of a verified ID token. */
export interface IdentityClaims {
  /** Permanent name of the provider, independent of its URL: `built-in`, or `firebase:` and the project id. */
  provider: string;
  /** User id at the provider. */
  subject: string;
  /** Email address in lower case. */
  email: string;
  emailVerified: boolean;
  name: string;
  photoUrl: string | null;
  /** Choices made at sign-up, used when the account is created. Empty and false if the provider does not store them. */
  signUp: { company: string; trial: boolean };
  /** Id of the provider's session that the token belongs to; null if the provider has no sessions that we can end. */
  sessionId: string | null;
  /** Time when the person signed in to the provider's session, ms UTC; null if there is no such session. */
  signedInAt: number | null;
}

export type TokenFailure =
  | 'invalid'
  | 'expired'
  /** The token's provider session has ended, for example because it was used or the password was changed. */
  | 'session_over'
  /** The token is valid but contains no email address, which every account needs. */
  | 'no_email'
  /** The issuer's keys could not be fetched, so the token could not be verified. */
  | 'unreachable';

export type TokenVerification = { ok: true; claims: IdentityClaims } | { ok: false; reason: TokenFailure };

export interface IdentityMethods {
  password: boolean;
  totp: boolean;
  passkeys: { id: string; name: string; createdAt: number }[];
  /** Ids of the OpenID providers that the user has signed in with. */
  oidc: string[];
}

/** Error for a provider that is unreachable or sent no usable response. */
export class IdentityUnavailable extends Error {
  override name = 'IdentityUnavailable';
}

export interface IdentityProvider {
  kind: 'built-in' | 'firebase';
  /** Handles the provider's own HTTP routes below `/api/identity`. Responds with 404 to routes that the product does not use. */
  handler(request: Request): Promise<Response>;
  /** Verifies an ID token: signature, issuer, audience, times and, if built-in, that its session still exists. */
  verify(token: string): Promise<TokenVerification>;
  /** Ends one of the provider's sessions. Returns false if the session was used or has already ended. */
  endSession(sessionId: string): Promise<boolean>;
  /** Returns how a user can sign in. Only the built-in provider knows; other providers return false and empty lists. */
  methods(subject: string): Promise<IdentityMethods>;
  /**
   * Deletes the user at an external provider. Call it before deleting the account. Does nothing for built-in users, who are
   * deleted with the account, and for Firebase without a service account (the page deletes the user). @throws IdentityUnavailable
   */
  deleteUser(subject: string): Promise<void>;
  /** Actions that only the built-in provider has; null for other providers. */
  builtIn: BuiltInActions | null;
}

export interface BuiltInActions {
  /**
   * Returns the subject of the provider's session, or of an unfinished two-factor sign-in, in a Cookie header; null if it has
   * neither.
   */
  callerOf(cookie: string): Promise<string | null>;
  /**
   * Opens a session of the provider for a user who signed in at `signedInAt` (ms UTC). Returns the values of its Set-Cookie
   * headers; none if the user is unknown.
   */
  openSession(subject: string, signedInAt: number): Promise<string[]>;
  /** Mails a verification link to the user's address. Does nothing if it is already verified or the user unknown. */
  sendVerification(subject: string): Promise<void>;
  /** Verifies the user's address. Returns false if the token is invalid or belongs to another user. */
  verifyEmail(token: string, subject: string): Promise<boolean>;
  /**
   * Mails a reset link if a user has the address. Otherwise takes equally long, so that the response time does not reveal whether
   * a user exists.
   */
  requestPasswordReset(email: string): Promise<void>;
  /**
   * Sets the password, consumes the reset token, marks the address as verified and ends all sessions. If the address was unverified,
   * removes all other sign-in methods. Returns the user's new subject, or the reason why the token or password was refused.
   */
  resetPassword(
    token: string,
    password: string,
  ): Promise<{ ok: true; subject: string } | { ok: false; reason: 'invalid_token' | PasswordWeakness }>;
}

/** Callbacks from the built-in provider into the product. Each runs in one transaction. */
export interface IdentityEvents {
  /** Queues a mail with a link to the user. `expiresAt` is ms UTC. */
  mail(
    person: { subject: string; email: string },
    content: { kind: 'verify_email' | 'reset_password'; token: string; expiresAt: number },
  ): Promise<void>;
  /** Records that the signed-in user proved to own the address. Returns false if there is no such user. */
  addressVerified(subject: string): Promise<boolean>;
  /**
   * Records that a person without a session owns the address: replaces the user and ends all sessions, API tokens and calendar
   * links. Clears an unverified account and its sign-in methods. With a `profile`, changes nothing if the address is verified.
   * Returns the current subject; null if there is no such user.
   */
  addressProven(subject: string, proof: AddressProof): Promise<string | null>;
}

/** Proof of an address: the hash of the new password, or the profile that another provider returned. */
export type AddressProof = { passwordHash: string } | { profile: { name: string; image: string | null } };
