/** What an identity provider vouches for in an ID token. */
export interface IdentityClaims {
  /** Names the provider for good, whatever address it is reached at. */
  provider: string;
  /** The provider's own id of the person. */
  subject: string;
  /** Lower case. */
  email: string;
  emailVerified: boolean;
  name: string;
  /** The provider's own session that the token was issued in. */
  sessionId: string;
}

export type TokenRefusal = 'invalid' | 'expired' | 'unknown_user';

export interface IdentityProvider {
  /** Answers the provider's own HTTP routes below `/api/identity`; everything that is not needed is 404. */
  handler(request: Request): Promise<Response>;
  /** Judges an ID token: signature, issuer, audience, time, and that the person still exists. */
  verify(token: string): Promise<{ ok: true; claims: IdentityClaims } | { ok: false; reason: TokenRefusal }>;
  /** Ends one of the provider's sessions; none of that id is fine. */
  endSession(sessionId: string): Promise<void>;
}
