import type { Generated } from 'kysely';
import type { CertificateProblem } from '../../core/check/problems.ts';
import type { Uptime } from '../../core/check/uptime.ts';
import type { LimitName } from '../../core/limits.ts';

/** A boolean as 0 or 1. */
type Flag = number;

/**
 * Values that each check of a monitor rewrites. A separate table keeps the indexed row of `monitors` small. The first check
 * creates the row.
 */
export interface MonitorStatesTable {
  account_id: string;
  monitor_id: string;
  /** Id of the row of `verdicts` with the result of the last check. */
  verdict_id: string | null;
  /** JSON of the parts of the last verdict that differ with every check; see `momentOf`. */
  moment: string | null;
  /** Id of the row of `evidence` with what the last check saw. */
  evidence_id: string | null;
  /** Id of the row of `evidence` of the last check that saw certificates; null if none did. */
  shown_id: string | null;
  /** Time of the last check that saw certificates, ms UTC; null if none did. */
  shown_at: number | null;
  /** Number of the open run in `check_runs`. */
  run_number: number;
  /** End of the last check of the open run, ms UTC. */
  run_last_at: number;
  /** Number of checks in the open run. */
  run_checks: number;
  /** The last checks in packed form; see `parseSamples`. */
  samples: string | null;
  /** Start of the hour that `hour` is about, ms UTC; null if `hour` is null. */
  hour_at: number | null;
  /** Figures of the current hour, which no row of `monitor_days` includes yet; see `parseHour`. */
  hour: string | null;
  /** Time at which a limit last prevented the storage of evidence or certificates, or deleted some, ms UTC; null: never. */
  unkept_at: number | null;
  /** The limit that set `unkept_at`; null: none. */
  unkept_limit: LimitName | null;
}

/** Consecutive checks with the same result. */
export interface CheckRunsTable {
  account_id: string;
  monitor_id: string;
  /** Number of the run within the monitor, from 1. */
  number: number;
  /** End of the run's first check, ms UTC. */
  first_at: number;
  /** End of the run's last check, ms UTC; null for the open run, whose end and count are in `monitor_states`. */
  last_at: number | null;
  checks: number;
  reached: Flag;
  /** Uptime according to these checks alone; null for checks from before uptime was recorded. */
  uptime: Uptime | null;
  /** Reason why the run counts as down, as a sentence; null if it does not. */
  down_message: string | null;
  verdict_id: string;
  evidence_id: string;
}

/** Distinct observations of a monitor. Checks that saw equal chains and failures share one row; see `evidenceId`. */
export interface EvidenceTable {
  account_id: string;
  monitor_id: string;
  /** 128-bit hash of the chains, failures and fetched CA certificates, without addresses and durations; see `evidenceId`. */
  id: string;
  first_seen_at: number;
  /** JSON of the observation, with fingerprints instead of DER. */
  observation: string;
}

/** Figures of a monitor's checks on one day (UTC), for the hours that have ended. */
export interface MonitorDaysTable {
  account_id: string;
  monitor_id: string;
  /** Start of the day, ms UTC. */
  day_at: number;
  checks: number;
  up: number;
  down: number;
  unknown: number;
  /** Number of checks with a response time. */
  answered: number;
  /** Sum of the response times, in ms. */
  response_sum: number;
  /** Slowest response time, in ms. */
  response_max: number;
  /** JSON of the hours with answers; see `hoursOf`. */
  hours: string;
}

/** Distinct verdicts of a monitor. All checks with the same conclusion share one row. */
export interface VerdictsTable {
  account_id: string;
  monitor_id: string;
  /** Truncated SHA-256 over the parts that distinguish verdicts. */
  id: string;
  /** Time of the first check with this verdict, ms UTC. */
  judged_at: number;
  leaf_fingerprint: string | null;
  /** JSON of the latest verdict with this id. */
  verdict: string;
}

/**
 * The certificates that a monitor's endpoint has served, one row each. Endpoints that alternate between certificates add no rows.
 */
export interface MonitorCertificatesTable {
  account_id: string;
  monitor_id: string;
  id: string;
  fingerprint: string;
  /**
   * Role of the certificate. `beside`: not sent in the normal handshake, but fetched to complete a chain or sent to another kind
   * of client.
   */
  role: 'leaf' | 'chain' | 'beside';
  first_seen_at: number;
  /**
   * Time at which the certificate was last seen, ms UTC. Outdated while `shown` is 1: then `monitor_states.shown_at` has the
   * time, because not every check writes this row.
   */
  last_seen_at: number;
  /** 1 if every check with the current evidence sees the certificate; 0 for former ones and those that only the posture shows. */
  shown: Flag;
  /** 0 if the certificate exceeds the monitor's limit. A certificate that no monitor keeps loses its DER. */
  kept: Generated<Flag>;
}

export interface CertificatesTable {
  /** SHA-256 of the DER, lower-case hex. */
  fingerprint: string;
  der: Uint8Array;
  /** JSON of CertificateFacts; null if the certificate could not be parsed. */
  facts: string | null;
  first_seen_at: number;
  /**
   * SHA-256 of the sorted names in `facts`, or of the subject without names; null without facts, or if an older program
   * stored the row (migration 0027).
   */
  names_digest: Generated<string | null>;
  /** Start of validity, ms UTC; null like `names_digest`. */
  not_before: Generated<number | null>;
  /** The issuer as lists show it, in lower case, at most 200 characters; null like `names_digest` (migration 0033). */
  issuer_line: Generated<string | null>;
}

/**
 * The leaf certificates that the monitors of an account saw last at any of their addresses, each once. Triggers maintain it; code must
 * not write it.
 */
export interface ServedCertificatesTable {
  account_id: string;
  fingerprint: string;
  not_after: number;
  /** The subject, else the first alternative name, in lower case, at most 200 characters. */
  name: string;
  /** The subject and every alternative name, in lower case, separated by spaces. */
  names: string;
  /** The issuer as lists show it, in lower case, at most 200 characters; empty if `certificates.issuer_line` is null. */
  issuer: Generated<string>;
  /** Number of monitors; paused ones count. */
  domains: number;
}

/**
 * The leaves that addresses of a monitor served at the last check that read one, except that of `monitors.certificate_fingerprint`.
 * Most monitors have none. Triggers delete the rows of a deleted monitor.
 */
export interface OtherLeavesTable {
  account_id: string;
  monitor_id: string;
  fingerprint: string;
  /** End of validity, ms UTC. */
  not_after: number;
  /** Name of the monitor, so that an index has the rows in the order of lists. */
  host: string;
  port: number;
  /** Its worst problem there, besides expiry; null if there is none, or until the first check after migration 0034. */
  problem: CertificateProblem | null;
  /** Until when its renewal is on schedule, ms UTC; null for certificates that are not short-lived, or not trusted. */
  on_schedule_until: number | null;
}

/** Icons of sites, one row per endpoint, shared by all accounts. Without `content`, the site has none or none was fetched yet. */
export interface FaviconsTable {
  host: string;
  port: number;
  /** Media type detected from the bytes, not from the server's header. */
  content_type: string | null;
  content: Uint8Array | null;
  /** Version of the icon, which changes with the content. */
  version: string | null;
  /** Due time of the next fetch, ms UTC. The worker that claims the row moves it forward. */
  next_fetch_at: number;
}
