import { type ReactNode, useId } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { Checkbox } from '../../../ui/form/checkbox-line.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { useSelection } from './selection-provider.tsx';

/**
 * Selects a domain. The checkbox replaces the icon (`children`) on hover, on focus, and while anything is selected. On touch
 * devices its target is 44 px.
 */
export function SelectBox({ domain, children }: { domain: DomainWire; children?: ReactNode }) {
  const { selected, isSelecting, toggle } = useSelection();
  const id = useId();
  return (
    <span className="group/select relative z-1 grid flex-none place-items-center">
      <span
        className={classNames(
          'grid place-items-center transition-opacity duration-120',
          isSelecting
            ? 'opacity-0'
            : 'group-focus-within/select:opacity-0 [@media(hover:hover)]:in-[[data-domain-id]:hover]:opacity-0',
        )}
      >
        {children}
      </span>
      <label
        htmlFor={id}
        className="absolute top-1/2 left-1/2 grid size-8 -translate-1/2 cursor-pointer place-items-center select-none [@media(hover:none)]:size-11"
      >
        <Checkbox
          id={id}
          aria-label={`Select ${domain.display_name}`}
          checked={selected.has(domain.id)}
          // React wants a handler. The click handler does the work, because a change event does not tell whether Shift is
          // pressed.
          onChange={() => undefined}
          onClick={(event) => toggle(domain.id, { range: event.shiftKey })}
          className={classNames(
            'transition-opacity duration-120 [@media(hover:hover)]:in-[[data-domain-id]:hover]:opacity-100',
            !isSelecting && 'opacity-0 focus-visible:opacity-100',
          )}
        />
      </label>
    </span>
  );
}
