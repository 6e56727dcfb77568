import { Lock } from 'lucide-react';
import { useId } from 'react';
import type { ReactNode } from 'react';
import { Checkbox } from './checkbox.tsx';
import { classNames } from './class-names.ts';

interface CheckboxLineProps {
  checked: boolean;
  onChange: (isChecked: boolean) => void;
  label: ReactNode;
  /** The small line below. */
  note?: ReactNode;
  /** Needs Premium: it stays focusable, and a press is told to `onChange` all the same. */
  isLocked?: boolean;
  /** Cannot be changed for now, for the reason in `note`; it stays focusable, and a press does nothing. */
  isFixed?: boolean;
}

/** A box with its words, all of which can be pressed. */
export function CheckboxLine({
  checked,
  onChange,
  label,
  note,
  isLocked = false,
  isFixed = false,
}: CheckboxLineProps) {
  const id = useId();
  return (
    <div className="flex items-start">
      <span className="flex min-h-11 flex-none items-center md:min-h-8">
        <Checkbox
          id={id}
          checked={checked}
          aria-disabled={isLocked || isFixed || undefined}
          className={isLocked ? 'bg-sunken!' : undefined}
          aria-describedby={note === undefined ? undefined : `${id}-note`}
          onChange={(event) => {
            if (!isFixed) onChange(event.target.checked);
          }}
        />
      </span>
      <div className="min-w-0 py-3 md:py-1.5">
        <label
          htmlFor={id}
          className={classNames(
            'flex cursor-pointer items-center gap-2 pl-2.5 text-body',
            isLocked && 'text-fg-3',
          )}
        >
          {label}
          {isLocked && (
            <span className="flex items-center gap-1 text-small">
              <Lock className="size-3 flex-none" strokeWidth={1.6} aria-hidden="true" />
              Premium
            </span>
          )}
        </label>
        {note !== undefined && (
          <p id={`${id}-note`} className="pl-2.5 text-meta text-fg-3">
            {note}
          </p>
        )}
      </div>
    </div>
  );
}
