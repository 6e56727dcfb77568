/** A small word beside a heading. */
export function Chip({ children }: { children: string }) {
  return (
    <span className="rounded-1 bg-accent-soft px-[7px] text-small/5 font-medium tracking-normal whitespace-nowrap text-accent-fg forced-colors:border">
      {children}
    </span>
  );
}
