import { createContext, useContext, useEffect, useRef } from 'react';
import type { ServerEvent } from '../../contract/event.ts';

export type LiveEventListener = (event: ServerEvent) => void;

export interface LiveEvents {
  /** False from a lost stream until it is back. */
  connected: boolean;
  listen: (listener: LiveEventListener) => () => void;
}

export const LiveEventsContext = createContext<LiveEvents | null>(null);

function useContextValue(): LiveEvents {
  const live = useContext(LiveEventsContext);
  if (!live) throw new Error('Live events are for protected routes');
  return live;
}

/** Hears the server's events while mounted. After a lost connection, and after another tab's, every cached read is made again by itself. */
export function useLiveEvents(listener: LiveEventListener): void {
  const { listen } = useContextValue();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => listen((event) => latest.current(event)), [listen]);
}

/** Whether the page is being updated by the server. */
export function useLiveConnection(): boolean {
  return useContextValue().connected;
}
