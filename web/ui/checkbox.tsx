import { Check } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

/** A box of 18 px, filled with ink when it is checked. Its label is whose it is in. */
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
