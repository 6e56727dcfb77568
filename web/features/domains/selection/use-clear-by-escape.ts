import { useEffect } from 'react';

const ELSEWHERE =
  'input:not([type=checkbox]), textarea, select, [role=dialog], [role=alertdialog], [role=menu]';

/** Escape, unless it meant something nearer: the open panel, a dialog, a menu or what is being typed. */
export function useClearByEscape(isSelecting: boolean, clear: () => void): void {
  useEffect(() => {
    if (!isSelecting) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      if (event.target instanceof Element && event.target.closest(ELSEWHERE)) return;
      event.preventDefault();
      clear();
    };
    // After everything that listens on the document.
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [isSelecting, clear]);
}
