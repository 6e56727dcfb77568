import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { type LiveEventListener, LiveEventsContext } from '../lib/live-events-context.ts';
import { followLiveEvents } from '../lib/live-events.ts';
import { refreshSession } from '../lib/account/session-refresh.ts';

/** Keeps the event stream of the signed-in user open while mounted. */
export function LiveEventsProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient();
  const listeners = useRef(new Set<LiveEventListener>());
  const [connected, setConnected] = useState(true);

  useEffect(() => {
    const stop = new AbortController();
    void followLiveEvents(
      (message) => {
        if (message.type === 'event') for (const listener of listeners.current) listener(message.event);
        if (message.type === 'reconnected') void queryClient.invalidateQueries();
        setConnected(message.type !== 'lost');
      },
      refreshSession,
      stop.signal,
    );
    return () => stop.abort();
  }, [queryClient]);

  const value = useMemo(
    () => ({
      connected,
      listen: (listener: LiveEventListener) => {
        listeners.current.add(listener);
        return () => listeners.current.delete(listener);
      },
    }),
    [connected],
  );
  return <LiveEventsContext value={value}>{children}</LiveEventsContext>;
}
