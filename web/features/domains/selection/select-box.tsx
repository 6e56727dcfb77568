import { useId } from 'react';
import type { ReactNode } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { useSelection } from './selection-context.ts';

/**
 * The box that selects a domain, in the place of its icon (`children`): there while its card or row is hovered, while it
 * has the focus, and while anything is selected. The press reaches 44 px where nothing hovers.
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
          // A change event does not say whether Shift is held.
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
