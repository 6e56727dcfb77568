import { OWN_MAIL } from '../../../contract/channel.ts';
import type { ChannelWire } from '../../../contract/channel.ts';

/**
 * Tells whether this choice of channels (null: all) reaches anybody. If none of the chosen channels is open, alerts go to the
 * account's own address.
 */
export function reachesAnybody(
  channels: readonly Pick<ChannelWire, 'key' | 'state'>[],
  chosen: readonly string[] | null,
): boolean {
  return channels.some(
    ({ key, state }) => state === 'open' && (key === OWN_MAIL || chosen === null || chosen.includes(key)),
  );
}
