import type { HistoryState, RouterHistory } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** So many entries ago the same page stood without the panel. */
    panelDepth?: number;
  }
}

/** What an entry that shows the panel remembers, by the entry that it is opened from. */
export function stateOfPanel(former: HistoryState): HistoryState {
  if (!new URLSearchParams(window.location.search).has('domain')) return { panelDepth: 1 };
  return former.panelDepth === undefined ? {} : { panelDepth: former.panelDepth + 1 };
}

// Going back takes a moment, in which the entry that is left is still the present one.
let isGoingBack = false;

/**
 * Leaves the entry that shows the panel: back to where it was opened from, so that no two entries show the same, or by
 * `replace` where another page or nothing was before it. Answers whether it goes back.
 */
export function leavePanel(history: RouterHistory, replace: () => void): boolean {
  if (isGoingBack) return false;
  const depth = history.location.state.panelDepth;
  if (depth === undefined) {
    replace();
    return false;
  }
  isGoingBack = true;
  const unsubscribe = history.subscribe(() => {
    isGoingBack = false;
    unsubscribe();
  });
  history.go(-depth);
  return true;
}
