import { createContext, useContext } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import type { ListFilter } from '../domain-filter.ts';

export interface Selection {
  readonly selected: ReadonlySet<string>;
  /** Something is selected: the boxes are all in sight. */
  readonly isSelecting: boolean;
  /** `range`: from the one that was toggled last to this one, in the order of the loaded rows. */
  toggle: (id: string, how?: { range?: boolean }) => void;
  /** Everything that is listed at present, loaded or not. Says itself what went wrong. */
  selectAll: () => Promise<void>;
  clear: () => void;
  /** Deselects what is done with. */
  drop: (ids: Iterable<string>) => void;
  /** What the list shows at present, and how many match it. */
  readonly filter: ListFilter;
  readonly total: number;
  /** Those that are loaded, in the order of the list. */
  readonly loaded: readonly DomainWire[];
}

export const SelectionContext = createContext<Selection | null>(null);

/** Only below a SelectionProvider. */
export function useSelection(): Selection {
  const selection = useContext(SelectionContext);
  if (!selection) throw new Error('useSelection is for what is below a SelectionProvider');
  return selection;
}
