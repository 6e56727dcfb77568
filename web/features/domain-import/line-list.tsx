import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { classNames } from '../../ui/class-names.ts';
import { Glyph, type GlyphName } from '../../ui/glyph.tsx';
import { type PlannedLine, type Results, type Verdict, verdictOf } from './import-plan.ts';

interface LineListProps {
  plan: readonly PlannedLine[];
  results: Results;
  /** Indices of the lines to show. */
  shown: readonly number[];
  isRunning: boolean;
}

const TONES: Record<Verdict['tone'], { glyph: GlyphName | null; mark: string; text: string }> = {
  good: { glyph: 'ok', mark: 'text-ok-mark', text: 'text-fg' },
  done: { glyph: 'active', mark: 'text-ok-mark', text: 'text-fg' },
  quiet: { glyph: null, mark: '', text: 'text-fg-3' },
  // Triangles and diamonds stand only for an expiry, so a warning is a square.
  warning: { glyph: 'fault', mark: 'text-soon-mark', text: 'text-soon-fg' },
  critical: { glyph: 'fault', mark: 'text-critical-mark', text: 'text-critical-fg' },
};

// A scroll area without focusable content must itself be reachable by keyboard.
const SCROLLER = { tabIndex: 0 };

/** Lists the lines and what happens to each. Only those in view are mounted. */
export function LineList({ plan, results, shown, isRunning }: LineListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  // The virtualizer's functions cannot be memoised, and nothing here does so.
  // oxlint-disable-next-line react/incompatible-library
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 44,
    getItemKey: (row) => shown[row] ?? row,
    overscan: 8,
  });
  return (
    <div
      ref={scroller}
      {...SCROLLER}
      role="group"
      aria-label="Lines"
      className="max-h-[28dvh] md:max-h-[min(44dvh,396px)] overflow-y-auto overscroll-contain rounded-3 border border-line-2 -outline-offset-2"
    >
      {shown.length === 0 && <p className="px-3.5 py-3 text-label text-fg-3">No problems.</p>}
      <ol className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const place = shown[index];
          const planned = place === undefined ? undefined : plan[place];
          if (place === undefined || !planned) return null;
          return (
            <li
              key={place}
              ref={rows.measureElement}
              data-index={index}
              aria-setsize={shown.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0 border-b border-line last:border-b-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Line
                planned={planned}
                verdict={verdictOf(planned, results.get(place))}
                isRunning={isRunning}
              />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function Line({
  planned,
  verdict,
  isRunning,
}: {
  planned: PlannedLine;
  verdict: Verdict;
  isRunning: boolean;
}) {
  const { glyph, mark, text } = TONES[verdict.tone];
  return (
    <div className="grid min-h-11 grid-cols-[44px_minmax(0,1fr)] content-center items-baseline gap-x-3 py-2 pr-3.5 md:grid-cols-[52px_minmax(0,1fr)_auto]">
      <span className="num text-right text-meta leading-5! text-fg-3">{planned.line}</span>
      <span
        title={planned.name ?? planned.text}
        className={classNames(
          'truncate text-label leading-5!',
          planned.entry ? 'font-mono font-[560]' : 'text-fg-2',
        )}
      >
        {planned.name ?? planned.text}
      </span>
      <span
        className={classNames(
          'col-start-2 flex items-center gap-1.5 text-label leading-5! md:col-start-3 md:row-start-1',
          text,
        )}
      >
        {glyph && <Glyph name={glyph} className={classNames('size-[13px]', mark)} />}
        {isRunning && verdict.tone === 'good' ? 'Waiting' : verdict.text}
      </span>
      {verdict.detail && (
        <span className="col-start-2 text-meta [overflow-wrap:anywhere] text-fg-2 md:col-end-4">
          {verdict.detail}
        </span>
      )}
    </div>
  );
}
