/** A boolean on PostgreSQL, 0 or 1 on SQLite. `identityFlag` writes it. */
type IdentityFlag = boolean | number;
/** A time as ISO text on SQLite, as timestamptz on PostgreSQL, which accepts ISO text in writes and comparisons. */
type IdentityInstant = string;

/** A user of better-auth. These tables have only the columns that the store itself uses. */
export interface IdentityUserTable {
  id: string;
  name: string;
  /** Email address in lower case; unique. */
  email: string;
  emailVerified: IdentityFlag;
  twoFactorEnabled: IdentityFlag | null;
  image: string | null;
  /** Company from the sign-up form, used when the account is created; null if not given. */
  company: string | null;
  /** Whether the sign-up form requested a trial, used when the account is created; null if not given. */
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
/** A passkey or one-time code generator of a user. */
export interface IdentityFactorTable {
  id: string;
  userId: string;
}
/** Short-lived challenges and mailed tokens. */
export interface IdentityVerificationTable {
  identifier: string;
  value: string;
  expiresAt: IdentityInstant;
}
