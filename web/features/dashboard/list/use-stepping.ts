import { useState } from 'react';
import { focusedDomainId } from '../keyboard/use-dashboard-keys.ts';
import type { DomainList } from './use-domain-list.ts';
import type { ListTarget } from '../../../ui/table/use-list-window.ts';

interface Stepping {
  target: ListTarget | null;
  /** Moves to the next or previous domain, loaded or not; returns whether there is one. */
  step: (by: 1 | -1) => boolean;
  /** Moves to the domain's row; returns whether it is loaded. */
  goTo: (id: string) => boolean;
  onReached: (id: string, element: HTMLElement) => void;
}

/** Steps through the list by keyboard: moves the focus or, if a panel is open, opens the next domain in it. */
export function useStepping(list: DomainList, openId: string | null, open: (id: string) => void): Stepping {
  const [target, setTarget] = useState<(ListTarget & { opens: boolean }) | null>(null);
  return {
    target,
    step: (by) => {
      const from = openId ?? focusedDomainId();
      const index = target?.index ?? (from === undefined ? -1 : list.indexOf(from));
      const next = index + by;
      if (next < 0 || next >= (list.total ?? 0)) return false;
      setTarget({ index: next, opens: openId !== null });
      return true;
    },
    goTo: (id) => {
      const index = list.indexOf(id);
      if (index >= 0) setTarget({ index, opens: false });
      return index >= 0;
    },
    onReached: (id, element) => {
      if (target?.opens) open(id);
      else element.focus({ preventScroll: true });
      setTarget(null);
    },
  };
}
