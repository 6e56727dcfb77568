import { useEffect } from 'react';

/** A page that is closed in the middle of a run asks first. */
export function useWarnBeforeLeaving(isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isRunning]);
}
