import type { Generated } from 'kysely';
import type { CertificateProblem } from '../../core/check/problems.ts';
import type { Uptime } from '../../core/check/uptime.ts';
import type { Forecast } from '../../core/forecast/forecast.ts';
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
  /** Start of the hour of the figures in `hour`, ms UTC; null if `hour` is null. */
  hour_at: number | null;
  /** Figures of the current hour, which no row of `monitor_days` includes yet; see `parseHour`. */
  hour: string | null;
  /**
   * Time at which a limit last prevented storing evidence or certificates, or caused deletions, ms UTC; null if this never
   * happened.
   */
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
  /** End of the run's last check, ms UTC. Null for the open run: `monitor_states` has its end and count. */
  last_at: number | null;
  checks: number;
  reached: Flag;
  /** Uptime according to these checks alone; null for checks from before uptime was recorded. */
  uptime: Uptime | null;
  /** Reason why the host was down during the run, as a sentence; null if it was not. */
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

/** Distinct verdicts of a monitor. All checks with the same conclusions share one row. */
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
 * The certificates that a monitor's endpoint has served, one row per certificate. An endpoint that alternates between
 * certificates adds no further rows.
 */
export interface MonitorCertificatesTable {
  account_id: string;
  monitor_id: string;
  id: string;
  fingerprint: string;
  /**
   * Role of the certificate. `beside`: the normal handshake did not include it. It was fetched to complete a chain, or sent to
   * another kind of client.
   */
  role: 'leaf' | 'chain' | 'beside';
  first_seen_at: number;
  /**
   * Time at which the certificate was last seen, ms UTC. Outdated while `shown` is 1, because not every check writes this row;
   * `monitor_states.shown_at` then has the time.
   */
  last_seen_at: number;
  /**
   * 1 if every check with the current evidence sees the certificate; 0 for former certificates, and for those that only the
   * posture shows.
   */
  shown: Flag;
  /** 0 if the monitor's limit prevents keeping the certificate. The DER of a certificate that no monitor keeps is deleted. */
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
   * SHA-256 of the sorted names in `facts`, or of the subject if there are no names. Null without facts, or if an older program
   * stored the row (migration 0027).
   */
  names_digest: Generated<string | null>;
  /** Start of validity, ms UTC; null in the same cases as `names_digest`. */
  not_before: Generated<number | null>;
  /**
   * The issuer as lists show it, in lower case, at most 200 characters; null in the same cases as `names_digest` (migration
   * 0033).
   */
  issuer_line: Generated<string | null>;
  /**
   * Core's `sortName` of the name by which lists sort the certificate: null for most. It stays null if an older program
   * stored the row (migration 0038).
   */
  sort_name: Generated<string | null>;
  /** 1 if a check found a path to a root of a public root program; null if none did, or if only an older program checked it. */
  public_root: Generated<Flag | null>;
}

/**
 * The leaf certificates that addresses of an account's monitors served at the last check that read a certificate, one row per
 * certificate. Triggers maintain the table; code must not write it.
 */
export interface ServedCertificatesTable {
  account_id: string;
  fingerprint: string;
  not_after: number;
  /** `certificates.sort_name`, else the subject, else the first alternative name, in lower case, at most 200 characters. */
  name: string;
  /** The subject and every alternative name, in lower case, separated by spaces. */
  names: string;
  /** The issuer as lists show it, in lower case, at most 200 characters; empty if `certificates.issuer_line` is null. */
  issuer: Generated<string>;
  /** Number of monitors that saw the certificate, including paused ones. */
  domains: number;
}

/**
 * The leaves that addresses of a monitor served at the last check that read a certificate, except the one in
 * `monitors.certificate_fingerprint`. Most monitors have none. Triggers delete the rows of a deleted monitor.
 */
export interface OtherLeavesTable {
  account_id: string;
  monitor_id: string;
  fingerprint: string;
  /** End of validity, ms UTC. */
  not_after: number;
  /** Name of the monitor. It is here so that an index can have the rows in the order of lists. */
  host: string;
  port: number;
  /**
   * The worst problem of the leaf on this monitor, besides expiry; null if there is none, or before the first check after
   * migration 0034.
   */
  problem: CertificateProblem | null;
  /** Until when the renewal of the leaf is on schedule, ms UTC; null for leaves that are not short-lived or not trusted. */
  on_schedule_until: number | null;
}

/**
 * The certificates that a rule with a date concerns, one row per rule, certificate and monitor that serves it. Also the requests of
 * CAs to replace a certificate, whose rule is `REPLACEMENT_WANTED`.
 */
export interface DeadlinesTable {
  account_id: string;
  monitor_id: string;
  fingerprint: string;
  /** Id of the rule, as in findings. A later version may not have the rule any more. */
  rule: string;
  /** From when the rule holds, ms UTC; for requests of CAs the end of the renewal window. */
  from_at: number;
  /** End of validity, ms UTC. */
  not_after: number;
  /** Time of the first check that found that the rule concerns the certificate, ms UTC. */
  first_seen_at: number;
  /** Time of the check since which no address of the monitor serves the certificate, ms UTC; null while one does. */
  renewed_at: number | null;
}

/**
 * Forecasts of the next renewal, one row per account and certificate. The certificate has a path to a public root, and a monitor of the
 * account serves it; rows of other certificates are deleted by the daily sweep.
 */
export interface ForecastsTable {
  account_id: string;
  fingerprint: string;
  /** Due time of the next forecast, ms UTC. The worker that claims the row moves it forward. */
  next_at: number;
  /** Time of the evidence of the forecast, ms UTC. Null before the first forecast, like the columns up to `forecast`. */
  made_at: number | null;
  outcome: Forecast['outcome'] | null;
  /** One sentence for lists; also null unless the renewal will fail. */
  line: string | null;
  /** When the renewal is expected, ms UTC. */
  expected_at: number | null;
  /** JSON of Forecast. */
  forecast: string | null;
  /** JSON list of the causes that two forecasts found, which checks raise alerts about; null if there is none. */
  causes: string | null;
  /** JSON of ScoredForecast: the last forecast that was made early enough to be scored; null if there is none. */
  scored: string | null;
}

/** Certificates that were renewed, or that expired without a renewal, one row per account and certificate. Forecasts learn from them. */
export interface RenewalsTable {
  account_id: string;
  /** Fingerprint of the old certificate. */
  fingerprint: string;
  /** Fingerprint of the certificate that replaced it; null if there is none yet. */
  successor: string | null;
  /** `certificates.names_digest` of the old certificate. */
  names_digest: string;
  /** Name of the CA, at most 200 characters. */
  authority: string;
  /** Validity of the old certificate, ms UTC. */
  not_before: number;
  not_after: number;
  /** Start of validity of the successor, ms UTC; null if there is none yet. */
  renewed_at: number | null;
  /** JSON list of the validation methods that could succeed before the renewal; null if there was no forecast. */
  possible: string | null;
  /** `forecasts.scored` of the old certificate. */
  scored: string | null;
  /** Whether the forecast was right; null if it does not count, or until the first forecast of the successor decides. */
  score: 'foretold' | 'missed' | 'false_alarm' | null;
}

/**
 * Icons of sites, one row per endpoint, shared by all accounts. `content` is null if the site has no icon or none was fetched
 * yet.
 */
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
