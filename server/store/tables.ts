import type { Plan, Step } from '../core/index.ts';

/** 0 or 1: the form of a boolean that both databases have. */
type Flag = number;

export interface AccountsTable {
  id: string;
  /** Lower case; unique. */
  email: string;
  email_verified: Flag;
  full_name: string;
  photo_url: string | null;
  paddle_id: string;
  company_name: string;
  plan: Plan;
  created_at: number;
}

/** What an identity provider calls an account: one row per (issuer, subject). */
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
  /** The token that `refresh_hash` replaced at `rotated_at`. */
  previous_refresh_hash: string | null;
  rotated_at: number | null;
  refresh_idle_expires_at: number;
  refresh_expires_at: number;
  created_at: number;
}

export interface MonitorsTable {
  id: string;
  account_id: string;
  host: string;
  port: number;
  check_every_minutes: number;
  created_at: number;
  next_check_at: number;
  last_checked_at: number | null;
  /** A person asked for a check that no claim has taken up yet. */
  check_requested_at: number | null;
  lease_token: string | null;
  lease_expires_at: number | null;
  claimed_by: string | null;
  /** The leaf last seen; stays through checks that read none. */
  certificate_fingerprint: string | null;
  /** Of that leaf: what the list sorts and counts by. */
  not_after: number | null;
  revoked: Flag;
  /** The last check that read a certificate. */
  last_read_at: number | null;
  unreachable_since: number | null;
  /** JSON of the last verdict. */
  verdict: string | null;
  /** The row of `verdicts` that says the same. */
  verdict_id: string | null;
  problem: 'unreachable' | 'untrusted' | null;
  problem_message: string | null;
}

/** One row per check; `observation` is the evidence with fingerprints in the place of DER. */
export interface ChecksTable {
  id: string;
  monitor_id: string;
  started_at: number;
  finished_at: number;
  reached: Flag;
  observation: string;
  verdict_id: string | null;
}

/** Verdict history: a row where the conclusion differs from the one before. */
export interface VerdictsTable {
  id: string;
  monitor_id: string;
  judged_at: number;
  leaf_fingerprint: string | null;
  /** SHA-256 over what makes two verdicts say the same. */
  digest: string;
  verdict: string;
}

export interface CertificatesTable {
  /** SHA-256 of the DER, lower-case hex. */
  fingerprint: string;
  der: Uint8Array;
  /** JSON of CertificateFacts; null for a certificate that could not be read. */
  facts: string | null;
  first_seen_at: number;
}

/** Which certificates a monitor has shown: its history. Answers that alternate between two fold into two rows. */
export interface MonitorCertificatesTable {
  id: string;
  monitor_id: string;
  fingerprint: string;
  role: 'leaf' | 'chain';
  first_seen_at: number;
  last_seen_at: number;
}

export interface AlertsTable {
  id: string;
  account_id: string;
  monitor_id: string;
  kind: 'expiry';
  fingerprint: string;
  step: Step;
  not_before: number;
  not_after: number;
  role: 'leaf' | 'intermediate';
  name: string;
  as_of: number;
  created_at: number;
}

export type DeliveryState = 'waiting' | 'delivered' | 'failed' | 'superseded';

export interface DeliveriesTable {
  id: string;
  account_id: string;
  alert_id: string;
  channel: 'email';
  /** monitor:kind:fingerprint:step:channel; unique, so that nobody is told twice. */
  dedupe_key: string;
  message_id: string;
  state: DeliveryState;
  attempts: number;
  /** Claims in a row whose outcome nobody reported: the mark of a row that kills its worker. */
  unanswered: number;
  next_attempt_at: number;
  first_attempt_at: number | null;
  lease_token: string | null;
  lease_expires_at: number | null;
  claimed_by: string | null;
  settled_at: number | null;
  detail: string | null;
  created_at: number;
}

export interface DeliveryAttemptsTable {
  delivery_id: string;
  attempt: number;
  started_at: number;
  finished_at: number | null;
  /** null while it runs, and for ever where its worker died. */
  outcome: 'delivered' | 'failed' | 'superseded' | 'retry' | null;
  detail: string | null;
}

export interface RateLimitsTable {
  key: string;
  window_ends_at: number;
  count: number;
}

/** The few of better-auth's tables that the store itself touches, for an account's deletion and for retention. */
export interface IdentityUserTable {
  id: string;
  email: string;
}
export interface IdentitySessionTable {
  id: string;
  /** ISO text, or a timestamp that compares with it. */
  expiresAt: string;
}
export interface IdentityVerificationTable {
  identifier: string;
  value: string;
}

export interface Tables {
  accounts: AccountsTable;
  identities: IdentitiesTable;
  sessions: SessionsTable;
  monitors: MonitorsTable;
  checks: ChecksTable;
  verdicts: VerdictsTable;
  certificates: CertificatesTable;
  monitor_certificates: MonitorCertificatesTable;
  alerts: AlertsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  rate_limits: RateLimitsTable;
  user: IdentityUserTable;
  session: IdentitySessionTable;
  verification: IdentityVerificationTable;
}
