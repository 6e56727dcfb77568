import { lazy, Suspense, useState } from 'react';
import type { ImportDialogProps } from './import-dialog.tsx';

const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.tsx')).ImportDialog }));

/** The dialog that adds many domains; its code comes when it is first opened. */
export function LazyImportDialog(props: ImportDialogProps) {
  const [isNeeded, setIsNeeded] = useState(props.open);
  if (props.open && !isNeeded) setIsNeeded(true);
  if (!isNeeded) return null;
  return (
    <Suspense>
      <ImportDialog {...props} />
    </Suspense>
  );
}
