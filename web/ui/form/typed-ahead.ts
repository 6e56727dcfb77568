import { useEffect } from 'react';

const DIALOG = '[role=dialog], [role=alertdialog]';

/**
 * Keeps what a person types after opening a dialog and before the focus is in it: its code may still be loading, and the page would take
 * the keys for its shortcuts. The first element with focus in the dialog gets the text, if it is a text field.
 */
export function useTypedAhead(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    let text = '';
    const listening = new AbortController();
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, repeat, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || key === 'Escape') return;
      if (target instanceof Element && target.closest(DIALOG)) return;
      event.preventDefault();
      event.stopPropagation();
      if (key === 'Backspace') text = text.slice(0, -1);
      else if (key.length === 1 && !repeat) text += key;
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || !target.closest(DIALOG)) return;
      listening.abort();
      if (text === '' || !(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement))
        return;
      target.setRangeText(text, target.selectionStart ?? 0, target.selectionEnd ?? 0, 'end');
      target.dispatchEvent(new Event('input', { bubbles: true }));
    };
    const { signal } = listening;
    // Listen before every other part of the page.
    window.addEventListener('keydown', onKeyDown, { capture: true, signal });
    window.addEventListener('focusin', onFocus, { signal });
    return () => listening.abort();
  }, [isOpen]);
}
