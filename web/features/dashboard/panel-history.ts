import type { HistoryState, RouterHistory } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** How many history entries back the same page was shown without the panel. */
    panelDepth?: number;
  }
}

/** Returns the state of a history entry that shows the panel, based on the entry it is opened from. */
export function stateOfPanel(former: HistoryState): HistoryState {
  if (!new URLSearchParams(window.location.search).has('domain')) return { panelDepth: 1 };
  return former.panelDepth === undefined ? {} : { panelDepth: former.panelDepth + 1 };
}

// True while the browser goes back, which is asynchronous: until it has, the entry with the panel is still the current one.
let isGoingBack = false;

/**
 * Leaves the history entry that shows the panel: goes back to the entry from which it was opened, so that no two entries show
 * the same. Without such an entry, calls `replace`. Returns whether it goes back.
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
