import { OWN_MAIL } from '../../../contract/channel.ts';
import type { ChannelWire } from '../../../contract/channel.ts';

/**
 * Whether anybody is told with this choice of channels (null: all of them). Where none of the chosen ones is open, mail to
 * the account's own address is sent.
 */
export function isAnybodyTold(
  channels: readonly Pick<ChannelWire, 'key' | 'state'>[],
  chosen: readonly string[] | null,
): boolean {
  return channels.some(
    ({ key, state }) => state === 'open' && (key === OWN_MAIL || chosen === null || chosen.includes(key)),
  );
}
