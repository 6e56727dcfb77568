import { classNames } from './class-names.ts';

/** Draws the logo: a ring (now) on a shaft (validity) that ends at a wall (expiry). */
function LogoMark({ className = 'size-[26px]' }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" className={classNames('block flex-none', className)} aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="var(--logo-tile)" />
      <circle cx="8" cy="12" r="3.25" fill="none" stroke="var(--logo-ink)" strokeWidth="2.5" />
      <path d="M11.5 12H17" stroke="var(--logo-ink)" strokeWidth="2.5" />
      <path d="M18.25 6v12" stroke="var(--logo-wall)" strokeWidth="2.5" strokeLinecap="round" />
    </svg>
  );
}

/** Shows the logo with the product's name. */
export function Wordmark({ name, size = 'medium' }: { name: string; size?: 'small' | 'medium' | 'large' }) {
  return (
    <span
      className={classNames(
        'flex items-center font-heavy text-fg',
        size === 'large'
          ? 'gap-3 text-[21px]/7 tracking-[-.018em]'
          : 'gap-2.5 text-base/6 tracking-[-.015em]',
      )}
    >
      <LogoMark className={size === 'large' ? 'size-9' : size === 'small' ? 'size-[22px]' : 'size-[26px]'} />
      {name}
    </span>
  );
}
