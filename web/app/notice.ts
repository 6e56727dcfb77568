import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLiveConnection } from '../lib/live-events-context.ts';
import { usePublicConfig } from '../lib/public-config.ts';

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
function useConnectionLost(): boolean {
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

/** The one message of the notice bar: the first that applies, or null when all is well. */
export function useNotice(): string | null {
  const { insecure_http: insecureHttp } = usePublicConfig();
  const lost = useConnectionLost();
  if (lost)
    return 'Connection lost. What you see may be out of date; it updates when the connection is back.';
  if (insecureHttp)
    return 'This server is reached over plain http: passwords and sessions can be read on the way. Use it on a network that you trust.';
  return null;
}
