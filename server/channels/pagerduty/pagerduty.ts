import type { ChannelConfig } from '../../../contract/channel.ts';
import type { Receiver } from '../receiver.ts';
import { pagerdutyEvent } from './pagerduty-event.ts';

type PagerdutyConfig = Extract<ChannelConfig, { kind: 'pagerduty' }>;

/** Events API v2: https://developer.pagerduty.com/docs/events-api-v2-overview */
export function createPagerduty(
  api: Readonly<Record<PagerdutyConfig['region'], URL>>,
): Receiver<PagerdutyConfig> {
  return {
    name: 'PagerDuty',
    posting: ({ routing_key: routingKey, region }, outgoing) => ({
      url: new URL('/v2/enqueue', api[region]).href,
      body: JSON.stringify({ routing_key: routingKey, ...pagerdutyEvent(outgoing) }),
    }),
    refusals: {
      400: { why: 'the integration key is not valid' },
      404: { why: 'the integration does not exist' },
    },
    otherRefusals: 'failed',
  };
}
