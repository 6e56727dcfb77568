import { DAY_MS } from '../../../../contract/durations.ts';
import { ValueOverlay } from '../../../domain/uptime/value-overlay.tsx';
import { STRIP_HEIGHT, uptimeStripDrawing } from '../../../ui/certificate/uptime-strip-geometry.ts';
import { StripTicks } from '../../../ui/certificate/uptime-strip.tsx';
import { dayInUtc, dayStripLabel, downtimeText, stripDays } from './status-words.ts';

interface DayStripProps {
  name: string;
  /** Minutes of downtime per day (UTC), oldest first; the last entry is today. Null for a day without data. */
  downMinutes: readonly (number | null)[];
  now: number;
}

/**
 * Draws a tick for each of the last 90 days over the full width. Days with downtime have taller ticks. The reader can step
 * through the days.
 */
export function DayStrip({ name, downMinutes: known, now }: DayStripProps) {
  const downMinutes = stripDays(known);
  const days = downMinutes.length;
  const letters = downMinutes.map((minutes) => (minutes === null ? '?' : minutes > 0 ? 'd' : 'u')).join('');
  const drawing = uptimeStripDrawing(letters, days);
  return (
    <div className="relative">
      <svg
        role="img"
        aria-label={dayStripLabel(downMinutes)}
        viewBox={`0 0 ${drawing.width} ${STRIP_HEIGHT}`}
        preserveAspectRatio="none"
        className="block h-6 w-full forced-color-adjust-none print-color-adjust-exact"
      >
        <StripTicks {...drawing} />
      </svg>
      <ValueOverlay
        label={`Days of ${name}`}
        first={0}
        last={days - 1}
        fromRight={(index, width) => ((days - index - 0.5) / days) * width}
        read={(index) => {
          const minutes = downMinutes[index];
          if (minutes === undefined) return undefined;
          return { value: downtimeText(minutes), time: dayInUtc(now - (days - 1 - index) * DAY_MS) };
        }}
      />
    </div>
  );
}
