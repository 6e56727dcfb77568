import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { useLiveEvents } from '../../../lib/live-events-context.ts';
import { toast } from '../../../ui/toast.tsx';
import type { ListFilter } from '../domain-filter.ts';
import { fetchDomainIds } from './selection-calls.ts';
import { SelectionContext } from './selection-context.ts';
import { NOTHING_SELECTED, toggled, withAll, withoutAll } from './selection-state.ts';

interface SelectionProviderProps {
  /** What the list shows at present. A change of it keeps the selection. */
  filter: ListFilter;
  /** How many domains match it. */
  total: number;
  /** Those that are loaded, in the order of the list. */
  loaded: readonly DomainWire[];
  children: ReactNode;
}

/** Keeps which domains are selected, for as long as the dashboard is open. */
export function SelectionProvider({ filter, total, loaded, children }: SelectionProviderProps) {
  const [state, setState] = useState(NOTHING_SELECTED);
  const latest = useRef({ filter, loaded });
  useEffect(() => {
    latest.current = { filter, loaded };
  });
  useLiveEvents((event) => {
    if (event.event === 'domain_removed') setState((former) => withoutAll(former, [event.data.id]));
  });

  const toggle = useCallback((id: string, { range = false }: { range?: boolean } = {}) => {
    const order = latest.current.loaded.map((domain) => domain.id);
    setState((former) => toggled(former, id, range, order));
  }, []);
  const selectAll = useCallback(async () => {
    try {
      const { ids, total: all } = await fetchDomainIds(latest.current.filter);
      setState((former) => withAll(former, ids));
      if (ids.length < all) toast.info(`The first ${ids.length} of ${all} domains are selected.`);
    } catch (error) {
      toast.error(`Could not select all: ${messageOf(error)}`);
    }
  }, []);
  const clear = useCallback(() => setState(NOTHING_SELECTED), []);
  const drop = useCallback((ids: Iterable<string>) => setState((former) => withoutAll(former, ids)), []);

  const value = useMemo(
    () => ({
      selected: state.selected,
      isSelecting: state.selected.size > 0,
      toggle,
      selectAll,
      clear,
      drop,
      filter,
      total,
      loaded,
    }),
    [state, toggle, selectAll, clear, drop, filter, total, loaded],
  );
  return <SelectionContext value={value}>{children}</SelectionContext>;
}
