import { type ReactNode, useEffect, useState } from 'react';
import type { toast as Sonner } from 'sonner';
import { messageOf } from '../lib/api-error.ts';
import { onFirstMove } from '../lib/browser/load-chunk.ts';
import { useHydrated } from '../lib/use-hydrated.ts';

/** Resolves to the library once the page has the region that shows toasts. Toasts that are shown before wait for it. */
const library = Promise.withResolvers<typeof Sonner>();
export const setToastLibrary = library.resolve;

const { promise: isNeeded, resolve: need } = Promise.withResolvers<void>();

function show(print: (sonner: typeof Sonner) => unknown): void {
  need();
  void library.promise.then(print);
}

/** Shows a toast for four seconds. Errors interrupt a screen reader; others are announced politely. */
export const toast = {
  /** With an `id`, the toast replaces the one with the same id. */
  success: (message: ReactNode, options?: { id: string }) =>
    show((sonner) => sonner.success(message, options)),
  info: (message: ReactNode) => show((sonner) => sonner.info(message)),
  warning: (message: ReactNode) => show((sonner) => sonner.warning(message)),
  error: (message: ReactNode, options?: { id: string }) =>
    show((sonner) => sonner.error(<span role="alert">{message}</span>, options)),
  /** Says what failed, such as 'Could not save the change', and why. */
  failed: (what: string, error: unknown, options?: { id: string }) =>
    toast.error(`${what}: ${messageOf(error)}`, options),
  loading: (message: ReactNode) => show((sonner) => sonner.loading(message)),
};

/**
 * Returns whether the page should load the region for toasts: at the first toast, click or key press; if `isLikely`, already
 * when the pointer or the focus first moves. Loading it only for the toast would fail if the toast is about a lost connection.
 */
export function useShouldLoadToaster(isLikely: boolean): boolean {
  const isHydrated = useHydrated();
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const want = (): void => setWanted(true);
    void isNeeded.then(want);
    for (const event of ['pointerdown', 'keydown'])
      window.addEventListener(event, want, { signal: stop.signal });
    return () => stop.abort();
  }, []);
  useEffect(() => (isLikely ? onFirstMove(() => setWanted(true)) : undefined), [isLikely]);
  return isHydrated && isWanted;
}
