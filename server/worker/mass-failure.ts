/** What one check of one target came to. */
export interface Outcome {
  /** `host:port`. */
  target: string;
  /** The registered domain, or the host itself where nobody registers such: what one operator's outage takes along. */
  domain: string;
  /** In a way for which the network may be to blame. */
  failed: boolean;
}

/** How many targets of the last minute failed, of how many, and over how many domains. */
export interface Tally {
  failed: number;
  targets: number;
  domains: number;
}

export interface MassFailure {
  /** The newest outcome of a target counts. Instants are ms UTC. */
  note(outcome: Outcome, now: number): void;
  /**
   * The tally while so much fails at once that one cause is likelier than many; null otherwise, and where that has lasted for
   * `believedAfterMs`: a real outage must not stay unseen because it is large.
   */
  holds(now: number, believedAfterMs: number): Tally | null;
}

const WINDOW_MS = 60_000;
/** While it holds, what failed is looked at again after about a minute and counts until then. */
const HELD_WINDOW_MS = 2 * WINDOW_MS;
const SHARE = 0.3;
const LEAST_TARGETS = 10;
const LEAST_DOMAINS = 5;

/** A sliding window of outcomes: pure but for what it remembers, with time as an argument. */
export function createMassFailure(): MassFailure {
  const outcomes = new Map<string, Outcome & { at: number }>();
  let since: number | null = null;

  function tally(now: number): Tally {
    const oldest = now - (since === null ? WINDOW_MS : HELD_WINDOW_MS);
    const count = { failed: 0, targets: 0 };
    const domains = new Set<string>();
    for (const [target, { at, failed, domain }] of outcomes) {
      // A clock that was set back leaves instants of the future behind.
      if (at > now || now - at > HELD_WINDOW_MS) outcomes.delete(target);
      if (at > now || at < oldest) continue;
      count.targets += 1;
      if (!failed) continue;
      count.failed += 1;
      domains.add(domain);
    }
    return { ...count, domains: domains.size };
  }

  return {
    note(outcome, now) {
      outcomes.set(outcome.target, { ...outcome, at: now });
    },
    holds(now, believedAfterMs) {
      const found = tally(now);
      const isMass =
        found.failed >= LEAST_TARGETS &&
        found.domains >= LEAST_DOMAINS &&
        found.failed >= SHARE * found.targets;
      if (!isMass) since = null;
      else if (since === null || since > now) since = now;
      return since !== null && now - since < believedAfterMs ? found : null;
    },
  };
}
