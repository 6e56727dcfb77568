import { classNames } from '../class-names.ts';
import { CHANNEL_KINDS } from './channel-kinds.ts';
import type { ChannelKindName } from '../../../contract/words.ts';

/** Draws the icon of a kind of channel. Screen readers skip it, because the name stands beside it. */
export function ChannelIcon({ kind, className }: { kind: ChannelKindName; className?: string }) {
  const { icon: Icon } = CHANNEL_KINDS[kind];
  return (
    <Icon
      className={classNames('size-4 flex-none', className ?? 'text-fg-3')}
      strokeWidth={1.6}
      aria-hidden="true"
    />
  );
}
