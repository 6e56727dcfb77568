import { type ReactNode, type RefObject, useMemo } from 'react';
import { cardFrame, shownDays } from './frames.ts';
import { HorizonDrawing } from './horizon-drawing.tsx';
import { type HorizonContent, horizonHeight, type HorizonLayout, layOutHorizon } from './horizon-layout.ts';
import { useTextMeasure, useWidth } from './text-measure.ts';

interface Looks {
  /** The span in days. */
  span: number;
  rows: 2 | 4;
}

/** Returns the layout for the width of the ref's element; null until mounted. */
export function useCardLayout(
  { span, rows }: Looks,
  { entries, now }: HorizonContent,
): [RefObject<HTMLDivElement | null>, HorizonLayout | null] {
  const [ref, width] = useWidth<HTMLDivElement>();
  const measure = useTextMeasure();
  const layout = useMemo(() => {
    if (!width || !measure) return null;
    const frame = cardFrame(width, span, rows);
    const days = shownDays(frame.days, entries, now);
    return layOutHorizon({ ...frame, days }, { entries, now }, measure);
  }, [width, span, rows, entries, now, measure]);
  return [ref, layout];
}

interface HorizonCardProps {
  ref: RefObject<HTMLDivElement | null>;
  layout: HorizonLayout | null;
  rows: 2 | 4;
  /** Content at the top left. On phones only screen readers get it. */
  heading: ReactNode;
  /** Content at the top right; hidden on phones. */
  choice: ReactNode;
  /** Drawn on the ruler, below the pins. */
  onRuler?: ReactNode;
  /** Drawn above the pins. */
  onPins?: ReactNode;
  /** Placed over the drawing. */
  children?: ReactNode;
}

/** Shows a card around a horizon. The card has the same height before the layout is known and without pins. */
export function HorizonCard(props: HorizonCardProps) {
  const { ref, layout, rows, heading, choice, onRuler, onPins, children } = props;
  const isNarrow = layout?.frame.narrow ?? false;
  return (
    <div className="rounded-4 border border-line bg-surface shadow-1">
      {isNarrow ? (
        <div className="sr-only">{heading}</div>
      ) : (
        <div className="flex min-h-11 items-end justify-between gap-4 pt-3 pr-3 pl-5">
          <div className="self-center text-label font-semibold tracking-[-.003em]">{heading}</div>
          {choice}
        </div>
      )}
      <div
        ref={ref}
        // When the window narrows, the drawing is updated a little later. Until then it must not make the page scroll
        // sideways.
        className="relative overflow-x-clip"
        style={{ height: layout?.height ?? horizonHeight({ rows, rowHeight: 25 }) }}
      >
        {layout && (
          <>
            <div className="overflow-hidden rounded-4">
              <HorizonDrawing layout={layout} hatched onRuler={onRuler}>
                {onPins}
              </HorizonDrawing>
            </div>
            {children}
          </>
        )}
      </div>
    </div>
  );
}
