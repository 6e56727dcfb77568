import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import { Spinner } from './loading.tsx';

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
const INACTIVE = 'border-transparent! bg-line! shadow-none! brightness-100! cursor-default';
// A disabled ghost button stays without background: a grey one would make it look hovered.
const DISABLED_GHOST = 'disabled:bg-transparent disabled:text-fg-3 disabled:cursor-default';
const INACTIVE_GHOST = 'bg-transparent! cursor-default';
// While busy, the label stays in place but invisible, so that the button keeps its width and its accessible name.
const BUSY = 'text-transparent! *:opacity-0';

/** Returns button classes, for links that look like buttons. */
export function buttonClass(variant: ButtonVariant = 'primary', size: ButtonSize = 'medium'): string {
  return classNames(BASE, VARIANTS[variant], SIZES[size]);
}

export interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Shows a spinner over the label and ignores clicks. */
  busy?: boolean;
  /** Ignores clicks but keeps the focus. For a button that has nothing left to do after it was clicked. */
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
  // Not `disabled`: that would drop the focus, and keyboard users would restart at the top of the page.
  const isInactive = busy || inactive;
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled}
      aria-disabled={isInactive || undefined}
      aria-busy={busy || undefined}
      // Also prevents a submit by Enter, which clicks the form's button.
      onClick={isInactive ? (event) => event.preventDefault() : onClick}
      className={classNames(
        buttonClass(variant, size),
        isGhost ? DISABLED_GHOST : DISABLED,
        isInactive && (isGhost ? INACTIVE_GHOST : INACTIVE),
        busy ? BUSY : inactive && 'text-fg-3!',
        className,
      )}
    >
      {children}
      {busy && <Spinner className="absolute text-fg-3 opacity-100!" />}
    </button>
  );
}

/** Shows a button as a link within a text. */
export function LinkButton({ className, ...rest }: ComponentProps<'button'>) {
  return <button type="button" {...rest} className={classNames('link', className)} />;
}

export interface IconButtonProps extends ComponentProps<'button'> {
  /** The accessible name. */
  label: string;
}

/** Shows an icon button of 32 px, 44 px below 720 px. */
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
