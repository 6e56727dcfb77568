import { useId } from 'react';
import { HORIZON_SPANS } from '../../../lib/dashboard-search.ts';
import type { HorizonSpan } from '../../../lib/dashboard-search.ts';
import { classNames } from '../../../ui/class-names.ts';
import { SEGMENTS, segmentClass } from '../../../ui/segments.ts';
import { SPAN_NAMES } from './span-names.ts';

/** How far the horizon looks, one of three. */
export function SpanChoice({ span, onChoose }: { span: HorizonSpan; onChoose: (span: HorizonSpan) => void }) {
  const name = useId();
  return (
    <fieldset className={SEGMENTS}>
      <legend className="sr-only">Range</legend>
      {HORIZON_SPANS.map((days) => (
        <label
          key={days}
          className={classNames(
            segmentClass(days === span),
            'cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring',
          )}
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={days === span}
            onChange={() => onChoose(days)}
          />
          {SPAN_NAMES[days]}
        </label>
      ))}
    </fieldset>
  );
}
