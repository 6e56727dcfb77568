import { useMutation } from '@tanstack/react-query';
import type { DomainWire } from '../../../contract/domain.ts';
import { messageOf } from '../../lib/api-client.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { removeDomain } from './domain-calls.ts';
import { useDomainCache } from './domain-cache.ts';

interface RemoveDomainDialogProps {
  /** The domain that is asked about; null when nothing is. */
  domain: DomainWire | null;
  onClose: () => void;
  /** Called before the domain leaves the list. */
  onRemove: (domain: DomainWire) => void;
  focusAfterClose: () => HTMLElement | null;
}

export function RemoveDomainDialog({ domain, onClose, onRemove, focusAfterClose }: RemoveDomainDialogProps) {
  const cache = useDomainCache();
  const { mutate, isPending } = useMutation({
    mutationFn: ({ id }: DomainWire) => removeDomain(id),
    onSuccess: (_, removed) => {
      onRemove(removed);
      cache.remove(removed.id);
      onClose();
      toast.success('Domain deleted successfully');
    },
    onError: (error) => toast.error(`Failed to delete domain: ${messageOf(error)}`),
  });
  return (
    <ConfirmDialog
      open={domain !== null}
      onOpenChange={(open) => (open ? undefined : onClose())}
      title="Are you sure you want to delete this domain?"
      description={
        domain && (
          <>
            This will permanently delete "<span className="font-mono text-fg">{domain.display_name}</span>".
            This action cannot be undone.
          </>
        )
      }
      processing={isPending}
      onConfirm={() => domain && mutate(domain)}
      focusAfterClose={focusAfterClose}
    />
  );
}
