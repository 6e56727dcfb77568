import { alertLines } from '../alert-lines.ts';
import type { OutgoingAlert } from '../channel.ts';

/** What is wrong triggers an incident under our incident's id, and the good news resolves it. A test is one of its own. */
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
