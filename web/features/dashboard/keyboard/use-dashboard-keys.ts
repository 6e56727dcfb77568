import { useEffect, useRef } from 'react';
import { singleKeyShortcuts } from '../../../lib/browser/preference.ts';
import { commandOf, type KeyCommand } from './key-map.ts';

// Elements in which the dashboard's keys do nothing: inputs, and dialogs and menus with keys of their own.
const ELSEWHERE =
  'input:not([type=checkbox], [type=radio]), textarea, [role=combobox], [role=listbox], [contenteditable], [role=dialog], [role=alertdialog], [role=menu]';

/** Returns the id of the domain whose row or card has focus. */
export function focusedDomainId(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-domain-id]')?.dataset['domainId'];
}

/** Handles the dashboard's single keys. `act` carries out a command and returns whether it did anything. */
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
      const command = commandOf(event, { isOn: singleKeyShortcuts.get() === 'on', isRowFocused });
      if (command && latest.current(command)) event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}
