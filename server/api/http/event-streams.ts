import { streamSSE } from 'hono/streaming';
import type { ServerEvent } from '../../../contract/event.ts';
import { findMonitors } from '../../store/monitors/monitor-list.ts';
import type { Store } from '../../store/db/open-store.ts';
import type { Signal } from '../../store/db/signals.ts';
import { domainWires } from '../domains/domain-wire.ts';
import { CALLS } from '../../../contract/calls/calls.ts';
import type { Api, AppParts } from './api.ts';
import { refuseTooMany } from './problem.ts';
import { MINUTE_MS, SECOND_MS } from '../../../contract/durations.ts';

const RECONNECT_MS = 3_000;

/** Streams changes of the account, its domains and their alerts to a browser (server-sent events). */
export function eventRoutes(api: Api, { store, clock, sessions, timing, readiness }: AppParts): void {
  const streams = createEventStreams(store, clock);

  api.on(CALLS.events, async ({ c, session }) => {
    // Send no stream for HEAD: nobody would read it, so it would never end.
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
        // An SSE comment makes the server send the headers, and triggers no listener in the browser.
        await sse.write(`: open\nretry: ${RECONNECT_MS}\n\n`);
        while (!sse.aborted && !readiness.isDraining && !stream.hasMissedEvents) {
          let text = await stream.next(timing.heartbeatMs);
          if (!sse.aborted && performance.now() - sessionCheckedAt >= timing.heartbeatMs) {
            sessionCheckedAt = performance.now();
            // Check the session again: its access token may have expired, and the signal that it ended may have been lost.
            if ((await sessions.current(c)) === null) text = SESSION_ENDED;
          }
          await sse.write(text ?? ': alive\n\n');
          if (text === SESSION_ENDED) return;
        }
      } finally {
        readiness.draining.removeEventListener('abort', close);
        stream.close();
      }
    });
  });
}

/** Maximum number of open streams per account. Each needs a socket and a timer. The web app opens one stream per browser. */
const MAX_STREAMS_PER_ACCOUNT = 20;

/** Returns an event in the text format of server-sent events. */
const textOf = ({ event, data }: ServerEvent): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const SESSION_ENDED = textOf({ event: 'session_ended', data: {} });
/** Minimum time in ms between two batches of events of an account. */
const MIN_INTERVAL_MS = SECOND_MS;
/** Maximum number of monitors in one batch, about 700 kB of text. */
const READ_AT_ONCE = 500;
/** Above this number of event texts, the streams of an account drop the texts that they share and read them again if needed. */
const MAX_TEXTS = 2_000;

interface EventStream {
  /**
   * Returns the text of the next events. Returns null if there were none within `waitMs`, or if the stream closed or missed
   * events meanwhile. Once the session has ended, always returns `SESSION_ENDED`.
   */
  next(waitMs: number): Promise<string | null>;
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
  const feeds = new Map<string, Feed>();
  store.signals.subscribe((signal) => {
    if (signal.topic === 'missed') for (const feed of feeds.values()) feed.receive(signal);
    if ('accountId' in signal) feeds.get(signal.accountId)?.receive(signal);
  });

  return {
    open({ accountId, sessionId }) {
      const feed = feeds.get(accountId) ?? createFeed((ids) => readTexts(store, { accountId, ids, clock }));
      if (feed.streams.size >= MAX_STREAMS_PER_ACCOUNT) return null;
      const stream = createStream(sessionId, (ids) => feed.textsOf(ids));
      feed.streams.add(stream);
      feeds.set(accountId, feed);
      return {
        next: (waitMs) => stream.next(waitMs),
        get hasMissedEvents() {
          return stream.hasMissedEvents();
        },
        close() {
          stream.wake();
          feed.streams.delete(stream);
          // After a second call of close(), the account may have a newer feed, which must stay registered.
          if (feed.streams.size === 0 && feeds.get(accountId) === feed) feeds.delete(accountId);
        },
      };
    },
  };
}

/** Reads monitors and returns one event per monitor as text. */
async function readTexts(
  store: Store,
  { accountId, ids, clock }: { accountId: string; ids: readonly string[]; clock: { now(): number } },
): Promise<Map<string, string>> {
  const texts = new Map(ids.map((id) => [id, textOf({ event: 'domain_removed', data: { id } })]));
  const monitors = await findMonitors(store, { accountId, ids });
  for (const data of await domainWires(store, monitors, clock.now()))
    texts.set(data.id, textOf({ event: 'domain', data }));
  return texts;
}

