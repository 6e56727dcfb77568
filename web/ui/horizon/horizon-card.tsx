import { useMemo } from 'react';
import type { ReactNode, RefObject } from 'react';
import { cardFrame } from './frames.ts';
import { HorizonDrawing } from './horizon-drawing.tsx';
import { horizonHeight, layOutHorizon } from './horizon-layout.ts';
import type { HorizonContent, HorizonLayout } from './horizon-layout.ts';
import { useTextMeasure } from './text-measure.ts';
import { useWidth } from './use-width.ts';

interface Looks {
  /** How far it looks, in days. */
  span: number;
  rows: 2 | 4;
}

/** The layout for the width of the element that the ref is given to; null until it stands in a page. */
export function useCardLayout(
  { span, rows }: Looks,
  { entries, now }: HorizonContent,
): [RefObject<HTMLDivElement | null>, HorizonLayout | null] {
  const [ref, width] = useWidth<HTMLDivElement>();
  const measure = useTextMeasure();
  const layout = useMemo(
    () => (width && measure ? layOutHorizon(cardFrame(width, span, rows), { entries, now }, measure) : null),
    [width, span, rows, entries, now, measure],
  );
  return [ref, layout];
}

interface HorizonCardProps {
  ref: RefObject<HTMLDivElement | null>;
  layout: HorizonLayout | null;
  rows: 2 | 4;
  /** At the top left; only heard on a telephone. */
  heading: ReactNode;
  /** At the top right; there is none on a telephone. */
  choice: ReactNode;
  /** Drawn on the ruler, below the pins. */
  onRuler?: ReactNode;
  /** Drawn above the pins. */
  onPins?: ReactNode;
  /** Laid over the drawing. */
  children?: ReactNode;
}

/** A card around a horizon: of the same height before it is laid out, and with and without pins. */
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
        // Laid out anew only a moment after a window has become narrower: what is still where it was makes no page scroll.
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
