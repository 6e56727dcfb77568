import { z } from 'zod';
import { alertLines } from '../alert-lines.ts';
import { type ChannelDefinition, type EnteredConfig, lastFour, type OutgoingAlert } from '../definition.ts';

const APIS = { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' };

/** Channel to PagerDuty's Events API v2: https://developer.pagerduty.com/docs/events-api-v2-overview */
export const pagerduty: ChannelDefinition<EnteredConfig<'pagerduty'>> = {
  stored: z.object({
    kind: z.literal('pagerduty'),
    routing_key: z.string(),
    region: z.enum(['us', 'eu']),
  }),
  toStored: (entered) => entered,
  receiverKey: ({ routing_key: key }) => key,
  maskedTarget: ({ routing_key: key }) => lastFour(key),
  receiver: {
    posting: ({ routing_key: routingKey, region }, outgoing) => ({
      url: `${APIS[region]}/v2/enqueue`,
      body: JSON.stringify({ routing_key: routingKey, ...pagerdutyEvent(outgoing) }),
    }),
    refusals: {
      400: { why: 'the integration key is not valid' },
      404: { why: 'the integration does not exist' },
    },
    otherRefusals: 'failed',
  },
};

/**
 * Builds an event for the Events API v2: `resolve` if a problem ended, else `trigger`. All events of an incident have its id as
 * `dedup_key`. A test message belongs to no incident, so it uses its own id.
 */
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
