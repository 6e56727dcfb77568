import { events } from '../../contract/calls/deployment.ts';
import { type ServerEvent, serverEventSchema } from '../../contract/event.ts';
import { isAccessOver, withSnakeCase } from './http.ts';

const EVENT_NAMES = Object.keys({
  domain: true,
  domain_removed: true,
  alerts: true,
  account: true,
  session_ended: true,
} satisfies Record<ServerEvent['event'], true>);
const LOCK_NAME = 'certlantern-live-events';
const CHANNEL_NAME = 'certlantern-live-events';
const MAX_BACKOFF_MS = 30_000;

/**
 * `reconnected`: events may have been missed while the stream was disconnected, or between the tab that read it before and
 * this one. So everything shown must be read again.
 */
export type LiveMessage = { type: 'event'; event: ServerEvent } | { type: 'reconnected' } | { type: 'lost' };

/** Returns 1 s, 2 s, 4 s … up to 30 s, in ms. `chance` in [0, 1) adds jitter, so that browsers do not all reconnect at the same moment. */
export function reconnectDelayMs(attempt: number, chance: number): number {
  return Math.min(MAX_BACKOFF_MS, 1000 * 2 ** attempt) * (0.5 + chance / 2);
}

/** Parses an event of the stream; null if this page does not know it. */
export function parseServerEvent(name: string, data: string): ServerEvent | null {
  let json: unknown;
  try {
    json = JSON.parse(data);
  } catch {
    return null;
  }
  const parsed = serverEventSchema.safeParse({ event: name, data: withSnakeCase(json) });
  return parsed.success ? parsed.data : null;
}

interface StreamEnd {
  reason: 'lost' | 'session_ended' | 'stopped';
  opened: boolean;
}

/**
 * Holds one connection to `/api/events` until `signal` aborts; reconnects and refreshes the session as needed. With `isBehind`, reports
 * `reconnected` at the first connection, because events may have been missed before. A page that connects while it loads has missed none.
 */
async function holdStream(
  emit: (message: LiveMessage) => void,
  refresh: () => Promise<void>,
  signal: AbortSignal,
  { isBehind }: { isBehind: boolean },
): Promise<void> {
  let attempt = 0;
  while (!signal.aborted) {
    if (isAccessOver()) await succeeds(refresh);
    const end = await readStream(emit, signal, () => {
      if (isBehind) emit({ type: 'reconnected' });
      attempt = 0;
    });
    isBehind = true;
    if (end.reason === 'stopped') return;
    if (end.reason === 'lost') emit({ type: 'lost' });
    // The browser does not tell why the server refused a stream. Usually the session has expired, so refresh it.
    const renewed = (end.reason === 'session_ended' || !end.opened) && (await succeeds(refresh));
    if (end.reason === 'session_ended' && renewed) continue;
    await pause(reconnectDelayMs(attempt, Math.random()), signal);
    attempt += 1;
  }
}

async function succeeds(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    // If the session has ended, `refresh` notifies its own listeners. The stream just tries again later.
    return false;
  }
}

function readStream(
  emit: (message: LiveMessage) => void,
  signal: AbortSignal,
  onOpen: () => void,
): Promise<StreamEnd> {
  return new Promise((resolve) => {
    const source = new EventSource(`/api${events.path}`);
    let opened = false;
    const finish = (reason: StreamEnd['reason']) => {
      source.close();
      signal.removeEventListener('abort', onAbort);
      resolve({ reason, opened });
    };
    const onAbort = () => finish('stopped');
    signal.addEventListener('abort', onAbort);
    source.addEventListener('open', () => {
      if (opened) return;
      opened = true;
      onOpen();
    });
    source.addEventListener('error', () => finish('lost'));
    for (const name of EVENT_NAMES)
      source.addEventListener(name, (message: MessageEvent<string>) => {
        const event = parseServerEvent(name, message.data);
        if (event?.event === 'session_ended') finish('session_ended');
        else if (event) emit({ type: 'event', event });
      });
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      window.removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    window.addEventListener('online', done);
  });
}

/**
 * Follows the server's events until `signal` aborts. The browser's tabs share one stream: the tab that holds the lock reads
 * the stream and forwards its events to the others. When that tab closes, another one takes over.
 */
export async function followLiveEvents(
  listener: (message: LiveMessage) => void,
  refresh: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  // Locks need a secure context; on plain HTTP every tab reads its own stream.
  if (!('locks' in navigator)) return holdStream(listener, refresh, signal, { isBehind: false });
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.addEventListener('message', (message: MessageEvent<LiveMessage>) => listener(message.data));
  const toAll = (message: LiveMessage) => {
    listener(message);
    channel.postMessage(message);
  };
  const hold = (isBehind: boolean) => holdStream(toAll, refresh, signal, { isBehind });
  try {
    // A subscription that is cancelled at once must not take the lock, because the next subscription in this tab would wait
    // for it.
    await Promise.resolve();
    if (signal.aborted) return;
    const isTaken = await navigator.locks.request(LOCK_NAME, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await hold(false);
      return lock === null;
    });
    // Nobody has read the stream between the end of the other tab and now, so this tab may have missed events.
    if (isTaken) await navigator.locks.request(LOCK_NAME, { signal }, () => hold(true));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    channel.close();
  }
}
