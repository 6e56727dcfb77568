import { ArrowDownAZ, ArrowDownWideNarrow, CalendarClock, Tag, Tags } from 'lucide-react';
import type { ComponentProps } from 'react';
import { DOMAIN_SORTS } from '../../../../contract/domain.ts';
import type { DomainSort, SummaryWire } from '../../../../contract/domain.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Menu, MenuChoices } from '../../../ui/menu.tsx';
import { SORT_LABELS } from './sorts.ts';

const SORT_ICONS = { newest: ArrowDownWideNarrow, soonest: CalendarClock, name: ArrowDownAZ };
/** No tag has this name: tags have no leading space. */
const ANY = ' any';

/** A quiet button of the toolbar: text from 900 px on, below only its icon. */
function MenuButton({ className, children, ...rest }: ComponentProps<'button'>) {
  return (
    <button
      {...rest}
      type="button"
      className={classNames(
        'inline-flex min-h-10 min-w-10 flex-none items-center justify-center gap-[7px] rounded-2 border border-transparent px-2 text-label font-[520] whitespace-nowrap text-fg-2 hover:bg-sunken data-[state=open]:bg-sunken md:min-h-8 md:min-w-8',
        className,
      )}
    >
      {children}
    </button>
  );
}

interface SortMenuProps {
  sort: DomainSort;
  onSort: (sort: DomainSort) => void;
  /** Without its word, where the chips need the room. */
  isBrief: boolean;
}

export function SortMenu({ sort, onSort, isBrief }: SortMenuProps) {
  return (
    <Menu
      trigger={
        <MenuButton aria-label={`Sort: ${SORT_LABELS[sort]}`} title={isBrief ? SORT_LABELS[sort] : undefined}>
          <ArrowDownWideNarrow className="size-4" strokeWidth={1.6} aria-hidden="true" />
          {!isBrief && <span className="hidden [@media(min-width:900px)]:inline">{SORT_LABELS[sort]}</span>}
        </MenuButton>
      }
    >
      <MenuChoices
        value={sort}
        onChange={onSort}
        choices={DOMAIN_SORTS.map((value) => {
          const Icon = SORT_ICONS[value];
          return { value, label: SORT_LABELS[value], icon: <Icon strokeWidth={1.6} aria-hidden="true" /> };
        })}
      />
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
        <MenuButton
          aria-label={chosen === undefined ? 'Filter by tag' : `Filter by tag: ${chosen}`}
          title="Filter by tag"
          className={chosen === undefined ? '' : 'border-line-2 bg-surface text-fg shadow-1'}
        >
          <Tag className="size-3.5" strokeWidth={1.6} aria-hidden="true" />
          {chosen !== undefined && <span className="max-w-24 truncate">{chosen}</span>}
        </MenuButton>
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
