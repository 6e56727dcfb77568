import {
  createHttpChannels,
  type HttpChannels,
  type HttpChannelsOptions,
} from '../../../server/channels/http-channels.ts';
import { createAddressPolicy } from '../../../server/egress/address-policy.ts';
import { createResolver } from '../../../server/egress/resolver.ts';
import { HTTP_EXAMPLES } from './channel-examples.ts';

/** Creates HTTP channels that may post to this machine. `at` stands in for services with a fixed URL. */
export function localChannels({
  at = 'http://127.0.0.1:9',
  servers = [],
  allow = ['127.0.0.0/8'],
  ...options
}: Partial<HttpChannelsOptions> & { at?: string; servers?: string[]; allow?: string[] } = {}): HttpChannels {
  const policy = createAddressPolicy(allow, () => []);
  const api = new URL(at);
  return createHttpChannels({
    policy,
    resolver: createResolver({ servers, policy }),
    standIns: Object.fromEntries(
      HTTP_EXAMPLES.flatMap(({ service = [] }) => service.map((origin) => [origin, api])),
    ),
    ...options,
  });
}
