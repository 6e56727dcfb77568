import { useEffect, useRef } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { cardElement } from './domain-actions.ts';
import type { DomainActions } from './domain-actions.ts';

interface DashboardKeys {
  domains: readonly DomainWire[];
  /** The domain of the open panel. */
  open: DomainWire | null;
  actions: DomainActions;
  add: () => void;
  closePanel: () => void;
}

// Where letters are typed, or where a layer above the page has the keyboard to itself.
const ELSEWHERE =
  'input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu]';

/**
 * The single keys of the dashboard: `a` adds, `j` `k` step, `r` refreshes, Delete asks to remove, Escape closes
 * the panel. They mean the focused card, else the domain of the open panel. (Enter opens, as for every link.)
 */
export function useDashboardKeys(keys: DashboardKeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
        return;
      if (event.target instanceof Element && event.target.closest(ELSEWHERE)) return;
      if (act(event, latest.current)) event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Answers whether the key meant something. */
function act(event: KeyboardEvent, { domains, open, actions, add, closePanel }: DashboardKeys): boolean {
  const focusedId = document.activeElement?.closest<HTMLElement>('[data-domain-id]')?.dataset['domainId'];
  const focused = domains.find(({ id }) => id === focusedId);
  const subject = focused ?? open;
  const step = stepOf(event.key, focused !== undefined);

  if (step !== 0) {
    const next = domains[domains.findIndex(({ id }) => id === (open ?? focused)?.id) + step];
    // Before the first step nothing has the focus: `k` then leads nowhere.
    if (!next || (!subject && step < 0)) return false;
    if (open) actions.showDetails(next);
    else cardElement(next.id)?.focus();
    return true;
  }
  if (event.key === 'Escape' && open) {
    closePanel();
    return true;
  }
  if (event.repeat) return false;
  if (event.key === 'a') {
    add();
    return true;
  }
  if (!subject) return false;
  if (event.key === 'r') {
    actions.refresh(subject);
    return true;
  }
  if (event.key === 'Delete' || event.key === 'Backspace') {
    actions.askToRemove(subject);
    return true;
  }
  return false;
}

/** Arrows scroll the page unless a card has the focus. */
function stepOf(key: string, isCardFocused: boolean): -1 | 0 | 1 {
  if (key === 'j' || (isCardFocused && key === 'ArrowDown')) return 1;
  if (key === 'k' || (isCardFocused && key === 'ArrowUp')) return -1;
  return 0;
}
