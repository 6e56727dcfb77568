import type { Observation } from '../core/index.ts';
import type { Examiner, Judgement } from '../probe/index.ts';
import { SYSTEM_ACCOUNT_ID } from '../store/operations/heartbeat.ts';
import {
  type Claim,
  claimCompanions,
  claimDue,
  type ClaimedMonitor,
} from '../store/monitors/monitor-claims.ts';
import type { Store } from '../store/db/open-store.ts';
import { isTraced, trace, tracePast } from '../telemetry/index.ts';
import type { Clock } from './clock.ts';
import type { OwnNetwork } from './own-network.ts';
import { HOUR_MS } from '../../contract/durations.ts';

/** Monitors of one endpoint that one look serves, of as many accounts: each under its own lease. Never empty. */
export type Watchers = readonly [ClaimedMonitor, ...ClaimedMonitor[]];

/**
 * Claims what is due with whoever watches the same; at most `limit` endpoints. `isMore`: as much was due as was asked for, which are
 * fewer endpoints where some watch the same.
 */
export async function claimWatchers(
  store: Store,
  claim: Claim & { taken: number },
): Promise<{ watchers: Watchers[]; isMore: boolean }> {
  const due = await claimDue(store, claim);
  const along = await claimCompanions(store, { ...claim, of: due });
  const byEndpoint = Map.groupBy([...due, ...along], (monitor) => keyOf(monitor) ?? monitor.id);
  const watchers = [...byEndpoint.values()].flatMap(([first, ...others]): Watchers[] =>
    first === undefined ? [] : [[first, ...others]],
  );
  return { watchers, isMore: due.length === claim.limit };
}

/** null for whoever trusts other authorities than everybody: a look for him asks other questions. */
function keyOf({ host, port, protocol, authorities }: ClaimedMonitor): string | null {
  return authorities.length > 0 ? null : `${protocol} ${host} ${port}`;
}

/** What one look saw. */
export interface Look {
  observation: Observation;
  /** When it ended: the `now` of all that follows from it. */
  endedAt: number;
  /** In [0, 1): one for all, so that whom it served falls due together again. */
  jitter: number;
  /** Tells whether the look may be recorded for a monitor; `wasDown`: the monitor is known to be down. */
  isTrusted: (wasDown: boolean) => Promise<boolean>;
  judgedFor: (monitor: ClaimedMonitor) => Promise<Judgement>;
}

export interface SharedLooks {
  /** The look that serves them. To be ended when all that follows from it is written down. */
  begin(watchers: Watchers, stopping: AbortSignal): { look: Promise<Look>; end: () => void };
}

/** What is older says too little of now. */
const LONGEST_SHARED_MS = 20_000;

interface Running {
  startedAt: number;
  withPosture: boolean;
  users: number;
  look: Promise<Look>;
}

/**
 * One look for everybody who watches an endpoint: also for those who were too many for one claim, as long as what it saw is still
 * being written down.
 */
export function createSharedLooks(options: {
  examiner: Examiner;
  clock: Clock;
  random: () => number;
  ownNetwork: OwnNetwork;
}): SharedLooks {
  const { examiner, clock, random, ownNetwork } = options;
  const running = new Map<string, Running>();

  async function look(watchers: Watchers, withPosture: boolean, stopping: AbortSignal): Promise<Look> {
    const [{ host, port, protocol, authorities }] = watchers;
    const endpoint = { host, port, protocol };
    const observation = await trace('observe', {}, () =>
      examiner.observe(endpoint, {
        signal: stopping,
        authorities,
        withPosture,
        ...(isTraced() && { onStep: tracePast }),
      }),
    );
    const endedAt = clock.now();
    const judgements = new Map<string, Promise<Judgement>>();
    const trusted = new Map<boolean, Promise<boolean>>();
    // Each account once: it watches an endpoint at most once. The product's own check is not a second customer.
    const upFor = watchers
      .filter(({ uptime, accountId }) => uptime === 'up' && accountId !== SYSTEM_ACCOUNT_ID)
      .map(({ accountId }) => accountId);
    return {
      observation,
      endedAt,
      jitter: random(),
      isTrusted: (wasDown) =>
        once(trusted, wasDown, () => ownNetwork.trusts(observation, { wasDown, upFor })),
      judgedFor({ verdict: previous }) {
        const judge = (): Promise<Judgement> =>
          trace('judge', {}, () => examiner.judge({ observation, now: endedAt, authorities, previous }));
        // Who was served by one look before mostly has the same verdict, to the letter.
        return watchers.length === 1 ? judge() : once(judgements, JSON.stringify(previous), judge);
      },
    };
  }

  return {
    begin(watchers, stopping) {
      const key = keyOf(watchers[0]);
      const withPosture = wantPosture(watchers, clock.now());
      const known = key === null ? undefined : running.get(key);
      if (known !== undefined && serves(known, { watchers, withPosture, now: clock.now() }))
        return use(key, known);
      const begun = { startedAt: clock.now(), withPosture, users: 0 };
      return use(key, { ...begun, look: look(watchers, withPosture, stopping) });
    },
  };

  function use(key: string | null, one: Running): ReturnType<SharedLooks['begin']> {
    one.users += 1;
    if (key !== null) running.set(key, one);
    return {
      look: one.look,
      end() {
        one.users -= 1;
        if (key !== null && one.users === 0 && running.get(key) === one) running.delete(key);
      },
    };
  }
}

/** A look serves whom it was begun for, and later whoever was due, and had wished for none, before it began. */
function serves(
  { startedAt, withPosture }: Running,
  asked: { watchers: Watchers; withPosture: boolean; now: number },
): boolean {
  if (asked.now - startedAt > LONGEST_SHARED_MS || (asked.withPosture && !withPosture)) return false;
  return asked.watchers.every(
    (monitor) => !monitor.asked && (monitor.nextCheckAt < startedAt || monitor.nextCheckAt > asked.now),
  );
}

function once<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/** Less than a day: daily checks come a little early. */
const POSTURE_EVERY_MS = 20 * HOUR_MS;

/** Not at a first check, which somebody waits for; afterwards about once a day, or when a person asks. */
function wantPosture(watchers: Watchers, now: number): boolean {
  return (
    watchers.every(({ verdict }) => verdict !== null) &&
    watchers.some(
      ({ verdict, asked }) => asked || !verdict?.posture || now - verdict.posture.at > POSTURE_EVERY_MS,
    )
  );
}
