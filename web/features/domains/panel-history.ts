import type { RouterHistory } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The entry opened the panel; the one before it shows the same page without. */
    hasOpenedPanel?: true;
  }
}

// Going back takes a moment, in which the entry that is left is still the present one.
let isGoingBack = false;

/**
 * Leaves the entry that shows the panel: back to where it was opened from, so that no two entries show the same, or by
 * `replace` where another page or nothing was before it. Answers whether it goes back.
 */
export function leavePanel(history: RouterHistory, replace: () => void): boolean {
  if (isGoingBack) return false;
  if (history.location.state.hasOpenedPanel !== true) {
    replace();
    return false;
  }
  isGoingBack = true;
  const unsubscribe = history.subscribe(() => {
    isGoingBack = false;
    unsubscribe();
  });
  history.back();
  return true;
}
