import type { AlertContent } from '../../../server/channels/messages/alert-input.ts';

/** Hostile strings, as certificates and servers may contain them. */
export const HOSTILE_TEXTS = [
  'a\r\nBcc: victim@evil.test',
  '<script>alert(1)</script>',
  '@everyone @here <@123456789012345678> <@&1> <#2>',
  '<!channel> <!here> <@U012AB3CD> <https://evil.test|Sign in>',
  '[Sign in](javascript:alert(1)) ![x](https://evil.test/x.png)',
  '{{7*7}} ${7*7} #{7*7} {{DATE(2026-11-23T12:00:00Z, LONG)}} <%= 7*7 %>',
  '\u202Egnp.exe\u202C \u2066\u2069\u200B',
  '*bold* _it_ ~no~ `code` ||spoiler|| # head > quote - list | a | b |',
  '"quotes" \\ back & amp; </b></code><a href="https://evil.test">',
  '/start /ban #tag $CASH :rocket: https://evil.test/login',
  '\u0000\u0007\u001B[31m\uD800',
];

/** Returns an alert about an expiring certificate; `given` replaces parts of it. */
export function alertContentOf(given: Partial<AlertContent> = {}): AlertContent {
  return {
    event: 'certificate.expiring',
    severity: 'warning',
    badge: { tone: 'soon', text: 'Expires in 14 days' },
    subject: 'shop.fjord.example expires in 14 days',
    preheader: 'Expires Tuesday 8 December 2026 at 12:00 UTC.',
    heading: {
      before: 'The certificate for ',
      host: 'shop.fjord.example',
      after: ' expires on Tuesday, 8 December 2026.',
    },
    paragraphs: ['After 12:00 UTC that day, visitors will see a security warning instead of the site.'],
    facts: [
      { label: 'Host', value: 'shop.fjord.example', mono: true },
      { label: 'Issuer', value: 'Fjord CA' },
      { label: '', value: 'SHA-256 0011223344556677…', mono: true },
    ],
    button: { label: 'Show certificate details', url: 'https://certs.test/dashboard?domain=1' },
    schedule: 'Alerts go out 14 days before expiry.',
    alertedAt: Date.UTC(2026, 10, 24, 12),
    incidentId: '0196f2b4-0000-7000-8000-000000000001',
    resolves: false,
    data: { severity: 'warning', domain: { hostname: 'shop.fjord.example' } },
    ...given,
  };
}

/** Returns an alert in which `text` stands wherever strangers can influence a text. */
export function hostileContent(text: string): AlertContent {
  return alertContentOf({
    subject: `${text} expires in 14 days`,
    preheader: text,
    heading: { before: 'The certificate for ', host: text, after: ' expires soon.' },
    paragraphs: [`“${text}” limits this host.`, text],
    facts: [
      { label: 'Host', value: text, mono: true },
      { label: '', value: text },
    ],
    data: { message: text },
  });
}
