import { useState } from 'react';
import type { DeliveryWire } from '../../../../contract/channel.ts';
import { testChannel } from '../../../lib/alerts/channel-calls.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';

export interface ChannelTest {
  send: () => void;
  /** Until the server has taken it; from then on its receipt tells. */
  isSending: boolean;
  /** Of the last one that the server took, as it first gave it. */
  receipt: DeliveryWire | undefined;
}

/** Sends a test message to a channel. */
export function useChannelTest(key: string): ChannelTest {
  const [receipt, setReceipt] = useState<DeliveryWire>();
  const { mutate, isPending } = useWrite({
    mutationFn: () => testChannel(key),
    onSuccess: setReceipt,
    // One place for all that are refused in a row.
    onError: (error) => toast.error(`The test was not sent: ${messageOf(error)}`, { id: `test-${key}` }),
  });
  return { send: () => mutate(), isSending: isPending, receipt };
}
