import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { messageOf } from '../../../lib/api-client.ts';
import { useLiveEvents } from '../../../lib/live-events-context.ts';
import { toast } from '../../../ui/toast.tsx';
import { fetchDomainIds } from './selection-calls.ts';
import type { ListedDomains } from './selection-calls.ts';
import { SelectionContext } from './selection-context.ts';
import { NOTHING_SELECTED, toggled, withAll, withoutAll } from './selection-state.ts';

export interface SelectionProviderProps {
  /** What the list shows at present. A change of it keeps the selection. */
  listed: ListedDomains;
  /** How many domains match it. */
  total: number;
  /** The ids of the rows that are loaded, in their order. */
  loadedIds: readonly string[];
  children: ReactNode;
}

/** Keeps which domains are selected, for as long as the dashboard is open. */
export function SelectionProvider({ listed, total, loadedIds, children }: SelectionProviderProps) {
  const [state, setState] = useState(NOTHING_SELECTED);
  const latest = useRef({ listed, loadedIds });
  useEffect(() => {
    latest.current = { listed, loadedIds };
  });
  useLiveEvents((event) => {
    if (event.event === 'domain_removed') setState((former) => withoutAll(former, [event.data.id]));
  });

  const toggle = useCallback(
    (id: string, { range = false }: { range?: boolean } = {}) =>
      setState((former) => toggled(former, id, range, latest.current.loadedIds)),
    [],
  );
  const selectAll = useCallback(async () => {
    try {
      const { ids, total: all } = await fetchDomainIds(latest.current.listed);
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
      listed,
      total,
    }),
    [state, toggle, selectAll, clear, drop, listed, total],
  );
  return <SelectionContext value={value}>{children}</SelectionContext>;
}
