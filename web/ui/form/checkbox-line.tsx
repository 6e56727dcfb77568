import { Check, Lock } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { classNames } from '../class-names.ts';

interface CheckboxLineProps {
  checked: boolean;
  onChange: (isChecked: boolean) => void;
  label: ReactNode;
  /** Small text below the label. */
  note?: ReactNode;
  /** True if the option needs Premium. The checkbox stays focusable, and clicks still call `onChange`. */
  isLocked?: boolean;
  /** True if the option cannot be changed now, for the reason in `note`. The checkbox stays focusable, and clicks do nothing. */
  isFixed?: boolean;
}

/** Shows a checkbox whose whole label is clickable. */
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

/** Shows a checkbox of 18 px, without a label of its own. */
export function Checkbox({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  return (
    <span className="grid flex-none place-items-center">
      <input
        {...rest}
        type="checkbox"
        className={classNames(
          'peer col-start-1 row-start-1 size-[18px] cursor-pointer appearance-none rounded-1 border border-control bg-surface checked:border-fg checked:bg-fg forced-colors:appearance-auto',
          className,
        )}
      />
      <Check
        aria-hidden="true"
        strokeWidth={2.4}
        className="pointer-events-none col-start-1 row-start-1 size-3 text-bg opacity-0 peer-checked:opacity-100 forced-colors:hidden"
      />
    </span>
  );
}
