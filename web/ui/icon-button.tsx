import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

export interface IconButtonProps extends ComponentProps<'button'> {
  /** What it does; the icon says nothing to those who do not see it. */
  label: string;
}

/** 32 px square, 44 px below 720 px. */
export function IconButton({ label, className, type = 'button', ...rest }: IconButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-label={label}
      className={classNames(
        'inline-grid size-11 flex-none place-items-center rounded-2 text-fg-3 transition-colors duration-120 hover:bg-sunken hover:text-fg data-[state=open]:bg-sunken md:size-8',
        className,
      )}
    />
  );
}
