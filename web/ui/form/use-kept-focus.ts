import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from 'react';

interface KeptFocus<Area extends HTMLElement> {
  ref: RefObject<Area | null>;
  onFocus: (event: FocusEvent) => void;
  onBlur: () => void;
}

const CONTROLS = 'button:not(:disabled), input:not(:disabled), a[href]';

/**
 * Keeps the focus inside an element whose controls replace each other. When the focused control is removed, the control that
 * the selector `next` finds gets the focus; by default the first one. Call it in the component that chooses the controls.
 */
export function useKeptFocus<Area extends HTMLElement>(next = CONTROLS): KeptFocus<Area> {
  const ref = useRef<Area>(null);
  const focused = useRef<Node>(null);
  useLayoutEffect(() => {
    // React fires no blur event when it removes the focused element.
    if (!focused.current || focused.current.isConnected) return;
    focused.current = null;
    ref.current?.querySelector<HTMLElement>(next)?.focus();
  });
  return {
    ref,
    onFocus: ({ target }) => {
      // A menu that a control opens is elsewhere in the document, and restores the focus itself.
      if (target instanceof Node && ref.current?.contains(target)) focused.current = target;
    },
    onBlur: () => {
      focused.current = null;
    },
  };
}
