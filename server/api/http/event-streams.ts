import type { ServerEvent } from '../../../contract/event.ts';
import { monitorOf } from '../../store/monitors/monitors.ts';
import type { Store } from '../../store/db/open-store.ts';
import type { Signal } from '../../store/db/signals.ts';
import { oneDomainWire } from '../domains/domain-wire.ts';

/** Far above one per browser; each one is a socket and a timer. */
const MAX_STREAMS_PER_ACCOUNT = 20;

interface EventStream {
  /** The next thing to tell; null when `waitMs` passed without one. After `session_ended` nothing follows. */
  next(waitMs: number): Promise<ServerEvent | null>;
  /** Whether events may have been missed: whoever opens another one reads everything anew. */
  readonly isOver: boolean;
  close(): void;
}

export interface EventStreams {
  /** null when the account has too many open. */
  open(session: { accountId: string; sessionId: string }): EventStream | null;
}

/** Passes the store's signals on to the streams of the account that they are about. */
export function createEventStreams(store: Store, clock: { now(): number }): EventStreams {
  const byAccount = new Map<string, Set<Stream>>();
  store.signals.subscribe((signal) => {
    if (signal.topic === 'missed')
      for (const streams of byAccount.values()) for (const stream of streams) stream.take(signal);
    if (!('accountId' in signal)) return;
    for (const stream of byAccount.get(signal.accountId) ?? []) stream.take(signal);
  });

  return {
    open({ accountId, sessionId }) {
      const streams = byAccount.get(accountId) ?? new Set();
      if (streams.size >= MAX_STREAMS_PER_ACCOUNT) return null;
      const stream = createStream(sessionId, async (monitorId) => {
        const monitor = await monitorOf(store, { accountId, monitorId });
        return monitor === null
          ? { event: 'domain_removed', data: { id: monitorId } }
          : { event: 'domain', data: await oneDomainWire(store, monitor, clock.now()) };
      });
      streams.add(stream);
      byAccount.set(accountId, streams);
      return {
        next: (waitMs) => stream.next(waitMs),
        get isOver() {
          return stream.isOver();
        },
        close() {
          stream.wake();
          streams.delete(stream);
          // A second close may come after the account has opened another stream, which stands in a set of its own.
          if (streams.size === 0 && byAccount.get(accountId) === streams) byAccount.delete(accountId);
        },
      };
    },
  };
}

interface Stream {
  take(signal: Signal): void;
  /** Ends a wait in `next`. */
  wake(): void;
  isOver(): boolean;
  next(waitMs: number): Promise<ServerEvent | null>;
}

/**
 * Remembers which monitors changed, or what is told of them, not what changed: a reader that is slow gets the newest state of each once, and the
 * memory that a stream takes is bounded by the account's domains.
 */
function createStream(sessionId: string, read: (monitorId: string) => Promise<ServerEvent>): Stream {
  const changed = new Set<string>();
  /** Monitors of which other things are told than before; null: the account. */
  const told = new Set<string | null>();
  let accountChanged = false;
  let ended = false;
  let isOver = false;
  let endWait: () => void = () => {};

  function nextTold(): ServerEvent | null {
    const [monitorId] = told;
    if (monitorId === undefined) return null;
    told.delete(monitorId);
    return { event: 'alerts', data: { domain_id: monitorId } };
  }

  return {
    wake: () => endWait(),
    isOver: () => isOver,
    take(signal) {
      if (signal.topic === 'domain') changed.add(signal.monitorId);
      else if (signal.topic === 'alerts') told.add(signal.monitorId);
      else if (signal.topic === 'account') accountChanged = true;
      else if (signal.topic === 'missed') isOver = true;
      else if (signal.topic === 'session_ended') ended ||= [null, sessionId].includes(signal.sessionId);
      endWait();
    },
    async next(waitMs) {
      if (!ended && !isOver && !accountChanged && changed.size === 0 && told.size === 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, waitMs);
          endWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      if (ended) return { event: 'session_ended', data: {} };
      if (accountChanged) {
        accountChanged = false;
        return { event: 'account', data: {} };
      }
      const [monitorId] = changed;
      if (monitorId === undefined) return nextTold();
      // Forgotten before it is read: a change during the read is told once more.
      changed.delete(monitorId);
      return read(monitorId);
    },
  };
}
