import { X } from 'lucide-react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useSelection } from './selection-context.ts';

/** The bar at the bottom of the page while domains are selected. */
export function SelectionActions() {
  const { selected, total, selectAll, clear } = useSelection();
  return (
    <section
      aria-label="Selected domains"
      data-selection-bar=""
      className="fixed inset-x-4 bottom-[84px] z-20 flex items-center gap-3 rounded-4 border border-line-2 bg-menu p-2 shadow-3 md:inset-x-auto md:bottom-6"
    >
      <IconButton label="Clear selection" onClick={clear}>
        <X className="size-4" strokeWidth={1.6} aria-hidden="true" />
      </IconButton>
      <p className="num text-body font-medium">{selected.size} selected</p>
      <button type="button" className="link px-2 text-label" onClick={() => void selectAll()}>
        Select all {total}
      </button>
    </section>
  );
}
