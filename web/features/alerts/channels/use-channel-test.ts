import { useMutation } from '@tanstack/react-query';
import type { DeliveryWire } from '../../../../contract/channel.ts';
import { testChannel } from '../../../lib/alerts/channel-calls.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { toast } from '../../../ui/toast.tsx';

export interface ChannelTest {
  send: () => void;
  /** Until the server has taken it; from then on its receipt tells. */
  isSending: boolean;
  /** As the server first gave it. */
  receipt: DeliveryWire | undefined;
}

/** Sends a test message to a channel. */
export function useChannelTest(key: string): ChannelTest {
  const { mutate, isPending, data } = useMutation({
    mutationFn: () => testChannel(key),
    onError: (error) => toast.error(`The test was not sent: ${messageOf(error)}`),
  });
  return { send: () => mutate(), isSending: isPending, receipt: data };
}
