import type { Generated } from 'kysely';
import type { LimitName, Uptime } from '../../core/index.ts';

/** 0 or 1. */
type Flag = number;

/**
 * Of a monitor that was checked, what each check writes anew, so that the row of `monitors` with its indexes stays small. One row
 * each, made by the first check.
 */
export interface MonitorStatesTable {
  account_id: string;
  monitor_id: string;
  /** The row of `verdicts` that the last check came to. */
  verdict_id: string | null;
  /** JSON: what of that verdict is of the last check alone, as `momentOf` takes it out. */
  moment: string | null;
  /** The row of `evidence` that has what the last check saw. */
  evidence_id: string | null;
  /** The same of the last check that saw certificates, and when that was. */
  shown_id: string | null;
  shown_at: number | null;
  /** The open one of `check_runs`, with its last check and how many it has by now. */
  run_number: number;
  run_last_at: number;
  run_checks: number;
  /** The last checks, packed: see `parseSamples`. */
  samples: string | null;
  /** When the hour began that is part of no day yet, and its figures: see `parseHour`. */
  hour_at: number | null;
  hour: string | null;
  /** When a check last saw certificates of which a limit kept some from being stored, and which limit; null: none ever did. */
  unkept_at: number | null;
  unkept_limit: LimitName | null;
}

/** Checks in a row that said the same. */
export interface CheckRunsTable {
  account_id: string;
  monitor_id: string;
  /** From 1. */
  number: number;
  /** When the first of its checks ended. */
  first_at: number;
  /** The same of the last one; null of the open run, of which `monitor_states` has this and the number of checks. */
  last_at: number | null;
  checks: number;
  reached: Flag;
  /** What these checks alone saw; null for checks from before it was looked at. */
  uptime: Uptime | null;
  /** Why it counts as down, as a sentence. */
  down_message: string | null;
  verdict_id: string;
  evidence_id: string;
}

/** What a monitor has shown: one observation for all checks that saw the same, however often it came back. */
export interface EvidenceTable {
  account_id: string;
  monitor_id: string;
  /** Of what was seen, without the time it took and the order of addresses. */
  id: string;
  first_seen_at: number;
  /** JSON with fingerprints in the place of DER. */
  observation: string;
}

/** What the checks of a day (UTC) came to, as far as its hours are over. */
export interface MonitorDaysTable {
  account_id: string;
  monitor_id: string;
  /** When it began, ms UTC. */
  day_at: number;
  checks: number;
  up: number;
  down: number;
  unknown: number;
  /** Checks with a response time; the sum of those and the slowest, in ms. */
  answered: number;
  response_sum: number;
  response_max: number;
  /** JSON of the hours that had answers: see `hoursOf`. */
  hours: string;
}

/** Verdicts of a monitor: one for all checks that concluded the same, however often it came back. */
export interface VerdictsTable {
  account_id: string;
  monitor_id: string;
  /** The beginning of a SHA-256 over what makes two verdicts say the same. */
  id: string;
  /** The first time. */
  judged_at: number;
  leaf_fingerprint: string | null;
  /** JSON, in the words of the last time. */
  verdict: string;
}

/** Which certificates a monitor has shown: its history. Answers that alternate between two fold into two rows. */
export interface MonitorCertificatesTable {
  account_id: string;
  monitor_id: string;
  id: string;
  fingerprint: string;
  /** `beside`: not sent in a usual handshake, but fetched to complete its chain, or shown to another kind of client. */
  role: 'leaf' | 'chain' | 'beside';
  first_seen_at: number;
  /** Where `shown` is 1 it is `monitor_states.shown_at` instead: not every check writes it. */
  last_seen_at: number;
  /** 1: the last check that saw certificates saw this one. */
  shown: Flag;
  /** 0: it is one of too many that this monitor has shown; without a monitor that keeps it, a certificate loses its DER. */
  kept: Generated<Flag>;
}