/**
 * The streams of one account. A changed monitor is read once for all of them. Changes by checks are sent at most once a second.
 */
interface Feed {
  streams: Set<Stream>;
  receive(signal: Signal): void;
  textsOf(monitorIds: readonly string[]): Promise<string>;
}

function createFeed(read: (monitorIds: readonly string[]) => Promise<Map<string, string>>): Feed {
  const streams = new Set<Stream>();
  /** Texts since the last batch, by monitor. A later change of a monitor removes its text. */
  const texts = new Map<string, Promise<string>>();
  let sentAt = -Infinity;
  let isPlanned = false;

  function send(): void {
    isPlanned = false;
    sentAt = performance.now();
    texts.clear();
    for (const stream of streams) stream.wake();
  }

  return {
    streams,
    receive(signal) {
      if (signal.topic === 'domain') texts.delete(signal.monitorId);
      for (const stream of streams) stream.receive(signal);
      const waitMs = sentAt + MIN_INTERVAL_MS - performance.now();
      if (waitMs <= 0 || isUrgent(signal)) send();
      else if (!isPlanned) {
        isPlanned = true;
        setTimeout(send, waitMs).unref();
      }
    },
    async textsOf(monitorIds) {
      if (texts.size > MAX_TEXTS) texts.clear();
      const missing = monitorIds.filter((id) => !texts.has(id));
      if (missing.length > 0) {
        const batch = read(missing);
        for (const id of missing)
          texts.set(
            id,
            batch.then((found) => found.get(id) ?? ''),
          );
      }
      return (await Promise.all(monitorIds.flatMap((id) => texts.get(id) ?? []))).join('');
    },
  };
}

/** Returns whether pages must be told at once, because a person did something or the stream ends. */
function isUrgent(signal: Signal): boolean {
  if (signal.topic === 'domain') return signal.change === 'added' || signal.change === 'removed';
  return signal.topic === 'missed' || signal.topic === 'session_ended';
}

interface Stream {
  /** Queues what a signal changes. `wake` makes the stream send it. */
  receive(signal: Signal): void;
  wake(): void;
  hasMissedEvents(): boolean;
  next(waitMs: number): Promise<string | null>;
}

/**
 * Creates a stream that queues the ids of changed monitors, not their changes. So a slow reader only gets the newest state of
 * each monitor, and the queue has at most one entry per domain and kind of event.
 */
function createStream(sessionId: string, textsOf: Feed['textsOf']): Stream {
  const monitorsChanged = new Set<string>();
  /** Ids of monitors whose alerts or alert settings changed; null if those of the whole account changed. */
  const alertsChanged = new Set<string | null>();
  let accountChanged = false;
  let sessionEnded = false;
  let hasMissedEvents = false;
  let isAwake = false;
  let endWait: () => void = () => {};

  /** Removes and returns the first ids of a set. If their monitors change while they are read, they are queued again. */
  const take = <Id>(ids: Set<Id>): Id[] => {
    const taken = [...ids].slice(0, READ_AT_ONCE);
    for (const id of taken) ids.delete(id);
    isAwake ||= ids.size > 0;
    return taken;
  };

  return {
    wake() {
      isAwake = true;
      endWait();
    },
    hasMissedEvents: () => hasMissedEvents,
    receive(signal) {
      if (signal.topic === 'domain') monitorsChanged.add(signal.monitorId);
      else if (signal.topic === 'alerts') alertsChanged.add(signal.monitorId);
      else if (signal.topic === 'account') accountChanged = true;
      else if (signal.topic === 'missed') hasMissedEvents = true;
      else if (signal.topic === 'session_ended')
        sessionEnded ||= [null, sessionId].includes(signal.sessionId);
    },
    async next(waitMs) {
      if (!isAwake)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, waitMs);
          endWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      isAwake = false;
      if (sessionEnded) return SESSION_ENDED;
      if (hasMissedEvents) return null;
      const account = accountChanged ? textOf({ event: 'account', data: {} }) : '';
      accountChanged = false;
      const alerts = take(alertsChanged).map((id) => textOf({ event: 'alerts', data: { domain_id: id } }));
      const monitors = take(monitorsChanged);
      const text = account + (monitors.length > 0 ? await textsOf(monitors) : '') + alerts.join('');
      return text === '' ? null : text;
    },
  };
}
