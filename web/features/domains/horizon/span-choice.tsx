import { useId } from 'react';
import { HORIZON_SPANS } from '../../../lib/dashboard-search.ts';
import type { HorizonSpan } from '../../../lib/dashboard-search.ts';
import { SPAN_NAMES } from './span-names.ts';

/** How far the horizon looks, one of three. */
export function SpanChoice({ span, onChoose }: { span: HorizonSpan; onChoose: (span: HorizonSpan) => void }) {
  const name = useId();
  return (
    <fieldset className="inline-flex rounded-2 border border-line bg-sunken p-0.5">
      <legend className="sr-only">Range</legend>
      {HORIZON_SPANS.map((days) => (
        <label
          key={days}
          className="inline-flex h-[26px] cursor-pointer items-center rounded-1 px-2.5 text-meta font-[520] whitespace-nowrap text-fg-3 hover:text-fg has-checked:bg-surface has-checked:text-fg has-checked:shadow-[0_0_0_1px_var(--line-2),var(--elevation-1)] has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring dark:has-checked:bg-line forced-colors:has-checked:bg-[Highlight] forced-colors:has-checked:text-[HighlightText] forced-colors:has-checked:forced-color-adjust-none"
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
