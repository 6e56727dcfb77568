import { MINUTE_MS } from '../../contract/durations.ts';

/** The result of probing one target. */
export interface ProbeOutcome {
  /** Text that identifies the endpoint. */
  target: string;
  /** The registered domain, or the host itself if it has none: hosts of one domain often fail together. */
  domain: string;
  /** The accounts whose monitor of the target was up before. An outcome without any is ignored. */
  accounts: readonly string[];
  /** Whether the probe failed in a way that our own network may have caused. */
  failed: boolean;
}

/**
 * Numbers of targets in the window that were up before: of all, and of those that failed. Also numbers of the domains and accounts of
 * the failed ones.
 */
export interface Tally {
  failed: number;
  targets: number;
  domains: number;
  /** Number of accounts with failures at `SHARE` or more of their targets. */
  accounts: number;
}

export interface MassFailure {
  /** Adds an outcome, which replaces the target's previous one. `now` is ms of a monotonic clock. */
  add(outcome: ProbeOutcome, now: number): void;
  /**
   * Returns the tally while so many targets fail at once that our own network is the likeliest cause; else null. After
   * `believedAfterMs` it returns null as well: a real outage must not stay hidden because it is large.
   */
  currentTally(now: number, believedAfterMs: number): Tally | null;
}

const WINDOW_MS = MINUTE_MS;
/**
 * Window in ms while failures are held back. Each host is checked again after about a minute, and its failure must stay in the
 * window until then.
 */
const HELD_WINDOW_MS = 2 * WINDOW_MS;
/**
 * Smallest share of failed targets that counts as a mass failure. An account is affected if this share of its own targets failed, and
 * this share of the accounts must be affected.
 */
const SHARE = 0.3;
const MIN_TARGETS = 10;
const MIN_DOMAINS = 5;
/**
 * Smallest number of affected accounts that counts as a mass failure, unless the window has only one account: an outage of our own
 * network affects all accounts. So a person who takes down their own hosts cannot hold back the alerts of others.
 */
const MIN_ACCOUNTS = 3;

/** Creates a sliding window of outcomes, without a clock or I/O. */
export function createMassFailure(): MassFailure {
  const outcomes = new Map<string, ProbeOutcome & { at: number }>();
  let since: number | null = null;

  /** Returns the outcomes in the window at `now`. Deletes outcomes that are too old to enter a window again. */
  function currentOutcomes(now: number): ProbeOutcome[] {
    const oldest = now - (since === null ? WINDOW_MS : HELD_WINDOW_MS);
    const current: ProbeOutcome[] = [];
    for (const [target, outcome] of outcomes) {
      if (now - outcome.at > HELD_WINDOW_MS) outcomes.delete(target);
      else if (outcome.at >= oldest) current.push(outcome);
    }
    return current;
  }

  return {
    add(outcome, now) {
      if (outcome.accounts.length > 0) outcomes.set(outcome.target, { ...outcome, at: now });
    },
    currentTally(now, believedAfterMs) {
      const mass = massAmong(currentOutcomes(now));
      since = mass === null ? null : (since ?? now);
      return since !== null && now - since < believedAfterMs ? mass : null;
    },
  };
}

/** Returns the tally if it passes every threshold, else null. */
function massAmong(outcomes: readonly ProbeOutcome[]): Tally | null {
  const failed = outcomes.filter((outcome) => outcome.failed);
  const domains = new Set(failed.map(({ domain }) => domain)).size;
  const isMany = failed.length >= MIN_TARGETS && domains >= MIN_DOMAINS;
  // Return early in most calls, before counting per account.
  if (!isMany || failed.length < SHARE * outcomes.length) return null;
  const targetsOf = countByAccount(outcomes);
  const accounts = [...countByAccount(failed)].filter(
    ([account, count]) => count >= SHARE * (targetsOf.get(account) ?? 0),
  ).length;
  const requiredAccounts = targetsOf.size === 1 ? 1 : Math.max(MIN_ACCOUNTS, SHARE * targetsOf.size);
  return accounts < requiredAccounts
    ? null
    : { failed: failed.length, targets: outcomes.length, domains, accounts };
}

function countByAccount(outcomes: readonly ProbeOutcome[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { accounts } of outcomes)
    for (const account of accounts) counts.set(account, (counts.get(account) ?? 0) + 1);
  return counts;
}
