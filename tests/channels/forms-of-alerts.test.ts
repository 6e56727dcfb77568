import { describe, expect, it } from 'vitest';
import type { AlertContent } from '../../server/channels/messages/alert-input.ts';
import { pagerdutyEvent } from '../../server/channels/pagerduty/pagerduty.ts';
import type { AlertKind, AlertStep } from '../../server/core/alerting/alert.ts';
import { HTTP_EXAMPLES, renderedFor } from '../kit/peers/channel-examples.ts';
import { HOSTILE_TEXTS } from '../kit/product/alert-content.ts';
import { content, DAY, FACTS, LEAF, NOT_AFTER, NOW } from './alert-mails.ts';
import { ALERT_PROBLEMS } from '../../contract/check-words.ts';

/** All kinds of channels except webhooks, which send texts unchanged. */
const FORMS = HTTP_EXAMPLES.filter(({ kind }) => kind !== 'webhook');
const KINDS: AlertKind[] = [...ALERT_PROBLEMS, 'test'];
const STEPS: AlertStep[] = [
  'renewal_overdue',
  '14d',
  '20%',
  'expired',
  'opened',
  'some_clients',
  'revoked',
  'flapping',
  'resolved',
];

/** Returns an alert in the product's words. Every name in its certificates is `name`. */
function worded(kind: AlertKind, step: AlertStep, name: string): AlertContent {
  const successor = { ...LEAF, fingerprint: 'bb', notAfter: NOT_AFTER + 90 * DAY, name };
  return content({
    alert: { kind, step, severity: step === 'resolved' || kind === 'test' ? 'info' : 'critical' },
    facts: { message: `What is wrong with ${name}`, fix: `Mend ${name}`, successor, endedAt: NOW },
    certificateIs: { name },
    certificate: { ...FACTS, issuer: name, subject: name, authorityName: name },
    ...(kind === 'test' && { monitor: null, certificate: null }),
  });
}

describe.each(KINDS)('an alert of kind %s', (kind) => {
  it.each(STEPS)('is well-formed on every channel, whatever names it contains: step %s', (step) => {
    for (const name of ['pay.fjord.example', ...HOSTILE_TEXTS]) {
      const alert = worded(kind, step, name);
      for (const example of FORMS) {
        const message = JSON.stringify(renderedFor(example, alert));
        // An escape in this JSON is a line break of our own or a character made harmless, never a control character from a
        // certificate.
        expect(message).not.toMatch(/\\u00|\\ud8|\\r/);
        expect(message).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
        expect(message).not.toMatch(/undefined|NaN|Invalid Date|\[object/);
      }
    }
  });
});

it('a PagerDuty event resolves an incident under the key that triggered it', () => {
  const opened = pagerdutyEvent({ content: worded('down', 'opened', 'a'), messageId: 'm-1', now: NOW });
  const over = pagerdutyEvent({ content: worded('down', 'resolved', 'a'), messageId: 'm-2', now: NOW });
  expect([opened['event_action'], over['event_action']]).toEqual(['trigger', 'resolve']);
  expect(opened['dedup_key']).toBe(over['dedup_key']);
});
