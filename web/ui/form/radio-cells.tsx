import { Check } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { Spinner } from '../loading.tsx';

export interface RadioCell<Value> {
  value: Value;
  label: ReactNode;
  /** Small text below the label. */
  note?: ReactNode;
  /** True if the cell cannot be chosen. It stays focusable; the element with the id `lockedHintId` says why. */
  isLocked?: boolean;
  className?: string;
}

export interface RadioCellsProps<Value> {
  label: string;
  cells: readonly RadioCell<Value>[];
  chosen: Value;
  onChoose: (value: Value) => void;
  /** While the choice is being saved, the chosen cell shows a spinner and no other can be chosen. */
  isPending?: boolean;
  lockedHintId?: string;
  /** Classes that set the number of columns for each width. */
  className: string;
}

/** Shows a radio group of equal cells. */
export function RadioCells<Value extends string | number>({
  label,
  cells,
  chosen,
  onChoose,
  isPending = false,
  lockedHintId,
  className,
}: RadioCellsProps<Value>) {
  const isOffered = cells.some(({ value }) => value === chosen);
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={classNames(
        'grid overflow-hidden rounded-3 border border-line-2 bg-line [column-gap:1px] [row-gap:1px]',
        className,
      )}
    >
      {cells.map((cell, index) => {
        const isChosen = cell.value === chosen;
        const isLocked = cell.isLocked === true;
        return (
          <button
            key={cell.value}
            type="button"
            role="radio"
            aria-checked={isChosen}
            aria-disabled={isLocked || isPending || undefined}
            aria-describedby={isLocked ? lockedHintId : undefined}
            tabIndex={isChosen || (!isOffered && index === 0) ? 0 : -1}
            onKeyDown={moveAmongRadios}
            onClick={() => {
              if (!isLocked && !isPending && !isChosen) onChoose(cell.value);
            }}
            className={classNames(
              'min-h-[52px] px-[10px] pt-2 pb-[9px] text-left text-label font-medium -outline-offset-2',
              cell.note !== undefined && 'grid content-start',
              isLocked ? 'bg-sunken text-fg-3 cursor-not-allowed!' : 'bg-surface',
              isPending && !isChosen && !isLocked && 'text-fg-3',
              isChosen && 'rounded-[7px] shadow-[inset_0_0_0_1.5px_var(--fg)] forced-colors:border-2',
              cell.className,
            )}
          >
            <span className="flex items-center justify-between gap-1">
              {cell.label}
              {isChosen &&
                (isPending ? (
                  <Spinner className="size-3.5 text-fg-3" />
                ) : (
                  <Check className="size-4 flex-none" strokeWidth={1.6} aria-hidden="true" />
                ))}
            </span>
            {cell.note !== undefined && (
              <span className="flex items-center gap-1 text-small font-normal text-fg-3">{cell.note}</span>
            )}
          </button>
        );
      })}
    </div>
  );
}

/** Arrow keys only move the focus. Choosing may send a request, so it takes Space, Enter or a click. */
function moveAmongRadios(event: KeyboardEvent<HTMLButtonElement>): void {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const group = event.currentTarget.closest('[role=radiogroup]');
  const radios = Array.from(group?.querySelectorAll<HTMLButtonElement>('[role=radio]') ?? []);
  const index = radios.indexOf(event.currentTarget);
  radios[(index + step + radios.length) % radios.length]?.focus();
}
