import { duePostureParts } from '../core/check/posture-due.ts';
import type { PosturePart } from '../core/observation.ts';
import { identityKey, identityOf } from '../core/target.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Examination, Examiner } from '../probe/examiner.ts';
import { SYSTEM_ACCOUNT_ID } from '../store/operations/heartbeat.ts';
import { claimDue, type ClaimedMonitor, claimSameEndpoints } from '../store/monitors/monitor-claims.ts';
import type { Claim } from '../store/db/dialect.ts';
import type { Store } from '../store/db/open-store.ts';
import { isTraced, recordPastSpan, withSpan } from '../telemetry/trace-context.ts';
import type { Clock } from './clock.ts';
import type { OwnNetwork } from './own-network.ts';

/**
 * Monitors of one endpoint that share a probe, each with its own lease. They belong to different accounts. The list is never
 * empty.
 */
export type Watchers = readonly [ClaimedMonitor, ...ClaimedMonitor[]];

/**
 * Claims due monitors of at most `limit` endpoints, together with others that watch these endpoints. `isMore` is true if the
 * claim reached its limit: then more monitors may be due, even if the list has fewer endpoints.
 */
export async function claimWatchers(
  store: Store,
  claim: Claim & { taken: number },
): Promise<{ watchers: Watchers[]; isMore: boolean }> {
  const due = await claimDue(store, claim);
  const along = await claimSameEndpoints(store, { ...claim, of: due });
  const byProbe = Map.groupBy([...due, ...along], (monitor) => probeKey(monitor, claim.now) ?? monitor.id);
  const watchers = [...byProbe.values()].flatMap(([first, ...others]): Watchers[] =>
    first === undefined ? [] : [[first, ...others]],
  );
  return { watchers, isMore: due.length === claim.limit };
}

/**
 * Returns the key by which monitors share a probe; null if the account has its own authorities, which change the CA sources. The key
 * contains the due posture parts and whether the monitor is new: shared posture times would reveal that others watch the endpoint.
 */
function probeKey(monitor: ClaimedMonitor, now: number): string | null {
  if (monitor.authorities.length > 0) return null;
  const parts = duePostureParts([monitor], { protocol: monitor.protocol, now })?.toSorted() ?? null;
  return JSON.stringify([identityKey(monitor), monitor.verdict === null, parts]);
}

/** The result of one probe. */
export interface ProbeResult extends Pick<Examination, 'observation' | 'certificates'> {
  /** When the probe ended, ms UTC. */
  endedAt: number;
  /** Random number in [0, 1). All monitors get the same one, so that they are due together again. */
  jitter: number;
  /** Returns whether to trust the probe for a monitor. `wasDown` says whether the monitor was down before. */
  isTrusted: (wasDown: boolean) => Promise<boolean>;
  verdictFor: (monitor: ClaimedMonitor) => Promise<Verdict>;
}

export interface SharedProbes {
  /**
   * Starts a probe, or joins one of the same endpoint that is still running or being recorded. Call `end` after recording the
   * results. Calls `onSlow` once if the server is slow before TLS; at once if the joined probe already knows that.
   */
  begin(
    watchers: Watchers,
    options: { signal: AbortSignal; onSlow: () => void },
  ): { probe: Promise<ProbeResult>; end: () => void };
}

/** Maximum time in ms after the start of a probe during which other monitors may join it. */
const MAX_PROBE_AGE_MS = 20_000;

interface Running {
  startedAt: number;
  users: number;
  /** Resolves if the server is slow before TLS. */
  slow: Promise<void>;
  probe: Promise<ProbeResult>;
}

/**
 * Creates probes that the monitors of an endpoint share. Monitors that are claimed while the results are being recorded share
 * them too.
 */
export function createSharedProbes(options: {
  examiner: Examiner;
  clock: Clock;
  random: () => number;
  ownNetwork: OwnNetwork;
}): SharedProbes {
  const { examiner, clock, random, ownNetwork } = options;
  const running = new Map<string, Running>();

  async function probe(
    watchers: Watchers,
    postureParts: readonly PosturePart[] | null,
    { signal, onSlow }: { signal: AbortSignal; onSlow: () => void },
  ): Promise<ProbeResult> {
    const [first] = watchers;
    const { authorities } = first;
    // Judge equal previous verdicts once: monitors that shared earlier probes mostly have equal ones. A single watcher needs no
    // comparison.
    const keyOf = (verdict: Verdict | null) =>
      verdict === first.verdict && watchers.length === 1 ? '' : JSON.stringify(verdict);
    const previous = new Map(watchers.map(({ verdict }) => [keyOf(verdict), verdict]));
    const { observation, verdicts, certificates } = await withSpan('observe', {}, () =>
      examiner.examine(identityOf(first), {
        signal,
        onSlow,
        authorities,
        previous: [...previous.values()],
        withPosture: postureParts !== null,
        ...(postureParts && { postureParts }),
        // Every account that watches the endpoint may see its replies.
        replies: 'public',
        isNew: first.verdict === null,
        ...(isTraced() && { onStep: recordPastSpan }),
      }),
    );
    const endedAt = clock.now();
    const judged = new Map(
      verdicts.map((verdict, index) => [[...previous.keys()][index], Promise.resolve(verdict)]),
    );
    const trusted = new Map<boolean, Promise<boolean>>();
    // Leave out the monitor of the self-check, which is no customer's. Each account watches an endpoint at most once, so none has
    // two votes.
    const upFor = watchers
      .filter(({ uptime, accountId }) => uptime === 'up' && accountId !== SYSTEM_ACCOUNT_ID)
      .map(({ accountId }) => accountId);
    return {
      observation,
      certificates,
      endedAt,
      jitter: random(),
      isTrusted: (wasDown) =>
        memoized(trusted, wasDown, () => ownNetwork.trusts(observation, { wasDown, upFor })),
      // Monitors that joined later may have other previous verdicts, which are judged here.
      verdictFor: ({ verdict: previous }) =>
        memoized(judged, keyOf(previous), () =>
          examiner.judge({ observation, now: endedAt, authorities, previous }),
        ),
    };
  }

  return {
    begin(watchers, { signal, onSlow }) {
      const [first] = watchers;
      const now = clock.now();
      const key = probeKey(first, now);
      const known = key === null ? undefined : running.get(key);
      if (known !== undefined && canJoin(known, watchers, now)) return use(key, known, onSlow);
      const { promise: slow, resolve: markSlow } = Promise.withResolvers<void>();
      const postureParts = duePostureParts(watchers, { protocol: first.protocol, now });
      const begun = { startedAt: now, users: 0, slow };
      const started = { ...begun, probe: probe(watchers, postureParts, { signal, onSlow: markSlow }) };
      return use(key, started, onSlow);
    },
  };

  function use(key: string | null, one: Running, onSlow: () => void): ReturnType<SharedProbes['begin']> {
    one.users += 1;
    void one.slow.then(onSlow);
    if (key !== null) running.set(key, one);
    return {
      probe: one.probe,
      end() {
        one.users -= 1;
        if (key !== null && one.users === 0 && running.get(key) === one) running.delete(key);
      },
    };
  }
}

/** Returns whether monitors may join a probe: it is recent, each was due before it started, and no user requested a check of them. */
function canJoin({ startedAt }: Running, watchers: Watchers, now: number): boolean {
  if (now - startedAt > MAX_PROBE_AGE_MS) return false;
  return watchers.every(({ isRequested, nextCheckAt }) => !isRequested && nextCheckAt < startedAt);
}

function memoized<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
