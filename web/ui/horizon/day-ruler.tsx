import { useEffect, useId, useRef, useState } from 'react';

const STEP = 12;
const MONTH = 30;
const MONTH_OFFSET = 12;

/** Draws days, weeks and months along the bottom of a page. It is the page's only ornament. Drawn for the actual width, never scaled. */
export function DayRuler({ className }: { className?: string }) {
  const id = useId();
  const ref = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(1440);
  useEffect(() => {
    const svg = ref.current;
    if (!svg) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.ceil(entry.contentRect.width));
    });
    observer.observe(svg);
    return () => observer.disconnect();
  }, []);
  const months: number[] = [];
  for (let x = MONTH_OFFSET * STEP; x < width; x += MONTH * STEP) months.push(x);
  return (
    <svg
      ref={ref}
      width="100%"
      height="22"
      className={className}
      style={{ display: 'block' }}
      aria-hidden="true"
    >
      <defs>
        <pattern id={id} width={7 * STEP} height="22" patternUnits="userSpaceOnUse">
          <path d="M.5 22v-5m12 5v-5m12 5v-5m12 5v-5m12 5v-5m12 5v-11m12 11v-5" stroke="var(--line-2)" />
        </pattern>
      </defs>
      <rect width="100%" height="22" fill={`url(#${id})`} />
      {months.map((x) => (
        <path key={x} d={`M${x + 0.5} 22v-20`} stroke="var(--control)" />
      ))}
    </svg>
  );
}
