import { streamSSE } from 'hono/streaming';
import type { ServerEvent } from '../../../contract/event.ts';
import { findMonitor } from '../../store/monitors/monitors.ts';
import type { Store } from '../../store/db/open-store.ts';
import type { Signal } from '../../store/db/signals.ts';
import { oneDomainWire } from '../domains/domain-wire.ts';
import { CALLS } from '../../../contract/calls/calls.ts';
import type { Api, AppParts } from './api.ts';
import { refuseTooMany } from './problem.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

const RECONNECT_MS = 3_000;

/** Streams changes of the account, its domains and their alerts to a browser (server-sent events). */
export function eventRoutes(api: Api, { store, clock, sessions, timing, readiness }: AppParts): void {
  const streams = createEventStreams(store, clock);

  api.on(CALLS.events, async ({ c, session }) => {
    // Nobody reads the body of a HEAD response, so its stream would never end.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
    const stream = streams.open({ accountId: session.account.id, sessionId: session.sessionId });
    if (stream === null) return refuseTooMany('This account has too many pages open.', MINUTE_MS);
    // Tell nginx and compatible proxies not to buffer the response, which would delay every event.
    c.header('X-Accel-Buffering', 'no');
    return streamSSE(c, async (sse) => {
      const close = (): void => stream.close();
      sse.onAbort(close);
      // Close the stream on shutdown: browsers reconnect automatically, then to a process that still runs.
      readiness.draining.addEventListener('abort', close, { once: true });
      let sessionCheckedAt = performance.now();
      try {
        // An SSE comment flushes the headers without triggering any listener.
        await sse.write(`: open\nretry: ${RECONNECT_MS}\n\n`);
        while (!sse.aborted && !readiness.isDraining && !stream.hasMissedEvents) {
          let event = await stream.next(timing.heartbeatMs);
          if (performance.now() - sessionCheckedAt >= timing.heartbeatMs) {
            sessionCheckedAt = performance.now();
            // The session's access token may expire, and the signal that the session ended may get lost.
            if ((await sessions.current(c)) === null) event = { event: 'session_ended', data: {} };
          }
          if (event === null) await sse.write(': alive\n\n');
          else await sse.writeSSE({ event: event.event, data: JSON.stringify(event.data) });
          if (event?.event === 'session_ended') return;
        }
      } finally {
        readiness.draining.removeEventListener('abort', close);
        stream.close();
      }
    });
  });
}

/** Maximum number of open streams per account. Each costs a socket and a timer. The web app opens one per browser. */
const MAX_STREAMS_PER_ACCOUNT = 20;

interface EventStream {
  /**
   * Returns the next event; null if none came within `waitMs`, or if the stream closed or missed events meanwhile. Once
   * the session has ended, always returns `session_ended`.
   */
  next(waitMs: number): Promise<ServerEvent | null>;
  /** Whether events may have been missed. The client must then reconnect and reload everything. */
  readonly hasMissedEvents: boolean;
  close(): void;
}

export interface EventStreams {
  /** Opens a stream of the account's events. Returns null if the account has too many open streams. */
  open(session: { accountId: string; sessionId: string }): EventStream | null;
}

/** Creates event streams. Forwards the store's signals to the open streams of their account. */
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
        const monitor = await findMonitor(store, { accountId, monitorId });
        return monitor === null
          ? { event: 'domain_removed', data: { id: monitorId } }
          : { event: 'domain', data: await oneDomainWire(store, monitor, clock.now()) };
      });
      streams.add(stream);
      byAccount.set(accountId, streams);
      return {
        next: (waitMs) => stream.next(waitMs),
        get hasMissedEvents() {
          return stream.hasMissedEvents();
        },
        close() {
          stream.wake();
          streams.delete(stream);
          // On a second close() the account may have a newer stream in another set, which must stay registered.
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
  hasMissedEvents(): boolean;
  next(waitMs: number): Promise<ServerEvent | null>;
}

/**
 * Creates a stream that queues the ids of changed monitors, not their changes: a slow reader gets only the newest state
 * of each, and the queue has at most one entry per domain and kind of event.
 */
function createStream(sessionId: string, read: (monitorId: string) => Promise<ServerEvent>): Stream {
  const monitorsChanged = new Set<string>();
  /** Ids of monitors whose alerts or alert settings changed; null for those of the whole account. */
  const alertsChanged = new Set<string | null>();
  let accountChanged = false;
  let sessionEnded = false;
  let hasMissedEvents = false;
  let endWait: () => void = () => {};

  function nextAlertsEvent(): ServerEvent | null {
    const [monitorId] = alertsChanged;
    if (monitorId === undefined) return null;
    alertsChanged.delete(monitorId);
    return { event: 'alerts', data: { domain_id: monitorId } };
  }

  return {
    wake: () => endWait(),
    hasMissedEvents: () => hasMissedEvents,
    receive(signal) {
      if (signal.topic === 'domain') monitorsChanged.add(signal.monitorId);
      else if (signal.topic === 'alerts') alertsChanged.add(signal.monitorId);
      else if (signal.topic === 'account') accountChanged = true;
      else if (signal.topic === 'missed') hasMissedEvents = true;
      else if (signal.topic === 'session_ended')
        sessionEnded ||= [null, sessionId].includes(signal.sessionId);
      endWait();
    },
    async next(waitMs) {
      if (
        !sessionEnded &&
        !hasMissedEvents &&
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
