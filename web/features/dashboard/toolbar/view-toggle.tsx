import { LayoutGrid, Menu } from 'lucide-react';
import type { DomainView } from '../../../lib/dashboard-search.ts';
import { classNames } from '../../../ui/class-names.ts';

const VIEWS = [
  { view: 'grid', label: 'Grid', Icon: LayoutGrid },
  { view: 'list', label: 'List', Icon: Menu },
] as const;

interface ViewToggleProps {
  view: DomainView;
  onChange: (view: DomainView) => void;
}

/** Switches between grid and list; below 720 px with a single button. */
export function ViewToggle({ view, onChange }: ViewToggleProps) {
  return (
    <div
      role="group"
      aria-label="View"
      className="flex flex-none md:rounded-2 md:border md:border-line md:bg-sunken md:p-0.5"
    >
      {VIEWS.map(({ view: choice, label, Icon }) => {
        const isChosen = choice === view;
        return (
          <button
            key={choice}
            type="button"
            aria-label={label}
            title={label}
            aria-pressed={isChosen}
            onClick={() => onChange(choice)}
            className={classNames(
              'grid min-h-10 min-w-10 place-items-center rounded-1 md:min-h-[30px] md:min-w-[34px]',
              isChosen
                ? 'text-fg max-md:hidden md:bg-surface md:shadow-[0_0_0_1px_var(--line-2)] dark:md:bg-line forced-colors:outline'
                : 'text-fg-3 hover:text-fg',
            )}
          >
            <Icon className="size-4" strokeWidth={1.6} aria-hidden="true" />
          </button>
        );
      })}
    </div>
  );
}
