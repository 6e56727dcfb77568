import type { ChannelWire } from '../../../../contract/channel.ts';
import { useChannelDeliveries } from '../../../lib/alerts/alert-queries.ts';
import { DeliveryReceipt } from '../../../ui/alert-settings/delivery-receipt.tsx';
import { Dialog, type OpenState } from '../../../ui/dialog.tsx';
import { Skeleton } from '../../../ui/loading.tsx';
import { SectionError } from '../../../domain/section-error.tsx';

interface ReceiptsDialogProps extends OpenState {
  channel: ChannelWire;
}

/** Lists the last messages to a channel, each with its attempts. */
export function ReceiptsDialog({ channel, open, onOpenChange }: ReceiptsDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Last messages"
      description={`Messages to ${channel.name}, newest first.`}
      hasCross
      wide
    >
      <Receipts channelKey={channel.key} />
    </Dialog>
  );
}

function Receipts({ channelKey }: { channelKey: string }) {
  const read = useChannelDeliveries(channelKey);
  const { data, error } = read;
  if (error && !data)
    return (
      <div className="mt-4">
        <SectionError title="Could not load the messages" note="Alerts still go out." read={read} />
      </div>
    );
  if (!data)
    return (
      <div className="mt-5 grid gap-2">
        <Skeleton className="h-4 w-64 max-w-full" />
        <Skeleton className="h-3 w-40" />
      </div>
    );
  if (data.length === 0) return <p className="mt-4 text-fg-2">No messages yet.</p>;
  return (
    <ul className="mt-4 grid">
      {data.map((delivery) => (
        <li key={delivery.id} className="border-t border-line py-3 last:pb-0">
          <DeliveryReceipt delivery={delivery} />
        </li>
      ))}
    </ul>
  );
}
