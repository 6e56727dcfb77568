import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { domainGroups } from '../../../../contract/calls/domain.ts';
import type { DomainFilter } from '../../../../contract/domain.ts';
import { STATE_NAMES } from '../../../../contract/state/state-words.ts';
import type { DomainGroupWire } from '../../../../contract/domain-groups.ts';
import {
  DOMAIN_STATES,
  type DomainGrouping,
  type DomainState,
  type ListStatus,
} from '../../../../contract/words.ts';
import { ALL_IDS } from '../../../domain/domain-cache.ts';
import type { ListFilter } from '../../../domain/domain-filter.ts';
import { SectionError } from '../../../domain/section-error.tsx';
import { call } from '../../../lib/api-client.ts';
import { grouped } from '../../../lib/format.ts';
import { classNames } from '../../../ui/class-names.ts';
import { StateMark } from '../../../domain/state-marks.tsx';
import { Skeleton } from '../../../ui/loading.tsx';
import { statusFilters } from '../toolbar/choices.ts';
import { troubleClasses } from './second-line.tsx';

/** Maximum number of groups in the server's answer. */
const MAX_GROUPS = 500;

type GroupFilter = { [Name in 'status' | 'tag' | 'issuer' | 'without']?: DomainFilter[Name] | undefined };

export interface DomainGroupsProps {
  by: DomainGrouping;
  /** The filter of the list. */
  filter: ListFilter;
  /** Changes parts of the list's filter. */
  onChange: (change: GroupFilter) => void;
  /** The list of domains, shown below the heading of the open group. */
  children: ReactNode;
}

/** Shows the groups of the list with their numbers. The group whose filter the list has is open and contains the list. */
export function DomainGroups({ by, filter, onChange, children }: DomainGroupsProps) {
  const { sort, direction: _, ...others } = { ...filter, ...closedFilter(by, filter) };
  // Groups have two orders: `worst` or, for any other order of the list, by size.
  const groupSort = sort === 'worst' ? sort : undefined;
  const read = useQuery({
    queryKey: [...ALL_IDS, 'groups', by, others, groupSort],
    queryFn: ({ signal }) => call(domainGroups, { query: { ...others, by, sort: groupSort }, signal }),
    placeholderData: (former) => former,
  });
  const { data } = read;
  if (!data)
    return read.error ? (
      <SectionError title="Could not load the groups" read={read} />
    ) : (
      <Skeleton className="h-12" />
    );
  const isOpen = (group: DomainGroupWire) => isGroupFilter(by, filter, group);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {(by === 'state' && !groupSort ? inUsualOrder(data) : data).map((group) => (
        <Group
          key={group.key ?? ''}
          name={groupName(by, group)}
          group={group}
          isOpen={isOpen(group)}
          onToggle={() => onChange(isOpen(group) ? closedFilter(by, filter) : groupFilter(by, group))}
        >
          {children}
        </Group>
      ))}
      {data.length === MAX_GROUPS && (
        <p className="text-meta text-fg-3">
          These are the {MAX_GROUPS} {groupSort ? 'worst' : 'largest'} groups.
        </p>
      )}
      {/* If nothing matches, or no group has the filter, the list is shown alone: it explains why it is empty. */}
      {!data.some(isOpen) && hasGroupFilter(by, filter) && children}
    </div>
  );
}

interface GroupProps {
  name: string;
  group: DomainGroupWire;
  isOpen: boolean;
  onToggle: () => void;
  children: ReactNode;
}

function Group({ name, group: { total, attention, worst }, isOpen, onToggle, children }: GroupProps) {
  const listId = useId();
  return (
    <section>
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? listId : undefined}
          onClick={onToggle}
          className="flex min-h-12 w-full items-center gap-2.5 rounded-4 border border-line bg-surface px-4 text-left shadow-1 hover:border-line-2"
        >
          <ChevronRight
            className={classNames('size-4 flex-none text-fg-3 transition-transform', isOpen && 'rotate-90')}
            strokeWidth={1.6}
            aria-hidden="true"
          />
          <span className="min-w-0 truncate font-[560]" title={name}>
            {name}
          </span>
          <span className="num flex-none text-label text-fg-3">
            {grouped(total)}
            <span className="max-md:sr-only"> {total === 1 ? 'domain' : 'domains'}</span>
          </span>
          {worst !== null && (
            <span
              className={classNames(
                'num ml-auto flex flex-none items-center gap-1.5 text-label font-[520]',
                troubleClasses({ state: worst })?.text,
              )}
            >
              <StateMark state={worst} className="size-3 [--glyph-cut:var(--surface)]" />
              <span>
                {grouped(attention)}
                <span className="max-md:sr-only"> {attention === 1 ? 'needs' : 'need'} attention</span>
              </span>
            </span>
          )}
        </button>
      </h3>
      {isOpen && (
        <div id={listId} className="mt-2 mb-4">
          {children}
        </div>
      )}
    </section>
  );
}

const isState = (status: ListStatus | undefined): status is DomainState =>
  DOMAIN_STATES.some((state) => state === status);

/** Returns the change of the filter that opens a group. */
function groupFilter(by: DomainGrouping, { key }: DomainGroupWire): GroupFilter {
  if (by === 'state') return { status: key as DomainState };
  const without = key === null ? by : undefined;
  return by === 'tag' ? { tag: key ?? undefined, without } : { issuer: key ?? undefined, without };
}

/**
 * Returns the change of the filter that closes every group. A `status` that stands for several states, such as `attention`,
 * is no group, so it stays.
 */
function closedFilter(by: DomainGrouping, { status, without }: DomainFilter): GroupFilter {
  if (by === 'state') return isState(status) ? { status: undefined } : {};
  return { [by]: undefined, ...(without === by && { without: undefined }) };
}

function isGroupFilter(by: DomainGrouping, filter: DomainFilter, group: DomainGroupWire): boolean {
  if (by === 'state') return filter.status === group.key;
  return group.key === null ? filter.without === by : filter[by] === group.key;
}

function hasGroupFilter(by: DomainGrouping, filter: DomainFilter): boolean {
  return by === 'state' ? isState(filter.status) : filter[by] !== undefined || filter.without === by;
}

/** Returns groups by state in the order of the toolbar's filters, most urgent state first. */
function inUsualOrder(groups: readonly DomainGroupWire[]): readonly DomainGroupWire[] {
  const { main, more } = statusFilters(undefined);
  const order = [...main, ...more].map(({ status }) => status);
  const place = ({ key }: DomainGroupWire) => order.findIndex((status) => status === key);
  return groups.toSorted((one, other) => place(one) - place(other));
}

function groupName(by: DomainGrouping, { key }: DomainGroupWire): string {
  if (key === null) return by === 'tag' ? 'No tag' : STATE_NAMES.unread;
  if (by !== 'state') return key;
  return statusFilters(undefined).more.find(({ status }) => status === key)?.label ?? key;
}
