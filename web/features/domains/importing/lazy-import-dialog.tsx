import { useState } from 'react';
import { BY_OPEN, laterDialog } from '../../../ui/later.tsx';
import type { ImportDialogProps } from './import-dialog.tsx';

const ImportDialog = laterDialog(async () => (await import('./import-dialog.tsx')).ImportDialog, BY_OPEN);

/** The dialog that adds many domains; its code comes when it is first opened. */
export function LazyImportDialog(props: ImportDialogProps) {
  const [isNeeded, setIsNeeded] = useState(props.open);
  if (props.open && !isNeeded) setIsNeeded(true);
  if (!isNeeded) return null;
  return <ImportDialog {...props} />;
}
