import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { classNames } from '../../../ui/class-names.ts';
import { useSelection } from './selection-context.ts';

/**
 * The box that selects a domain, in the place of its icon (`children`): there while its card or row is hovered, while it
 * has the focus, and while anything is selected. The press reaches 44 px where nothing hovers.
 */
export function SelectBox({ domain, children }: { domain: DomainWire; children?: ReactNode }) {
  const { selected, isSelecting, toggle } = useSelection();
  const isSelected = selected.has(domain.id);
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
      <label className="absolute top-1/2 left-1/2 grid size-8 -translate-1/2 cursor-pointer place-items-center [@media(hover:none)]:size-11">
        <input
          type="checkbox"
          aria-label={`Select ${domain.display_name}`}
          checked={isSelected}
          // A change event does not say whether Shift is held.
          onChange={() => undefined}
          onClick={(event) => toggle(domain.id, { range: event.shiftKey })}
          className={classNames(
            'peer col-start-1 row-start-1 size-[18px] cursor-pointer appearance-none rounded-1 border bg-surface transition-opacity duration-120 forced-colors:appearance-auto',
            'checked:border-fg checked:bg-fg',
            isSelecting ? 'border-control' : 'border-control opacity-0 focus-visible:opacity-100',
            '[@media(hover:hover)]:in-[[data-domain-id]:hover]:opacity-100',
          )}
        />
        <Check
          aria-hidden="true"
          strokeWidth={2.4}
          className="pointer-events-none col-start-1 row-start-1 size-3 text-bg opacity-0 peer-checked:opacity-100 forced-colors:hidden"
        />
      </label>
    </span>
  );
}
