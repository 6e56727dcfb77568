import type { ChannelWire } from '../../../../contract/channel.ts';
import { useAlertCache } from '../../../lib/alerts/alert-queries.ts';
import { changeChannel } from '../../../lib/alerts/channel-calls.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';
import { failureText } from '../../../ui/verify-address.tsx';

/** Mails the link again with which the reader of an added address agrees to get alerts; the one before is worth nothing then. */
export function useAskAgain({ key, target }: Pick<ChannelWire, 'key' | 'target'>) {
  const cache = useAlertCache();
  return useWrite({
    mutationFn: () => changeChannel(key, { config: { kind: 'email', address: target } }),
    onSuccess: (channel) => {
      cache.putChannel(channel);
      toast.success(`A new link is on its way to ${target}.`);
    },
    onError: (error) => toast.error(failureText(error, 'The link was not sent: ')),
  });
}
