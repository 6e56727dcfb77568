import type { ChannelWire } from '../../../../contract/channel.ts';
import { useUpgrade } from '../../../lib/upgrade.ts';
import { Button } from '../../../ui/button.tsx';
import type { ChannelState } from './channel-state.ts';
import { useAskAgain } from './use-ask-again.ts';
import { useSwitchChannel } from './use-switch-channel.ts';

interface ChannelRemedyProps {
  channel: ChannelWire;
  remedy: ChannelState['remedy'];
  onEdit: () => void;
}

/** The button for what a channel needs from its owner; nothing where it needs nothing. */
export function ChannelRemedy({ channel, remedy, onEdit }: ChannelRemedyProps) {
  const { isSold, open } = useUpgrade();
  const switching = useSwitchChannel(channel.key);
  const asking = useAskAgain(channel);
  if (remedy === null || (remedy === 'upgrade' && !isSold)) return null;
  const what = {
    try_again: { label: 'Try again', act: () => switching.mutate(true) },
    get_again: { label: 'Get mail again', act: () => switching.mutate(true) },
    ask_again: { label: 'Send the link again', act: () => asking.mutate() },
    upgrade: { label: 'Upgrade to Premium', act: () => open('wish') },
    edit: { label: 'Edit', act: onEdit },
  }[remedy];
  return (
    <Button
      variant={remedy === 'upgrade' ? 'tinted' : 'outline'}
      size="small"
      busy={switching.isPending || asking.isPending}
      onClick={what.act}
    >
      {what.label}
    </Button>
  );
}
