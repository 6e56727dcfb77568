import { type ChannelWire, OWN_MAIL } from '../../../contract/channel.ts';

/**
 * Returns the channels that alerts reach with this choice (null: all). If none of the chosen channels can receive alerts,
 * they go to the account's own address.
 */
export function reachedChannels<Channel extends Pick<ChannelWire, 'key' | 'state'>>(
  channels: readonly Channel[],
  chosen: readonly string[] | null,
): Channel[] {
  const open = channels.filter(({ state }) => state === 'open');
  const reached = open.filter(({ key }) => chosen === null || chosen.includes(key));
  return reached.length > 0 ? reached : open.filter(({ key }) => key === OWN_MAIL);
}

/** Tells whether alerts reach anybody with this choice of channels (null: all). */
export function reachesAnybody(...choice: Parameters<typeof reachedChannels>): boolean {
  return reachedChannels(...choice).length > 0;
}
