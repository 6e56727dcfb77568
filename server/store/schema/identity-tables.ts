/** A boolean on PostgreSQL, 0 or 1 on SQLite: `identityFlag` writes it. */
type IdentityFlag = boolean | number;
/** ISO text, or a timestamp that is written as such and compares with it. */
type IdentityInstant = string;

/** The few of better-auth's tables that the store itself touches, for an account's deletion and for retention. */
export interface IdentityUserTable {
  id: string;
  name: string;
  /** Lower case; unique. */
  email: string;
  emailVerified: IdentityFlag;
  twoFactorEnabled: IdentityFlag | null;
  image: string | null;
  /** What the sign-up asked for; null where it did not. Counts when the account is made. */
  company: string | null;
  trial: IdentityFlag | null;
  createdAt: IdentityInstant;
  updatedAt: IdentityInstant;
}
export interface IdentitySessionTable {
  id: string;
  userId: string;
  expiresAt: IdentityInstant;
}
/** A password (`providerId` is "credential" and `accountId` the user's id), or a link to another provider. */
export interface IdentityAccountTable {
  id: string;
  userId: string;
  accountId: string;
  providerId: string;
  password: string | null;
  createdAt: IdentityInstant;
  updatedAt: IdentityInstant;
}
/** What of a person's passkeys and one-time codes matters here: whose they are. */
export interface IdentityFactorTable {
  id: string;
  userId: string;
}
/** Short-lived: challenges, and tokens that were mailed. */
export interface IdentityVerificationTable {
  identifier: string;
  value: string;
  expiresAt: IdentityInstant;
}
