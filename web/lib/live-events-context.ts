import { createContext, useContext, useEffect, useRef } from 'react';
import type { ServerEvent } from '../../contract/event.ts';

export type LiveEventListener = (event: ServerEvent) => void;

export interface LiveEvents {
  /** False while the event stream is disconnected. */
  connected: boolean;
  listen: (listener: LiveEventListener) => () => void;
}

export const LiveEventsContext = createContext<LiveEvents | null>(null);

function useContextValue(): LiveEvents {
  const live = useContext(LiveEventsContext);
  if (!live) throw new Error('Live events are for protected routes');
  return live;
}

/**
 * Calls `listener` with the server's events while mounted. After the stream of this or another tab reconnects, all cached
 * reads are refreshed automatically.
 */
export function useLiveEvents(listener: LiveEventListener): void {
  const { listen } = useContextValue();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => listen((event) => latest.current(event)), [listen]);
}

/** Returns whether live events are connected. */
export function useLiveConnection(): boolean {
  return useContextValue().connected;
}
