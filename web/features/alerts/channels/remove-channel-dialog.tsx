import type { ChannelWire } from '../../../../contract/channel.ts';
import { useAlertCache, useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { removeChannel } from '../../../lib/alerts/channel-calls.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toast } from '../../../ui/toast.tsx';

interface RemoveChannelDialogProps {
  channel: ChannelWire;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  focusAfterRemoval: () => HTMLElement | null;
}

/** Asks before a channel is removed. */
export function RemoveChannelDialog(props: RemoveChannelDialogProps) {
  const { channel, open, onOpenChange, focusAfterRemoval } = props;
  const cache = useAlertCache();
  const reread = useRereadAlerts();
  const removing = useWrite({
    mutationFn: () => removeChannel(channel.key),
    onSuccess: () => {
      toast.success('The channel is removed.');
      onOpenChange(false);
      // Its row goes, and this dialog with it.
      focusAfterRemoval()?.focus();
      cache.dropChannel(channel.key);
      reread();
    },
    onError: (error) => toast.error(`The channel was not removed: ${messageOf(error)}`),
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Remove this channel?"
      description={`“${channel.name}” gets no more alerts, and what still waits for it is dropped. This action cannot be undone.`}
      confirmLabel="Remove"
      processing={removing.isPending}
      onConfirm={() => removing.mutate()}
    />
  );
}
