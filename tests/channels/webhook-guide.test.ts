import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newWebhookSecret, webhook } from '../../server/channels/webhook/webhook.ts';
import { alertEvent, type AlertStep } from '../../server/core/alerting/alert.ts';
import { content } from './alert-mails.ts';
import { ALERT_PROBLEMS } from '../../contract/check-words.ts';

const guide = readFileSync('docs/guides/webhooks.md', 'utf8');

/** Returns the code blocks of the guide in this language, in their order. */
const blocks = (language: string): string[] =>
  Array.from(
    guide.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g')),
    ([, code = '']) => code,
  );

const STEPS: AlertStep[] = [
  ...(['renewal_overdue', 'warning', 'critical', 'three_days', 'one_day', 'expired'] as const),
  ...(['opened', 'some_clients', 'revoked', 'flapping', 'resolved'] as const),
];

function postingTo(secret: string, now: number) {
  const outgoing = { content: content(), messageId: 'delivery-1', now };
  const config = { kind: 'webhook' as const, url: 'https://a.test', secrets: [{ secret, until: null }] };
  const posting = webhook.receiver?.posting(config, outgoing);
  if (posting === undefined) throw new Error('A webhook takes no alerts.');
  return posting;
}

/** Returns the names at every level, with types instead of values. */
function shape(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shape(one)]));
}

describe('the guide to webhooks', () => {
  it('lists every webhook event and no others', () => {
    const events = [...ALERT_PROBLEMS, 'test' as const].flatMap((kind) =>
      STEPS.map((step) => alertEvent(kind, step)),
    );
    const named = Array.from(guide.matchAll(/^\| `(\w+\.\w+|test)` +\|/gm), ([, name]) => name);
    expect(new Set(named)).toEqual(new Set(events));
    for (const step of STEPS) expect(guide).toContain(`\`${step}\``);
  });

  it('shows an example with exactly the fields of a real message', () => {
    const shown: unknown = JSON.parse(blocks('json')[0] ?? '');
    expect(shape(shown)).toEqual(shape(JSON.parse(postingTo(newWebhookSecret(), 0).body)));
  });

  it('has signature code that accepts real messages and rejects forged, changed and old ones', async () => {
    const code = blocks('js').find((block) => block.includes('function isOurs')) ?? '';
    const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      isOurs: (secret: string, headers: Record<string, string>, body: string) => boolean;
    };
    const secret = newWebhookSecret();
    const { headers = {}, body } = postingTo(secret, Date.now());
    expect(module.isOurs(secret, headers, body)).toBe(true);
    expect(module.isOurs(newWebhookSecret(), headers, body)).toBe(false);
    expect(module.isOurs(secret, headers, `${body} `)).toBe(false);
    const old = postingTo(secret, Date.now() - 600_000);
    expect(module.isOurs(secret, old.headers ?? {}, old.body)).toBe(false);
  });
});
