import type { ChannelConfig } from '../../../contract/channel.ts';
import type { Receiver } from '../receiver.ts';
import { alertLines } from '../alert-lines.ts';
import type { OutgoingAlert } from '../channel.ts';

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

/** Builds an event for the Events API v2. A problem triggers and its recovery resolves; both use our incident id as `dedup_key`. */
export function pagerdutyEvent({ content, messageId }: OutgoingAlert): Record<string, unknown> {
  const { subject, heading, paragraphs, facts, link, host } = alertLines(content);
  const key = { dedup_key: content.incidentId ?? messageId };
  if (content.resolves) return { ...key, event_action: 'resolve' };
  return {
    ...key,
    event_action: 'trigger',
    payload: {
      summary: subject,
      source: host,
      severity: content.severity,
      timestamp: new Date(content.alertedAt).toISOString(),
      class: content.event,
      custom_details: {
        what: heading,
        ...(paragraphs.length > 0 && { more: paragraphs.join('\n') }),
        ...Object.fromEntries(facts.map(({ label, value }) => [label, value])),
      },
    },
    links: [{ href: link.url, text: link.label }],
  };
}
