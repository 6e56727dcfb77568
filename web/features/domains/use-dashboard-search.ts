import { useNavigate, useSearch } from '@tanstack/react-router';
import type { HistoryState } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { DOMAIN_SORTS } from '../../../contract/domain.ts';
import type { DashboardSearch, DomainView } from '../../lib/dashboard-search.ts';
import { createPreference } from '../../lib/preference.ts';
import type { ListFilter } from './domain-filter.ts';

const sortPreference = createPreference('sort', DOMAIN_SORTS, 'newest');
const viewPreference = createPreference<DomainView>('view', ['grid', 'list'], 'grid');

interface Change {
  /** No new entry in the history: for what is typed letter by letter, and what closes again. */
  replace?: boolean;
  /** What the entry of the history remembers besides; `true`: what the present one does. */
  state?: true | HistoryState;
}

/** What the address says of the dashboard, and where it says nothing, what was chosen last. */
export function useDashboardSearch() {
  const search: DashboardSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const preferredSort = sortPreference.use();
  const preferredView = viewPreference.use();
  const { q, status, tag, sort = preferredSort, view = preferredView } = search;
  const filter = useMemo<ListFilter>(
    () => ({
      ...(q !== undefined && { q }),
      ...(status !== undefined && { status }),
      ...(tag !== undefined && { tag }),
      sort,
    }),
    [q, status, tag, sort],
  );

  /** Lays the change over the address; what is undefined in it leaves the address. */
  const change = useCallback(
    (
      patch: { [Key in keyof DashboardSearch]?: DashboardSearch[Key] | undefined },
      { replace = false, state }: Change = {},
    ) => {
      if (patch.sort) sortPreference.set(patch.sort);
      if (patch.view) viewPreference.set(patch.view);
      void navigate({
        to: '/dashboard',
        search: (former) => defined({ ...former, ...patch }),
        replace,
        ...(state !== undefined && { state }),
        resetScroll: false,
      });
    },
    [navigate],
  );
  return { search, filter, view, change };
}

function defined(search: object): DashboardSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
