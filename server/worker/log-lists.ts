import { setTimeout as delay } from 'node:timers/promises';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import type { LogLists, MissingList } from '../core/judge/transparency.ts';
import { type LogList, parseLogList } from '../pki/ct/log-list.ts';
import type { FetchLogList } from '../probe/sources/log-list-source.ts';
import type { Store } from '../store/db/open-store.ts';
import {
  claimLogList,
  keptLogList,
  type LogListKey,
  type LogListState,
  logListState,
  storeLogList,
  storeLogListProblem,
} from '../store/operations/log-lists.ts';
import { createWakeSignal } from './claim-loop.ts';
import type { Clock, Log } from './clock.ts';
import type { OwnNetwork } from './own-network.ts';

/** Where a list of Certificate Transparency logs comes from: an address, or the list itself, which was read from a file. */
export type LogListSetting = URL | LogList | 'off';

export interface LogListsOptions {
  settings: Record<keyof LogLists, LogListSetting>;
  fetch: FetchLogList;
  /** Called with all lists when one of them changes. */
  onChange(lists: LogLists): void;
}

interface LogListLoopOptions {
  /** Default: no lists. */
  logLists?: LogListsOptions;
  store: Store;
  clock: Pick<Clock, 'now'>;
  /** State of our clock: while the clock is wrong, no list is fetched. */
  ownNetwork: Pick<OwnNetwork, 'clockIsRight'>;
  log: Log;
}

export interface LogListLoop {
  start(): void;
  /** Uses the lists that are kept in the database. Sends no request. Never rejects. */
  useKept(): Promise<void>;
  /** Notes that a check saw a public certificate that somebody watches. Before that, no list is fetched. */
  want(): void;
  /** Uses the kept lists, and fetches those that are due. For tests. */
  runDue(): Promise<void>;
  /** Aborts a running request, and stops within `abortMs`. */
  stop(abortMs: number): Promise<void>;
}

/** Interval in ms at which a process notices lists that another one fetched, if the signal was lost. */
const POLL_MS = MINUTE_MS;

const OFF: LogListsOptions['settings'] = { google: 'off', apple: 'off' };
const SETTINGS = { google: 'CT_LOG_LIST', apple: 'APPLE_LOG_LIST' } as const;

/**
 * Creates the loop that keeps the lists of Certificate Transparency logs current. Once somebody watches a public certificate, one of all
 * processes asks for each list at most once a day, also if there was no usable answer. The lists are kept in the database, from which all processes take them.
 */
export function createLogListLoop(options: LogListLoopOptions): LogListLoop {
  const { logLists, store, clock, ownNetwork, log } = options;
  const { google, apple } = logLists?.settings ?? OFF;
  const fetched = Object.entries({ google, apple }).flatMap(([list, url]) =>
    url instanceof URL ? [{ list: list as keyof LogLists, url, address: url.href }] : [],
  );
  const inUse = createListsInUse(store, logListsAtStart({ google, apple }), (lists) =>
    logLists?.onChange(lists),
  );
  const stopping = new AbortController();
  const wakeSignal = createWakeSignal();
  let isWanted = false;
  let looping: Promise<void> = Promise.resolve();
  let unsubscribe = (): void => {};

  async function fetchList(key: LogListKey & { url: URL }, before: LogListState | null): Promise<void> {
    const { list, url, address } = key;
    const now = clock.now();
    if (
      stopping.signal.aborted ||
      logLists === undefined ||
      (before !== null && now < before.askedAt + DAY_MS)
    )
      return;
    if (!(await ownNetwork.clockIsRight())) return;
    if (!(await claimLogList(store, { list, address, before, now }))) return;
    // The next check of a public certificate asks for the lists again.
    isWanted = false;
    const keptAsOf = inUse.asOf(list);
    const request = { list, url, kept: keptAsOf === null ? null : before, keptAsOf, now };
    const answer = await logLists.fetch(request, stopping.signal);
    // The attempt was counted, so that a restart does not send another request at once.
    if (stopping.signal.aborted) return;
    if (answer.kind === 'failed') {
      await storeLogListProblem(store, { list, address, problem: answer.problem });
      if (answer.problem !== before?.problem)
        log.warn(
          { setting: SETTINGS[list], problem: answer.problem },
          'a list of Certificate Transparency logs could not be fetched',
        );
    } else await storeLogList(store, { list, address, answer: answer.kind === 'new' ? answer : null, now });
    await inUse.update(key, await logListState(store, key));
  }

  async function round(mayFetch: boolean): Promise<void> {
    const wasWanted = isWanted && mayFetch;
    for (const key of fetched) {
      const state = await logListState(store, key);
      await inUse.update(key, state);
      if (wasWanted) await fetchList(key, state);
    }
  }

  const tryRound = async (mayFetch: boolean): Promise<void> => {
    try {
      await round(mayFetch);
    } catch (error) {
      log.error({ err: error }, 'updating the lists of Certificate Transparency logs failed');
    }
  };

  return {
    start() {
      if (fetched.length === 0) return;
      unsubscribe = store.signals.subscribe(({ topic }) => {
        if (topic === 'log_lists' || topic === 'missed') wakeSignal.ring();
      });
      looping = (async () => {
        while (!stopping.signal.aborted) {
          await tryRound(true);
          if (!stopping.signal.aborted) await wakeSignal.wait(POLL_MS);
        }
      })();
    },
    useKept: () => tryRound(false),
    want() {
      if (isWanted) return;
      isWanted = true;
      wakeSignal.ring();
    },
    runDue: () => round(true),
    async stop(abortMs) {
      stopping.abort();
      unsubscribe();
      wakeSignal.ring();
      await Promise.race([looping, delay(abortMs, undefined, { ref: false })]);
    },
  };
}

/** Passes the kept lists on. `update` reads a list from the database if its state shows that it changed. */
function createListsInUse(store: Store, atStart: LogLists, onChange: LogListsOptions['onChange']) {
  let used = atStart;
  /** The times of the kept lists that are in use. */
  const times = new Map<keyof LogLists, Pick<LogListState, 'fetchedAt' | 'answeredAt'>>();
  return {
    /** Returns the time of a list in use, ms UTC; null if there is none. */
    asOf: (list: keyof LogLists) => asOf(used[list]),
    async update(key: LogListKey, state: LogListState | null): Promise<void> {
      if (state === null) return;
      const { list } = key;
      const { fetchedAt, answeredAt, problem } = state;
      const before = times.get(list);
      let next: LogList | MissingList = problem === null ? 'not_fetched' : 'failed';
      if (answeredAt !== null) {
        if (before?.answeredAt === answeredAt) return;
        const kept = await keptLogList(store, key);
        const parsed = kept && parseLogList(kept.body, kept.answeredAt);
        next = parsed === null || 'problem' in parsed ? 'failed' : parsed;
        times.set(list, { fetchedAt, answeredAt });
      }
      // With another object, examiners judge every certificate again. So do not replace a list by an equal one.
      const isEqual = asOf(used[list]) === asOf(next) && before?.fetchedAt === fetchedAt;
      if (used[list] === next || isEqual) return;
      used = { ...used, [list]: next };
      onChange(used);
    },
  };
}

/** Returns the lists before anything was read from the database. */
export function logListsAtStart({ google, apple }: LogListsOptions['settings']): LogLists {
  const atStart = (setting: LogListSetting) => (setting instanceof URL ? 'not_fetched' : setting);
  return { google: atStart(google), apple: atStart(apple) };
}

const asOf = (list: LogList | MissingList): number | null => (typeof list === 'string' ? null : list.asOf);
