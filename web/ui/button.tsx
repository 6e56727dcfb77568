import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import { Spinner } from './spinner.tsx';

export type ButtonVariant = 'primary' | 'outline' | 'ghost' | 'tinted' | 'danger' | 'danger-outline';
export type ButtonSize = 'small' | 'medium' | 'form' | 'large';

const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'border-transparent bg-primary text-primary-fg hover:bg-primary-hover',
  outline: 'border-line-2 bg-surface text-fg shadow-1 hover:bg-sunken',
  ghost: 'border-transparent text-fg-2 hover:bg-sunken',
  tinted: 'border-transparent bg-accent-soft text-accent-fg hover:border-accent-fg',
  danger: 'border-transparent bg-danger text-danger-fg hover:brightness-90',
  'danger-outline': 'border-line-2 bg-surface text-critical-fg shadow-1 hover:bg-sunken',
};

// Below 720 px every target is at least 44 px high.
const SIZES: Record<ButtonSize, string> = {
  small: 'min-h-11 px-3 text-label md:min-h-8',
  medium: 'min-h-11 px-3.5 text-body md:min-h-9',
  form: 'min-h-11 px-3.5 text-body md:min-h-10',
  large: 'min-h-12 px-6 text-base/6',
};

const BASE =
  'inline-flex items-center justify-center gap-2 rounded-2 border font-medium whitespace-nowrap no-underline select-none transition-[background-color,border-color,filter] duration-120';
const DISABLED =
  'disabled:border-transparent disabled:bg-line disabled:text-fg-3 disabled:shadow-none disabled:brightness-100 disabled:cursor-default';
const INACTIVE = 'border-transparent! bg-line! text-fg-3! shadow-none! brightness-100! cursor-default';
// One without a ground has none then either: grey, it would look hovered.
const DISABLED_GHOST = 'disabled:bg-transparent disabled:text-fg-3 disabled:cursor-default';
const INACTIVE_GHOST = 'bg-transparent! text-fg-3! cursor-default';

/** The look of a button, for links that lead somewhere. */
export function buttonClass(variant: ButtonVariant = 'primary', size: ButtonSize = 'medium'): string {
  return classNames(BASE, VARIANTS[variant], SIZES[size]);
}

export interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Shows a spinner and takes no further press; the label stays. */
  busy?: boolean;
  /** Takes no press for now, and keeps the focus: for a button that its own press leaves with nothing to do. */
  inactive?: boolean;
}

export function Button({
  variant = 'primary',
  size = 'medium',
  busy = false,
  inactive = false,
  disabled = false,
  className,
  children,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  const isGhost = variant === 'ghost';
  // Not `disabled`: that would drop the focus to the page, and who works by keyboard began at its top again.
  const isInactive = busy || inactive;
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled}
      aria-disabled={isInactive || undefined}
      aria-busy={busy || undefined}
      // Keeps a form from being sent, too: Enter in a field presses its button.
      onClick={isInactive ? (event) => event.preventDefault() : onClick}
      className={classNames(
        buttonClass(variant, size),
        isGhost ? DISABLED_GHOST : DISABLED,
        isInactive && (isGhost ? INACTIVE_GHOST : INACTIVE),
        className,
      )}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}
