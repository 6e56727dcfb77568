import { type HistoryState, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { SORT_DIRECTIONS } from '../../../contract/calls/list-order.ts';
import { oneOf } from '../../lib/search-parameters.ts';
import { DOMAIN_SORTS } from '../../../contract/words.ts';
import type { DashboardSearch, DomainView } from '../../lib/dashboard-search.ts';
import { createPreference } from '../../lib/browser/preference.ts';
import type { ListFilter } from '../../domain/domain-filter.ts';

const readDirection = oneOf(SORT_DIRECTIONS);
const sortPreference = createPreference('sort', DOMAIN_SORTS, 'newest');
const viewPreference = createPreference<DomainView>('view', ['grid', 'list'], 'grid');

interface Change {
  /** True to replace the history entry: while text is typed, and for what closes again. */
  replace?: boolean;
  /** Additional state of the history entry; `true` keeps the current one. */
  state?: true | HistoryState | ((former: HistoryState) => HistoryState);
}

/** Returns the dashboard's search parameters. The choices of the last visit are the defaults. */
export function useDashboardSearch() {
  const search: DashboardSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const preferredSort = sortPreference.use();
  const preferredView = viewPreference.use();
  const { q, status, tag, expires, issuer, without } = search;
  const direction = readDirection(search.direction);
  const { sort = status === 'attention' ? 'worst' : preferredSort, view = preferredView } = search;
  const filter = useMemo<ListFilter>(
    () => ({
      ...(q !== undefined && { q }),
      ...(status !== undefined && { status }),
      ...(tag !== undefined && { tag }),
      ...(expires !== undefined && { expires }),
      ...(issuer !== undefined && { issuer }),
      ...(without !== undefined && { without }),
      sort,
      ...(direction !== undefined && { direction }),
    }),
    [q, status, tag, expires, issuer, without, sort, direction],
  );

  /** Merges the change into the URL; undefined removes a parameter. */
  const change = useCallback(
    (
      patch: { [Key in keyof DashboardSearch]?: DashboardSearch[Key] | undefined },
      { replace = false, state }: Change = {},
    ) => {
      if (patch.sort) sortPreference.set(patch.sort);
      if (patch.view) viewPreference.set(patch.view);
      void navigate({
        to: '/dashboard',
        // The filter "Needs attention" lists the worst domains first, so it drops the order that was chosen before.
        search: (former) =>
          defined({
            ...former,
            ...(patch.status === 'attention' && { sort: undefined }),
            // A new order starts in its usual direction.
            ...((patch.status === 'attention' || patch.sort !== undefined) && { direction: undefined }),
            ...patch,
          }),
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
