import type { ChannelConfig } from '../../../contract/channel.ts';
import { normaliseEndpoint } from '../../core/index.ts';
import type { StoredChannelConfig } from '../../store/alerts/channel-config.ts';
import { type AppParts, endpointPolicy } from '../http/api.ts';
import { type Refusal, refuse } from '../http/problem.ts';
import { newWebhookSecret } from './webhook-secret.ts';

/**
 * What a person typed as it is stored, after the addresses in it were judged as hosts are; nothing is asked of the network. A
 * webhook that is led elsewhere keeps its keys.
 */
export function acceptedConfig(
  config: ChannelConfig,
  parts: Pick<AppParts, 'channelPolicy'>,
  before?: StoredChannelConfig,
): StoredChannelConfig | Refusal {
  const address = config.kind === 'ntfy' ? config.server : 'url' in config ? config.url : null;
  const refusal = address === null ? null : refuseAddress(address, parts);
  if (refusal) return refusal;
  if (config.kind === 'email') return { ...config, address: config.address.toLowerCase() };
  if (config.kind !== 'webhook') return config;
  const secrets = before?.kind === 'webhook' ? before.secrets : [{ secret: newWebhookSecret(), until: null }];
  return { ...config, secrets };
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

const PRODUCT_NAMES = {
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  telegram: 'Telegram',
  pagerduty: 'PagerDuty',
};

/** The name of a channel that was given none. */
export function defaultName(config: StoredChannelConfig): string {
  if (config.kind === 'email') return config.address;
  if (config.kind === 'webhook') return new URL(config.url).host;
  return config.kind === 'ntfy' ? `ntfy: ${config.topic}` : PRODUCT_NAMES[config.kind];
}
