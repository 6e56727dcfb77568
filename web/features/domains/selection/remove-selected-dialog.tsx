import type { DomainWire } from '../../../../contract/domain.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { grouped } from './bulk-outcome.ts';

interface RemoveSelectedDialogProps {
  open: boolean;
  count: number;
  /** The one that is selected, where it is one and known. */
  only: DomainWire | null;
  processing: boolean;
  onOpenChange: (open: boolean) => void;
  onConfirm: () => void;
  focusAfterClose: () => HTMLElement | null;
}

/** Asks before every selected domain is removed. */
export function RemoveSelectedDialog({ count, only, ...rest }: RemoveSelectedDialogProps) {
  const which = count === 1 ? 'this domain' : `these ${grouped(count)} domains`;
  return (
    <ConfirmDialog
      {...rest}
      title={`Are you sure you want to delete ${which}?`}
      description={
        only ? (
          <>
            This will permanently delete "<span className="font-mono text-fg">{only.display_name}</span>".
            This action cannot be undone.
          </>
        ) : (
          `This will permanently delete ${count === 1 ? 'one domain' : `${grouped(count)} domains`}. This action cannot be undone.`
        )
      }
    />
  );
}
