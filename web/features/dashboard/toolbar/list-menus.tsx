import { ArrowDownAZ, ArrowDownWideNarrow, CalendarClock, Tag, Tags, TriangleAlert, X } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { DOMAIN_SORTS, type DomainSort } from '../../../../contract/words.ts';
import type { SummaryWire } from '../../../../contract/domain.ts';
import { classNames } from '../../../ui/class-names.ts';
import { PHONE, useMediaQuery } from '../../../lib/use-media-query.ts';
import { Menu, MenuChoices } from '../../../ui/menu.tsx';
import { inPeriod, periodName } from '../../../domain/day-and-month.ts';
import type { ListFilter } from '../../../domain/domain-filter.ts';
import { isReversed, SORT_LABELS, sortLabel } from './choices.ts';

const SORT_ICONS = {
  newest: ArrowDownWideNarrow,
  soonest: CalendarClock,
  worst: TriangleAlert,
  name: ArrowDownAZ,
};
/** Stands for "any tag" in the menu. No tag has this name, because tags have no leading space. */
const ANY = ' any';

interface ToolButtonProps extends ComponentProps<'button'> {
  /** True if the button's menu narrows the list now. */
  isChosen?: boolean;
}

/** Shows a button of the toolbar. */
function ToolButton({ isChosen = false, children, ...rest }: ToolButtonProps) {
  return (
    <button
      {...rest}
      type="button"
      className={classNames(
        'inline-flex min-h-10 min-w-10 flex-none items-center justify-center gap-[7px] rounded-2 border px-2 text-label font-[520] whitespace-nowrap md:min-h-8 md:min-w-8',
        isChosen
          ? 'border-line-2 bg-surface text-fg shadow-1'
          : 'border-transparent text-fg-2 hover:bg-sunken data-[state=open]:bg-sunken',
      )}
    >
      {children}
    </button>
  );
}

interface SortMenuProps {
  filter: ListFilter;
  onSort: (sort: DomainSort) => void;
  /** True to show no text, because the filters need the space. */
  isBrief: boolean;
  /** More choices, shown below the orders. */
  children: ReactNode;
}

/** Shows the order: with text if the toolbar has 1,100 px, otherwise only an icon. */
export function SortMenu({ filter, onSort, isBrief, children }: SortMenuProps) {
  const label = sortLabel(filter);
  // On a phone, the menu fits neither above nor below the toolbar, so it opens beside it.
  const side = useMediaQuery(PHONE) ? 'left' : 'bottom';
  return (
    <Menu
      side={side}
      trigger={
        <ToolButton aria-label={`Sort: ${label}`} title={label}>
          <ArrowDownWideNarrow className="size-4" strokeWidth={1.6} aria-hidden="true" />
          {!isBrief && <span className="hidden @min-[1100px]:inline">{label}</span>}
        </ToolButton>
      }
    >
      <MenuChoices
        value={isReversed(filter) ? null : filter.sort}
        onChange={onSort}
        choices={DOMAIN_SORTS.map((value) => {
          const Icon = SORT_ICONS[value];
          return { value, label: SORT_LABELS[value], icon: <Icon strokeWidth={1.6} aria-hidden="true" /> };
        })}
      />
      {children}
    </Menu>
  );
}

interface TagMenuProps {
  tags: SummaryWire['tags'];
  chosen: string | undefined;
  onChoose: (tag: string | undefined) => void;
}

export function TagMenu({ tags, chosen, onChoose }: TagMenuProps) {
  if (tags.length === 0 && chosen === undefined) return null;
  const choices = tags.map(({ tag, count }) => ({
    value: tag,
    label: `${tag} · ${count}`,
    icon: <Tag strokeWidth={1.6} aria-hidden="true" />,
  }));
  return (
    <Menu
      trigger={
        <ToolButton
          aria-label={chosen === undefined ? 'Filter by tag' : `Filter by tag: ${chosen}`}
          title="Filter by tag"
          isChosen={chosen !== undefined}
        >
          <Tag className="size-3.5" strokeWidth={1.6} aria-hidden="true" />
          {chosen !== undefined && <span className="max-w-24 truncate">{chosen}</span>}
        </ToolButton>
      }
    >
      <MenuChoices
        value={chosen ?? ANY}
        onChange={(tag) => onChoose(tag === ANY ? undefined : tag)}
        choices={[
          { value: ANY, label: 'Any tag', icon: <Tags strokeWidth={1.6} aria-hidden="true" /> },
          ...choices,
        ]}
      />
    </Menu>
  );
}

/** Shows the chosen period of expiry; a click removes the filter. */
export function PeriodFilter({ period, onClear }: { period: string; onClear: () => void }) {
  return (
    <ToolButton
      aria-label={`Expiring ${inPeriod(period)}: show every date`}
      title="Show every date"
      isChosen
      onClick={onClear}
    >
      {periodName(period)}
      <X className="size-3.5 text-fg-3" strokeWidth={1.8} aria-hidden="true" />
    </ToolButton>
  );
}
