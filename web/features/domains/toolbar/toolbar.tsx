import { Plus, Search } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import type { SummaryWire } from '../../../../contract/domain.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { InHeader } from '../../../ui/header-slot.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useDashboardSearch } from '../use-dashboard-search.ts';
import { SortMenu, TagMenu } from './list-menus.tsx';
import { SearchField } from './search-field.tsx';
import { chipsOf, LASTING_CHIPS } from './chips.ts';
import { StatusChips } from './status-chips.tsx';
import { ViewToggle } from './view-toggle.tsx';

interface ToolbarProps {
  summary: SummaryWire | undefined;
  searchInput: RefObject<HTMLInputElement | null>;
  /** Below 720 px the search is a button of the header until it is wanted. */
  isSearchOpen: boolean;
  onOpenSearch: () => void;
  onLeaveSearch: () => void;
  onAdd: () => void;
  /** More that is done with the list as a whole; below 720 px it stands beside the search. */
  children?: ReactNode;
}

/** Search, filters, order, view and what adds: between the horizon and the list. */
export function Toolbar({
  summary,
  searchInput,
  isSearchOpen,
  onOpenSearch,
  onLeaveSearch,
  onAdd,
  children,
}: ToolbarProps) {
  const { search, filter, view, change } = useDashboardSearch();
  const isSearchShown = isSearchOpen || search.q !== undefined || search.tag !== undefined;
  return (
    <div className="flex flex-wrap items-center gap-x-0.5 gap-y-2 pt-4 pb-3 md:gap-x-1.5 md:pt-5 md:pb-3.5">
      <InHeader>
        <IconButton label="Search" aria-expanded={isSearchShown} className="md:hidden" onClick={onOpenSearch}>
          <Search className="size-4" strokeWidth={1.6} aria-hidden="true" />
        </IconButton>
      </InHeader>
      <SearchField
        ref={searchInput}
        value={search.q}
        onSearch={(q) => change({ q }, { replace: true })}
        onLeave={onLeaveSearch}
        className={classNames(
          'max-md:min-w-44 max-md:flex-1 md:w-full [@media(min-width:900px)]:w-[204px]',
          !isSearchShown && 'max-md:hidden',
        )}
      />
      <span className={classNames('contents', !isSearchShown && 'max-md:hidden')}>
        <TagMenu tags={summary?.tags ?? []} chosen={search.tag} onChoose={(tag) => change({ tag })} />
        <span className="md:order-1">{children}</span>
        <span className="basis-full md:hidden" />
      </span>
      <div className="@container min-w-0 flex-1 basis-0">
        <StatusChips summary={summary} chosen={search.status} onChoose={(status) => change({ status })} />
      </div>
      <SortMenu
        isBrief={chipsOf(summary, search.status).length > LASTING_CHIPS}
        sort={filter.sort}
        onSort={(sort) => change({ sort })}
      />
      <ViewToggle view={view} onChange={(next) => change({ view: next })} />
      <Button className="order-2 max-md:hidden" onClick={onAdd}>
        <Plus className="size-3.5" strokeWidth={1.8} aria-hidden="true" />
        Add Domain
      </Button>
    </div>
  );
}

/** The way to add below 720 px: always in reach, above the safe area. */
export function AddBar({ onAdd }: { onAdd: () => void }) {
  return (
    <div className="fixed inset-x-0 bottom-0 z-10 bg-linear-to-b from-transparent to-bg to-30% px-4 pt-3 pb-[max(1rem,env(safe-area-inset-bottom))] md:hidden">
      <Button size="large" className="w-full text-lead" onClick={onAdd}>
        <Plus className="size-4" strokeWidth={1.8} aria-hidden="true" />
        Add Domain
      </Button>
    </div>
  );
}
