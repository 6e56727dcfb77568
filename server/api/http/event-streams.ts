import type { ServerEvent } from '../../../contract/event.ts';
import { monitorOf } from '../../store/monitors/monitors.ts';
import type { Store } from '../../store/db/open-store.ts';
import type { Signal } from '../../store/db/signals.ts';
import { oneDomainWire } from '../domains/domain-wire.ts';

/** Far more than one per browser. Each stream costs a socket and a timer. */
const MAX_STREAMS_PER_ACCOUNT = 20;

interface EventStream {
  /** Returns the next event, null if none came within `waitMs`. Nothing follows `session_ended`. */
  next(waitMs: number): Promise<ServerEvent | null>;
  /** True once events may have been missed: the client must reconnect and reload everything. */
  readonly isOver: boolean;
  close(): void;
}

export interface EventStreams {
  /** Returns null if the account has too many open streams. */
  open(session: { accountId: string; sessionId: string }): EventStream | null;
}

/** Forwards the store's signals to the open streams of their account. */
export function createEventStreams(store: Store, clock: { now(): number }): EventStreams {
  const byAccount = new Map<string, Set<Stream>>();
  store.signals.subscribe((signal) => {
    if (signal.topic === 'missed')
      for (const streams of byAccount.values()) for (const stream of streams) stream.receive(signal);
    if (!('accountId' in signal)) return;
    for (const stream of byAccount.get(signal.accountId) ?? []) stream.receive(signal);
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
          // On a second close() the account may have a newer stream, in another set: keep that one.
          if (streams.size === 0 && byAccount.get(accountId) === streams) byAccount.delete(accountId);
        },
      };
    },
  };
}

interface Stream {
  receive(signal: Signal): void;
  /** Ends a wait in `next`. */
  wake(): void;
  isOver(): boolean;
  next(waitMs: number): Promise<ServerEvent | null>;
}

/**
 * Queues ids of changed monitors, not their changes: a slow reader gets only the newest state of each, and memory
 * is bounded by the account's number of domains.
 */
function createStream(sessionId: string, read: (monitorId: string) => Promise<ServerEvent>): Stream {
  const monitorsChanged = new Set<string>();
  /** Ids of monitors whose alerts or alert settings changed; null: those of the account. */
  const alertsChanged = new Set<string | null>();
  let accountChanged = false;
  let sessionEnded = false;
  let isOver = false;
  let endWait: () => void = () => {};

  function nextAlertsEvent(): ServerEvent | null {
    const [monitorId] = alertsChanged;
    if (monitorId === undefined) return null;
    alertsChanged.delete(monitorId);
    return { event: 'alerts', data: { domain_id: monitorId } };
  }

  return {
    wake: () => endWait(),
    isOver: () => isOver,
    receive(signal) {
      if (signal.topic === 'domain') monitorsChanged.add(signal.monitorId);
      else if (signal.topic === 'alerts') alertsChanged.add(signal.monitorId);
      else if (signal.topic === 'account') accountChanged = true;
      else if (signal.topic === 'missed') isOver = true;
      else if (signal.topic === 'session_ended')
        sessionEnded ||= [null, sessionId].includes(signal.sessionId);
      endWait();
    },
    async next(waitMs) {
      if (
        !sessionEnded &&
        !isOver &&
        !accountChanged &&
        monitorsChanged.size === 0 &&
        alertsChanged.size === 0
      ) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, waitMs);
          endWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      if (sessionEnded) return { event: 'session_ended', data: {} };
      if (accountChanged) {
        accountChanged = false;
        return { event: 'account', data: {} };
      }
      const [monitorId] = monitorsChanged;
      if (monitorId === undefined) return nextAlertsEvent();
      // Delete before reading: a change during the read then queues the monitor again.
      monitorsChanged.delete(monitorId);
      return read(monitorId);
    },
  };
}
