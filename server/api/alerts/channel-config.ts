import type { ChannelConfig } from '../../../contract/channel-config.ts';
import { configFrom, definitionOf, type StoredChannelConfig } from '../../channels/kinds/index.ts';
import { normaliseEndpoint } from '../../core/index.ts';
import { type AppParts, endpointPolicy } from '../http/api.ts';
import { type Refusal, refuse } from '../http/problem.ts';

/**
 * Returns what to store for what a person entered, or refuses a host that is private or malformed. It asks nothing of the network.
 * `before`: the config that this one replaces.
 */
export function acceptedConfig(
  entered: ChannelConfig,
  parts: Pick<AppParts, 'channelPolicy'>,
  before: StoredChannelConfig | null,
): StoredChannelConfig | Refusal {
  const address = definitionOf(entered.kind).enteredAddress?.(entered);
  const refusal = address === undefined ? null : refuseAddress(address, parts);
  return refusal ?? configFrom(entered, before);
}

function refuseAddress(address: string, { channelPolicy }: Pick<AppParts, 'channelPolicy'>): Refusal | null {
  const { host } = new URL(address);
  const judged = normaliseEndpoint(host, endpointPolicy({ policy: channelPolicy }));
  if (judged.ok) return null;
  return refuse(
    'channel_refused',
    ['address_refused', 'local_name'].includes(judged.code)
      ? 'This address leads into a private network. Enter one that can be reached from the internet.'
      : `The host of this address is not valid: ${host}`,
  );
}
