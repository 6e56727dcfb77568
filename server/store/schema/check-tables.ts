import type { Generated } from 'kysely';
import type { LimitName, Uptime } from '../../core/index.ts';

/** 0 or 1. */
type Flag = number;

/**
 * Values that each check of a monitor rewrites, kept apart so that the indexed row of `monitors` stays small. The first
 * check creates the row.
 */
export interface MonitorStatesTable {
  account_id: string;
  monitor_id: string;
  /** The row of `verdicts` with the result of the last check. */
  verdict_id: string | null;
  /** JSON of the parts of that verdict that change with every check; see `momentOf`. */
  moment: string | null;
  /** The row of `evidence` with what the last check saw. */
  evidence_id: string | null;
  /** The row of `evidence` of the last check that saw certificates, and the time of that check. */
  shown_id: string | null;
  shown_at: number | null;
  /** The open row of `check_runs`, the time of its last check and its number of checks. */
  run_number: number;
  run_last_at: number;
  run_checks: number;
  /** The last checks in packed form; see `parseSamples`. */
  samples: string | null;
  /** Start and figures of the current hour, which no day contains yet; see `parseHour`. */
  hour_at: number | null;
  hour: string | null;
  /** When a limit last kept certificates of a check from being stored, and which limit; null: never. */
  unkept_at: number | null;
  unkept_limit: LimitName | null;
}

/** Consecutive checks with the same result. */
export interface CheckRunsTable {
  account_id: string;
  monitor_id: string;
  /** Starts at 1. */
  number: number;
  /** When the first of its checks ended. */
  first_at: number;
  /** When the last of its checks ended; null for the open run, whose end and count `monitor_states` has. */
  last_at: number | null;
  checks: number;
  reached: Flag;
  /** Uptime as seen by these checks alone; null for checks from before uptime was recorded. */
  uptime: Uptime | null;
  /** The reason why it counts as down, as a sentence. */
  down_message: string | null;
  verdict_id: string;
  evidence_id: string;
}

/** Distinct observations of a monitor. All checks that saw the same share one row. */
export interface EvidenceTable {
  account_id: string;
  monitor_id: string;
  /** 128-bit hash of what was shown, without addresses and durations; see `evidenceId`. */
  id: string;
  first_seen_at: number;
  /** JSON with fingerprints instead of DER. */
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
  /** Number of checks with a response time; the sum of these times and the slowest, in ms. */
  answered: number;
  response_sum: number;
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
  /** Time of the first such verdict. */
  judged_at: number;
  leaf_fingerprint: string | null;
  /** JSON of the latest such verdict. */
  verdict: string;
}

/** The certificates that a monitor has shown, one row each. Alternating answers do not add rows. */
export interface MonitorCertificatesTable {
  account_id: string;
  monitor_id: string;
  id: string;
  fingerprint: string;
  /** `beside`: not sent in the normal handshake, but fetched to complete a chain or shown to another kind of client. */
  role: 'leaf' | 'chain' | 'beside';
  first_seen_at: number;
  /** Stale while `shown` is 1: then `monitor_states.shown_at` has the time, because not every check writes this row. */
  last_seen_at: number;
  /** 1 if the last check that saw certificates saw this one. */
  shown: Flag;
  /** 0 if beyond the monitor's limit of certificates. A certificate that no monitor keeps loses its DER. */
  kept: Generated<Flag>;
}
