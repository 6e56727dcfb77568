import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLiveConnection } from '../lib/live-events-context.ts';

// A stream that comes back within this time is no news.
const PATIENCE_MS = 5_000;

function subscribeOnline(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** True while the browser is offline, or once the server's updates have been missing for a while. */
export function useConnectionLost(): boolean {
  const online = useSyncExternalStore(subscribeOnline, () => navigator.onLine);
  const connected = useLiveConnection();
  const [patienceOver, setPatienceOver] = useState(false);
  useEffect(() => {
    if (connected) return undefined;
    const timer = setTimeout(() => setPatienceOver(true), PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setPatienceOver(false);
    };
  }, [connected]);
  return !online || patienceOver;
}
