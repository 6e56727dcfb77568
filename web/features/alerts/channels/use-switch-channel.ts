import { useAlertCache } from '../../../lib/alerts/alert-queries.ts';
import { changeChannel } from '../../../lib/alerts/channel-calls.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';
import { failureText } from '../../../ui/verify-address.tsx';

/** Switches a channel on, which also tries one again that had failed, or off. */
export function useSwitchChannel(key: string) {
  const cache = useAlertCache();
  return useWrite({
    mutationFn: (enabled: boolean) => changeChannel(key, { enabled }),
    onSuccess: (channel, enabled) => {
      cache.putChannel(channel);
      toast.success(enabled ? 'The channel is on.' : 'The channel is off.');
    },
    onError: (error) => toast.error(failureText(error, 'The channel was not switched: ')),
  });
}
