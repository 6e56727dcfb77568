import { removeDomain } from '../../../contract/calls/domain.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { useLiveEvents } from '../../lib/live-events-context.ts';
import { useWrite } from '../../lib/use-write.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { useDomainCache } from '../../domain/domain-cache.ts';

interface RemoveDomainDialogProps {
  /** The domain to remove; null while closed. */
  domain: DomainWire | null;
  onClose: () => void;
  /** Called before the domain leaves the list. */
  onRemove: (domain: DomainWire) => void;
  focusAfterClose: () => HTMLElement | null;
}

export function RemoveDomainDialog({ domain, onClose, onRemove, focusAfterClose }: RemoveDomainDialogProps) {
  const cache = useDomainCache();
  const { mutate, isPending } = useWrite({
    mutationFn: ({ id }: DomainWire) =>
      call(removeDomain, { params: { id }, failureText: 'Failed to delete domain.' }),
    onSuccess: (_, removed) => {
      onRemove(removed);
      cache.remove([removed.id]);
      onClose();
      toast.success('Domain deleted successfully');
    },
    onError: (error, { id }) => {
      if (error instanceof ApiError && error.status === 404) sayGone(id);
      else toast.failed('Failed to delete domain', error);
    },
  });
  const sayGone = (id: string) => {
    if (id !== domain?.id) return;
    onRemove(domain);
    cache.remove([id]);
    onClose();
    toast.info(`${domain.display_name} was already deleted.`);
  };
  useLiveEvents(({ event, data }) => {
    // While the user's own removal is running, its event can arrive before its response. The response then shows the result.
    if (event === 'domain_removed' && !isPending) sayGone(data.id);
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
