import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { domainIds } from '../../../../contract/calls/domain.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { call } from '../../../lib/api-client.ts';
import { useLiveEvents } from '../../../lib/live-events-context.ts';
import { toast } from '../../../ui/toast.tsx';
import type { ListFilter } from '../../../domain/domain-filter.ts';
import { NOTHING_SELECTED, withAll, withoutAll, withToggled } from './selection-state.ts';

const SelectionContext = createContext<Selection | null>(null);

interface SelectionProviderProps {
  /** The filter of the list. Changing it keeps the selection. */
  filter: ListFilter;
  /** How many domains match the filter. */
  total: number;
  /** The loaded domains, in list order. */
  loaded: readonly DomainWire[];
  children: ReactNode;
}

/** Holds the selection while the dashboard is open. */
export function SelectionProvider({ filter, total, loaded, children }: SelectionProviderProps) {
  const [state, setState] = useState(NOTHING_SELECTED);
  // Tags of all domains that `selectAll` has selected, because the tags of a domain that is not loaded are unknown.
  const [unloadedTags, setUnloadedTags] = useState<readonly string[]>([]);
  const latest = useRef({ filter, loaded });
  useEffect(() => {
    latest.current = { filter, loaded };
  });
  useLiveEvents((event) => {
    if (event.event === 'domain_removed') setState((former) => withoutAll(former, [event.data.id]));
  });

  const toggle = useCallback((id: string, { range = false }: { range?: boolean } = {}) => {
    const order = latest.current.loaded.map((domain) => domain.id);
    setState((former) => withToggled(former, id, range, order));
  }, []);
  const selectAll = useCallback(async () => {
    try {
      const { ids, total: all, tags } = await call(domainIds, { query: latest.current.filter });
      setState((former) => withAll(former, ids));
      setUnloadedTags((former) => [...new Set([...former, ...tags])]);
      if (ids.length < all) toast.info(`The first ${ids.length} of ${all} domains are selected.`);
    } catch (error) {
      toast.failed('Could not select all', error);
    }
  }, []);
  const clear = useCallback(() => {
    setState(NOTHING_SELECTED);
    setUnloadedTags([]);
  }, []);
  const drop = useCallback((ids: Iterable<string>) => setState((former) => withoutAll(former, ids)), []);

  const value = useMemo(
    () => ({
      selected: state.selected,
      unloadedTags,
      isSelecting: state.selected.size > 0,
      toggle,
      selectAll,
      clear,
      drop,
      filter,
      total,
      loaded,
    }),
    [state, unloadedTags, toggle, selectAll, clear, drop, filter, total, loaded],
  );
  return <SelectionContext value={value}>{children}</SelectionContext>;
}

export interface Selection {
  readonly selected: ReadonlySet<string>;
  /** Tags of all domains that `selectAll` has selected. Some of these domains may be deselected by now. */
  readonly unloadedTags: readonly string[];
  /** True if at least one domain is selected. All checkboxes are then visible. */
  readonly isSelecting: boolean;
  /** Selects or deselects a domain. With `range`, does the same to all rows from the last toggled domain to this one. */
  toggle: (id: string, how?: { range?: boolean }) => void;
  /** Selects all domains that the filter finds, loaded or not. Shows errors itself. */
  selectAll: () => Promise<void>;
  clear: () => void;
  /** Deselects domains. */
  drop: (ids: Iterable<string>) => void;
  /** The filter of the list. */
  readonly filter: ListFilter;
  readonly total: number;
  /** The loaded domains, in list order. */
  readonly loaded: readonly DomainWire[];
}

/** Returns the selection. Throws outside a SelectionProvider. */
export function useSelection(): Selection {
  const selection = useContext(SelectionContext);
  if (!selection) throw new Error('useSelection needs a SelectionProvider above it');
  return selection;
}
