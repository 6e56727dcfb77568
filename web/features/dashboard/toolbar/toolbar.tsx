import { Plus, Search } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import type { SummaryWire } from '../../../../contract/domain.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { InHeader } from '../../../ui/header-slot.tsx';
import { useDashboardSearch } from '../use-dashboard-search.ts';
import { PeriodFilter, SortMenu, TagMenu } from './list-menus.tsx';
import { SearchField } from '../../../ui/form/search-field.tsx';
import { lazyPart } from '../../../ui/lazy.tsx';
import { isUnderMore } from './choices.ts';
import { StatusFilters } from './status-filters.tsx';
import { ViewToggle } from './view-toggle.tsx';

// Loads when the menu first opens.
const GroupChoices = lazyPart(async () => (await import('./group-choices.tsx')).GroupChoices);
/** Search parameters to clear when the grouping changes: no group of the new one is open. */
const NO_GROUP = { issuer: undefined, without: undefined };

/**
 * On wider screens than phones, the filters have a row for themselves below 700 px of width: beside the panel they would hide the
 * filters at their end otherwise.
 */
const SHOWN_IF_NARROW = 'max-md:hidden @min-[700px]:hidden';
const HIDDEN_IF_NARROW = 'md:@max-[700px]:hidden';

interface ToolbarProps {
  summary: SummaryWire | undefined;
  searchInput: RefObject<HTMLInputElement | null>;
  /** How many domains the current search and filters find; null while unknown. */
  hits: number | null;
  /** Below 720 px the search is a button in the header until it is opened. */
  isSearchOpen: boolean;
  onOpenSearch: () => void;
  onLeaveSearch: () => void;
  onAdd: () => void;
  /** Other actions for the list; below 720 px only while the search is shown. */
  children?: ReactNode;
}

/** Shows search, filters, order, view and the add button. */
export function Toolbar({
  summary,
  searchInput,
  hits,
  isSearchOpen,
  onOpenSearch,
  onLeaveSearch,
  onAdd,
  children,
}: ToolbarProps) {
  const { search, filter, view, change } = useDashboardSearch();
  const isSearchShown = isSearchOpen || search.q !== undefined || search.tag !== undefined;
  // These have two places, one of them hidden. If styles moved them, the Tab key would not follow the order on the screen.
  const views = (
    <>
      <SortMenu
        isBrief={isUnderMore(search.status) || search.expires !== undefined}
        filter={filter}
        onSort={(sort) => change({ sort })}
      >
        <GroupChoices group={search.group} onGroup={(group) => change({ ...NO_GROUP, group })} />
      </SortMenu>
      <ViewToggle view={view} onChange={(next) => change({ view: next })} />
    </>
  );
  const add = (
    <Button aria-label="Add Domain" className="max-md:hidden" onClick={onAdd}>
      <Plus className="size-3.5" strokeWidth={1.8} aria-hidden="true" />
      <span>
        Add<span className="@max-[760px]:hidden"> Domain</span>
      </span>
    </Button>
  );
  return (
    // Sticks below the header, except on low screens, where it would cover too much of the list.
    <div
      data-toolbar=""
      className="@container z-10 has-[[role=menu]]:z-30 -mx-4 flex flex-wrap items-center gap-x-0.5 gap-y-1 mb-1 bg-bg px-4 pt-3 pb-1 md:-mx-7 md:gap-1.5 md:px-7 md:pt-4 md:pb-2 [@media(min-height:560px)]:sticky [@media(min-height:560px)]:top-14 md:[@media(min-height:560px)]:top-15"
    >
      <InHeader>
        <IconButton label="Search" aria-expanded={isSearchShown} className="md:hidden" onClick={onOpenSearch}>
          <Search className="size-4" strokeWidth={1.6} aria-hidden="true" />
        </IconButton>
      </InHeader>
      <SearchField
        ref={searchInput}
        label="Find a domain"
        hasKey
        value={search.q}
        hits={search.q === undefined ? null : hits}
        onSearch={(q) => change({ q }, { replace: true })}
        onLeave={onLeaveSearch}
        className={classNames(
          'min-w-44 flex-1 @min-[920px]:w-[clamp(176px,17cqw,204px)] @min-[920px]:flex-none',
          !isSearchShown && 'max-md:hidden',
        )}
      />
      <span className={classNames('contents', !isSearchShown && 'max-md:hidden')}>
        <TagMenu tags={summary?.tags ?? []} chosen={search.tag} onChoose={(tag) => change({ tag })} />
        <span className="@min-[920px]:hidden">{children}</span>
        <span className={classNames('flex items-center gap-1.5', SHOWN_IF_NARROW)}>
          {views}
          {add}
        </span>
        <span className="basis-full @min-[920px]:hidden" />
      </span>
      <StatusFilters
        isBrief={search.expires !== undefined}
        summary={summary}
        chosen={search.status}
        onChoose={(status) => change({ status })}
      />
      {search.expires !== undefined && (
        <PeriodFilter period={search.expires} onClear={() => change({ expires: undefined })} />
      )}
      <span className={classNames('contents', HIDDEN_IF_NARROW)}>{views}</span>
      <span className="@max-[920px]:hidden">{children}</span>
      <span className={classNames('contents', HIDDEN_IF_NARROW)}>{add}</span>
    </div>
  );
}

/** Shows the add button below 720 px, fixed above the tabs. */
export function AddBar({ onAdd }: { onAdd: () => void }) {
  return (
    <div
      data-add-bar=""
      className="fixed inset-x-0 bottom-(--tabs) z-10 bg-linear-to-b from-transparent to-bg to-30% px-4 py-3 md:hidden"
    >
      <Button size="large" className="w-full text-lead" onClick={onAdd}>
        <Plus className="size-4" strokeWidth={1.8} aria-hidden="true" />
        Add Domain
      </Button>
    </div>
  );
}
