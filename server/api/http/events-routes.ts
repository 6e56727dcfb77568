import { streamSSE } from 'hono/streaming';
import { CALLS } from '../../../contract/calls/calls.ts';
import type { Api, AppParts } from './api.ts';
import { createEventStreams } from './event-streams.ts';
import { refuseForNow } from './problem.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

const RECONNECT_MS = 3_000;

/** Streams changes of the account and its domains to a browser (server-sent events) until its session ends. */
export function eventRoutes(api: Api, { store, clock, sessions, timing, readiness }: AppParts): void {
  const streams = createEventStreams(store, clock);

  api.on(CALLS.events, async ({ c, session }) => {
    // Nobody reads the body of a HEAD response, so its stream would never end.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
    const stream = streams.open({ accountId: session.account.id, sessionId: session.sessionId });
    if (stream === null) return refuseForNow('This account has too many pages open.', MINUTE_MS);
    // Tells nginx and compatible proxies not to buffer the response, which would delay every event.
    c.header('X-Accel-Buffering', 'no');
    return streamSSE(c, async (sse) => {
      const close = (): void => stream.close();
      sse.onAbort(close);
      // Browsers reconnect by themselves, to whichever process serves then.
      readiness.draining.addEventListener('abort', close, { once: true });
      let sessionCheckedAt = performance.now();
      try {
        // An SSE comment flushes the headers without triggering any listener.
        await sse.write(`: open\nretry: ${RECONNECT_MS}\n\n`);
        while (!sse.aborted && !readiness.isDraining && !stream.isOver) {
          let event = await stream.next(timing.heartbeatMs);
          if (performance.now() - sessionCheckedAt >= timing.heartbeatMs) {
            sessionCheckedAt = performance.now();
            // Access tokens expire, and the signal that a session ended may be lost between processes.
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
