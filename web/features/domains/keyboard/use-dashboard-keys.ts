import { useEffect, useRef } from 'react';
import { singleKeys } from '../../../lib/shortcuts.ts';
import { commandOf } from './key-map.ts';
import type { KeyCommand } from './key-map.ts';

// Where letters are typed, or where a layer above the page has the keyboard to itself.
const ELSEWHERE =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu]';

/** The row or card that has the focus, by the domain's id. */
export function focusedDomainId(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-domain-id]')?.dataset['domainId'];
}

/** Hears the single keys of the dashboard. `act` answers whether the key meant something. */
export function useDashboardKeys(act: (command: KeyCommand) => boolean): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
        return;
      if (event.target instanceof Element && event.target.closest(ELSEWHERE)) return;
      const isRowFocused = focusedDomainId() !== undefined;
      const command = commandOf(event, { isOn: singleKeys.get() === 'on', isRowFocused });
      if (command && latest.current(command)) event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}
