import { classNames } from './class-names.ts';

/** A grey block of the shape that is to come; sized by classes. Never announced. */
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
