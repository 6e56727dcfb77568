import type { Generated } from 'kysely';
import type { Plan, PlanSource, PlanStatus } from '../../core/plan.ts';

/** A boolean as 0 or 1, which both databases support. */
type Flag = number;

export interface AccountsTable {
  id: string;
  /** Email address in lower case; unique. */
  email: string;
  email_verified: Flag;
  full_name: string;
  photo_url: string | null;
  paddle_id: string;
  company_name: string;
  /** The plan as last computed. After `plan_ends_at` the account has Free, even if this column still says otherwise. */
  plan: Plan;
  plan_status: Generated<PlanStatus>;
  plan_source: Generated<PlanSource>;
  plan_ends_at: number | null;
  trial_ends_at: number | null;
  /** Time at which the operator granted Premium, ms UTC; null: no grant. The grant has no end if `grant_ends_at` is null. */
  granted_at: number | null;
  grant_ends_at: number | null;
  disabled_at: number | null;
  /** IANA name of the time zone; null: UTC. */
  time_zone: string | null;
  /** JSON of AlertSettings; null: the defaults apply. */
  alert_settings: string | null;
  /** Due time of the next weekly digest, ms UTC; null: digests are off. */
  digest_next_at: number | null;
  /** Time at which the welcome email was queued, ms UTC; null before the first domain. The email shows whether mail arrives. */
  reached_out_at: number | null;
  /**
   * Time until which the account accepts unsubscribe links mailed before schema level 19, ms UTC; null if the account is newer.
   */
  old_links_until: number | null;
  /** The kind of account. `system`: the account of the self-check, to which nobody can sign in. */
  kind: Generated<'person' | 'system'>;
  created_at: number;
}

/** Sign-in identities of accounts, one row per (issuer, subject). */
export interface IdentitiesTable {
  issuer: string;
  subject: string;
  account_id: string;
  email_verified: Flag;
  created_at: number;
}

export interface SessionsTable {
  id: string;
  account_id: string;
  access_hash: string;
  access_expires_at: number;
  refresh_hash: string;
  /** Hash of the token that `refresh_hash` replaced at `rotated_at`. */
  previous_refresh_hash: string | null;
  rotated_at: number | null;
  refresh_idle_expires_at: number;
  refresh_expires_at: number;
  /** User-Agent header at the sign-in or the last refresh. */
  user_agent: Generated<string>;
  /** IP address at the sign-in or the last refresh. */
  address: Generated<string>;
  created_at: number;
}

/** A personal API token. Only the SHA-256 of its secret is stored. */
export interface ApiTokensTable {
  account_id: string;
  id: string;
  token_hash: string;
  /** The first characters of the token. */
  prefix: string;
  name: string;
  /** JSON list of scope names. */
  scopes: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
}

/** An API call with an idempotency key, running or answered. */
export interface IdempotencyKeysTable {
  account_id: string;
  /** SHA-256 of the idempotency key. */
  key_hash: string;
  /** SHA-256 of the method, path and input of the request. */
  request_hash: string;
  /** Random id of the attempt that holds the key's lease. */
  attempt: string;
  /** Time after which another attempt may take over an unanswered call, ms UTC. */
  lease_expires_at: number;
  /** HTTP status of the answer; null while the call is unanswered. */
  status: number | null;
  content_type: string | null;
  body: string | null;
  created_at: number;
}

/** Salted hashes of addresses that had a trial. A row outlives its account by twelve months. */
export interface TrialsTable {
  address_hash: string;
  account_id: string | null;
  started_at: number;
  account_deleted_at: number | null;
}

export interface FeedbackTable {
  id: string;
  account_id: string;
  title: string;
  message: string;
  /** 1 if the account had Premium when the feedback was written. */
  premium: Flag;
  created_at: number;
}

/** A certificate authority that one account trusts in addition to the public ones. */
export interface AuthoritiesTable {
  id: string;
  account_id: string;
  fingerprint: string;
  der: Uint8Array;
  /** JSON of AuthorityFacts. */
  facts: string;
  created_at: number;
}

/** A boolean on PostgreSQL, 0 or 1 on SQLite. `identityFlag` writes it. */
type IdentityFlag = boolean | number;
/** A time: ISO text on SQLite, timestamptz on PostgreSQL. PostgreSQL accepts ISO text in writes and comparisons. */
type IdentityInstant = string;

/** A user of better-auth. The row types of better-auth's tables only list the columns that the store uses. */
export interface IdentityUserTable {
  id: string;
  name: string;
  /** Email address in lower case; unique. */
  email: string;
  emailVerified: IdentityFlag;
  twoFactorEnabled: IdentityFlag | null;
  image: string | null;
  /** Company from the sign-up form, used when the account is created; null if the form had none. */
  company: string | null;
  /** Whether the sign-up form requested a trial, used when the account is created; null if there was no form. */
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
