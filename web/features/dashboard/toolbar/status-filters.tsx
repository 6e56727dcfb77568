import { ChevronDown, LoaderCircle } from 'lucide-react';
import { type ComponentProps, useEffect, useRef } from 'react';
import type { SummaryWire } from '../../../../contract/domain.ts';
import type { ListStatus } from '../../../../contract/words.ts';
import { classNames } from '../../../ui/class-names.ts';
import { StateMark } from '../../../domain/state-marks.tsx';
import { Menu, MenuChoices } from '../../../ui/menu.tsx';
import { grouped } from '../../../lib/format.ts';
import { type StatusFilter, statusFilters } from './choices.ts';

/** Width of the fade at either end of the row, in px. */
const FADE_PX = 24;
/** Stands for "All" in the row. No status has this name. */
const NONE = 'none' as const;

interface StatusFiltersProps {
  summary: SummaryWire | undefined;
  chosen: ListStatus | undefined;
  onChoose: (status: ListStatus | undefined) => void;
  /** True to show no glyphs, because the chosen period needs the space. */
  isBrief: boolean;
}

/** Filters by state, in one row that scrolls sideways. Clicking the chosen filter selects All. */
export function StatusFilters({ summary, chosen, onChoose, isBrief }: StatusFiltersProps) {
  const { main, more } = statusFilters(summary);
  const rare = more.find(({ status }) => status === chosen);
  // Leave out these two while they find nothing: the full menu does not fit on a phone.
  const listed = more.filter(
    ({ status, count }) =>
      count !== 0 || status === chosen || (status !== 'pending' && status !== 'renewal_fails'),
  );
  const row = useRef<HTMLDivElement>(null);
  const isCounted = summary !== undefined;
  useEffect(() => {
    const button = row.current?.querySelector('[data-chosen]')?.getBoundingClientRect();
    const box = row.current?.getBoundingClientRect();
    // Scroll the chosen filter into view again when the counts have loaded, because they make the buttons wider.
    if (chosen === undefined || !isCounted || !button || !box) return;
    const beyond = Math.max(button.right - box.right + FADE_PX, 0);
    row.current?.scrollBy(beyond + Math.min(button.left - box.left - FADE_PX, 0), 0);
  }, [chosen, isCounted]);
  return (
    <div
      ref={row}
      role="group"
      aria-label="Filter by state"
      className="sideways min-w-40 flex-1 [--between:2px]"
    >
      {main.map(({ status, label, mark, count }) => {
        const isChosen = status === chosen;
        return (
          <FilterButton
            key={label}
            isChosen={isChosen}
            aria-pressed={isChosen}
            aria-label={nameOf({ label, count })}
            onClick={() => onChoose(isChosen ? undefined : status)}
          >
            {!isBrief && <FilterMark mark={mark} className="@max-[1040px]:hidden" />}
            {label}
            <Count count={count} />
          </FilterButton>
        );
      })}
      <Menu
        trigger={
          <FilterButton
            isChosen={rare !== undefined}
            aria-label={rare ? `More: ${nameOf(rare)}` : 'More filters'}
          >
            {rare ? (
              <span>
                <span className="max-md:hidden">More: </span>
                {rare.label}
              </span>
            ) : (
              'More'
            )}
            {rare && <Count count={rare.count} />}
            <ChevronDown className="size-3.5 text-fg-3" strokeWidth={1.8} aria-hidden="true" />
          </FilterButton>
        }
      >
        <MenuChoices<ListStatus | typeof NONE>
          value={rare?.status ?? NONE}
          onChange={(status) => onChoose(status === NONE ? undefined : status)}
          choices={listed.map(({ status = NONE, label, mark, count }) => ({
            value: status,
            label: count === undefined ? label : `${label} · ${grouped(count)}`,
            icon: <FilterMark mark={mark} />,
          }))}
        />
      </Menu>
    </div>
  );
}

const nameOf = ({ label, count }: Pick<StatusFilter, 'label' | 'count'>): string =>
  count === undefined ? label : `${label}, ${grouped(count)}`;

function FilterButton({ isChosen, ...rest }: ComponentProps<'button'> & { isChosen: boolean }) {
  return (
    <button
      {...rest}
      type="button"
      data-chosen={isChosen ? '' : undefined}
      className={classNames(
        'inline-flex min-h-10 flex-none items-center gap-1.5 rounded-2 border px-2 text-label font-[520] whitespace-nowrap md:min-h-8',
        isChosen
          ? 'border-line-2 bg-surface text-fg shadow-1 forced-colors:border-[Highlight]'
          : 'border-transparent text-fg-2 hover:bg-sunken data-[state=open]:bg-sunken',
      )}
    />
  );
}

function Count({ count }: Pick<StatusFilter, 'count'>) {
  return <span className="num font-[480] text-fg-3">{count === undefined ? '–' : grouped(count)}</span>;
}

function FilterMark({ mark, className }: Pick<StatusFilter, 'mark'> & { className?: string }) {
  if (mark === null) return null;
  if (mark === 'pending')
    return (
      <LoaderCircle
        className={classNames('size-[13px] text-fg-3', className)}
        strokeWidth={1.8}
        aria-hidden="true"
      />
    );
  return <StateMark state={mark} className={classNames('size-3 [--glyph-cut:var(--bg)]', className)} />;
}
