import { useId } from 'react';
import { xOf } from '../../../ui/horizon/day-axis.ts';
import { HatchPattern } from '../../../ui/horizon/horizon-drawing.tsx';
import type { HorizonLayout } from '../../../ui/horizon/horizon-layout.ts';
import type { HorizonLink } from './horizon-links.ts';

/** Marks on the ruler the time from the expected renewal to the expiry, from today on. */
export function RenewalSpan({
  layout: { axis, base, frame },
  from,
  to,
}: {
  layout: HorizonLayout;
  /** Start and end, in ms UTC. */
  from: number;
  to: number;
}) {
  const hatch = useId();
  const start = Math.max(frame.todayX, Math.round(xOf(axis, from)));
  const end = Math.min(frame.axisEnd, xOf(axis, to));
  if (end <= start) return null;
  const box = { x: start + 0.5, y: base - 7.5, width: end - start, height: 8 };
  return (
    <>
      <HatchPattern id={hatch} />
      <rect {...box} fill="var(--surface)" />
      <rect {...box} fill={`url(#${hatch})`} stroke="var(--line-2)" />
      {start > frame.todayX && <path d={`M${start + 0.5} ${base - 10}v10`} stroke="var(--fg-3)" />}
    </>
  );
}

/** Frames the pin of the domain whose panel is open. */
export function SelectedPin({ link: { box } }: { link: HorizonLink }) {
  return (
    <rect
      x={Math.floor(box.left) - 0.5}
      y={Math.floor(box.top) + 0.5}
      width={Math.ceil(box.width) + 1}
      height={box.height - 1}
      rx="4"
      stroke="var(--fg)"
    />
  );
}
