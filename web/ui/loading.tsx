import { classNames } from './class-names.ts';
import { useEffect, useState } from 'react';

export function Spinner({ className }: { className?: string }) {
  return (
    <svg
      className={classNames('size-4 animate-spin', className)}
      viewBox="0 0 16 16"
      fill="none"
      aria-hidden="true"
    >
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeWidth="1.8" opacity=".3" />
      <path d="M14 8a6 6 0 0 0-6-6" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
    </svg>
  );
}

/** Shows a grey placeholder, sized by classes. Hidden from screen readers. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={classNames(
        'block animate-[pulse_1.6s_ease-in-out_infinite] rounded-1 bg-line opacity-75',
        className,
      )}
    />
  );
}

export function ProgressBar({ label, value, max }: { label: string; value: number; max: number }) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuenow={value}
      aria-valuemax={max}
      className="h-1 overflow-hidden rounded-full bg-line forced-colors:border"
    >
      <div
        className="h-full bg-primary transition-[width] duration-180 forced-colors:bg-[Highlight]"
        style={{ width: `${max === 0 ? 0 : (100 * value) / max}%` }}
      />
    </div>
  );
}

/** Returns false at first and true after `delayMs`, so that a fast load shows no skeleton. */
export function useDelayed(delayMs: number): boolean {
  const [passed, setPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), delayMs);
    return () => clearTimeout(timer);
  }, [delayMs]);
  return passed;
}
