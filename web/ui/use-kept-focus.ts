import { useLayoutEffect, useRef } from 'react';
import type { FocusEvent, RefObject } from 'react';

interface KeptFocus<Area extends HTMLElement> {
  ref: RefObject<Area | null>;
  onFocus: (event: FocusEvent) => void;
  onBlur: () => void;
}

const CONTROLS = 'button:not(:disabled), input:not(:disabled), select:not(:disabled), a[href]';

/**
 * For an element in which one control takes the place of another: when the one that goes had the focus, the first that is there
 * then has it, or what the selector `next` finds. The component that calls this is the one that decides which of them there is.
 */
export function useKeptFocus<Area extends HTMLElement>(next = CONTROLS): KeptFocus<Area> {
  const ref = useRef<Area>(null);
  const focused = useRef<Node>(null);
  useLayoutEffect(() => {
    // React tells of no blur when it removes what has the focus.
    if (!focused.current || focused.current.isConnected) return;
    focused.current = null;
    ref.current?.querySelector<HTMLElement>(next)?.focus();
  });
  return {
    ref,
    onFocus: ({ target }) => {
      // A menu of one of the controls is elsewhere in the document, and gives the focus back itself.
      if (target instanceof Node && ref.current?.contains(target)) focused.current = target;
    },
    onBlur: () => {
      focused.current = null;
    },
  };
}
