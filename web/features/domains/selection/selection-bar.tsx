import { useState } from 'react';
import { lazyPart } from '../../../ui/lazy.tsx';
import { useSelection } from './selection-context.ts';

const SelectionActions = lazyPart(async () => (await import('./selection-actions.tsx')).SelectionActions);

/** What can be done with everything that is selected; its code comes with the first selection and then stays. */
export function SelectionBar() {
  const { isSelecting } = useSelection();
  const [isNeeded, setIsNeeded] = useState(isSelecting);
  if (isSelecting && !isNeeded) setIsNeeded(true);
  if (!isNeeded) return null;
  return <SelectionActions />;
}
