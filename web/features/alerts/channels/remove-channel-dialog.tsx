import type { ChannelWire } from '../../../../contract/channel.ts';
import { useAlertCache, useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { removeChannel } from '../../../../contract/calls/alert.ts';
import { call } from '../../../lib/api-client.ts';
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

/** Asks for confirmation before a channel is removed. */
export function RemoveChannelDialog(props: RemoveChannelDialogProps) {
  const { channel, open, onOpenChange, focusAfterRemoval } = props;
  const cache = useAlertCache();
  const reread = useRereadAlerts();
  const removing = useWrite({
    mutationFn: () => call(removeChannel, { params: { key: channel.key } }),
    onSuccess: () => {
      toast.success('Channel removed.');
      onOpenChange(false);
      // The row disappears together with this dialog.
      focusAfterRemoval()?.focus();
      cache.dropChannel(channel.key);
      reread();
    },
    onError: (error) => toast.error(`Could not remove the channel: ${messageOf(error)}`),
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Remove this channel?"
      description={`We send no more alerts to “${channel.name}” and drop its waiting messages. This action cannot be undone.`}
      confirmLabel="Remove"
      processing={removing.isPending}
      onConfirm={() => removing.mutate()}
    />
  );
}
