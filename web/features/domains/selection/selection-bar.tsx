import { lazy, Suspense } from 'react';
import { useSelection } from './selection-context.ts';

const SelectionActions = lazy(async () => ({
  default: (await import('./selection-actions.tsx')).SelectionActions,
}));

/** What can be done with everything that is selected; its code comes with the first selection. */
export function SelectionBar() {
  const { isSelecting } = useSelection();
  if (!isSelecting) return null;
  return (
    <Suspense>
      <SelectionActions />
    </Suspense>
  );
}
