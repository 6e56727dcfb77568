import { useState } from 'react';
import type { DeliveryWire } from '../../../../contract/channel.ts';
import { testChannel } from '../../../../contract/calls/alert.ts';
import { call } from '../../../lib/api-client.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';

export interface ChannelTest {
  send: () => void;
  /** True until the server has accepted the test message. What happens then is in `receipt`. */
  isSending: boolean;
  /** The delivery of the last test message that the server accepted. */
  receipt: DeliveryWire | undefined;
}

/** Sends a test message to a channel. */
export function useChannelTest(key: string): ChannelTest {
  const [receipt, setReceipt] = useState<DeliveryWire>();
  const { mutate, isPending } = useWrite({
    mutationFn: () => call(testChannel, { params: { key } }),
    onSuccess: setReceipt,
    // All failures share one toast id, so that repeated failures replace each other.
    onError: (error) => toast.failed('Could not send the test', error, { id: `test-${key}` }),
  });
  return { send: () => mutate(), isSending: isPending, receipt };
}
