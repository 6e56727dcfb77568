/** How much of something is done, on a rule of 4 px. */
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
