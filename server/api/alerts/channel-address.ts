import type { ChannelConfig } from '../../../contract/channel-config.ts';
import { configFrom, definitionOf, type StoredChannelConfig } from '../../channels/kinds/index.ts';
import { type Endpoint, normaliseEndpoint } from '../../core/endpoint.ts';
import { inTransaction } from '../../store/db/transaction.ts';
import { countProbedPort } from '../../store/monitors/misuse.ts';
import { misuseRules } from '../auth/verified-address.ts';
import { DOMAIN_REFUSALS } from '../domains/domain-refusals.ts';
import { type AppParts, endpointPolicy } from '../http/api.ts';
import { type Refusal, refuse } from '../http/problem.ts';

/**
 * Returns the config to store for an entered one, or a refusal if its host is private or malformed. Makes no network request.
 * `before` is the stored config that it would replace.
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
  const normalised = normaliseEndpoint(host, endpointPolicy({ policy: channelPolicy }));
  if (normalised.ok)
    return isPortAllowed(normalised.endpoint, channelPolicy)
      ? null
      : refuse(
          'channel_refused',
          'Alerts cannot be sent to this port. Use port 80, 443, or a port from 1024 to 65535.',
        );
  return refuse(
    'channel_refused',
    ['address_refused', 'local_name'].includes(normalised.code)
      ? 'This address is in a private network. Enter one that can be reached from the internet.'
      : `The host of this address is not valid: ${host}`,
  );
}

/**
 * Returns whether the egress may connect to this port, by the same rule as `ports: 'high'` in `server/egress/exchange.ts`. Does
 * not resolve names. If the operator opened a range, any name may resolve to it; the egress checks this at each attempt.
 */
function isPortAllowed(
  { host, port, kind }: Pick<Endpoint, 'host' | 'port' | 'kind'>,
  policy: AppParts['channelPolicy'],
): boolean {
  if (port === 80 || port === 443 || port >= 1_024) return true;
  return kind === 'ip' ? policy.opens(host) : policy.permitsLocalNames;
}

/**
 * Counts the port of a channel together with the ports of domains, and refuses too many per registrable domain and day: results
 * of deliveries would show which ports are open. Returns null if it is allowed, and for kinds without an entered URL.
 */
export async function limitChannelPort(
  { store, config }: Pick<AppParts, 'store' | 'config'>,
  { accountId, channel, now }: { accountId: string; channel: StoredChannelConfig | null; now: number },
): Promise<Refusal | null> {
  const address = channel && definitionOf(channel.kind).enteredAddress?.(channel);
  if (!address || !misuseRules(config).guardsPorts) return null;
  const { protocol, port, hostname } = new URL(address);
  const counted = await inTransaction(store, (trx) =>
    countProbedPort(trx, {
      who: accountId,
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      max: config.limits.portsPerHost,
      now,
    }),
  );
  return counted.allowed ? null : DOMAIN_REFUSALS.tooManyPorts(config.limits, counted.retryAfterMs);
}
