import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { createEmailChannel } from '../../server/channels/email/email-channel.ts';
import { slackMessage } from '../../server/channels/slack/slack.ts';
import type { AlertKind, AlertStep } from '../../server/core/alerting/alert.ts';
import type { RevokedCertificate } from '../../server/core/verdict.ts';
import { MAILS } from '../kit/screens/mail-screens.ts';
import { type Changes, content, DAY, HOUR, LEAF, MINUTE, NOT_AFTER, NOW, render } from './alert-mails.ts';

const successor = { ...LEAF, fingerprint: 'bb', name: 'new.fjord.example', notAfter: NOT_AFTER + 80 * DAY };
const told: Partial<Record<AlertKind, AlertStep[]>> = {
  expiry: ['renewal_overdue', 'warning', 'critical', '14d', '20%', 'expired', 'resolved'],
  revoked: ['revoked', 'resolved'],
  wrong_name: ['opened', 'resolved'],
  chain_broken: ['opened', 'some_clients', 'resolved'],
  changed: ['opened'],
  replacement_wanted: ['opened', 'resolved'],
  renewal_fails: ['opened', '3d', 'resolved'],
  down: ['opened', 'flapping', 'resolved'],
};
const every = Object.entries(told).flatMap(([kind, steps]) =>
  steps.map((step) => [kind as AlertKind, step] as const),
);
const revoked: RevokedCertificate = {
  fingerprint: 'aa',
  key: '',
  source: 'crl',
  at: NOW,
  revokedAt: NOW - DAY,
  reason: 'keyCompromise',
  role: 'leaf',
  name: LEAF.name,
  served: true,
  notBefore: LEAF.notBefore,
  notAfter: LEAF.notAfter,
};
const said = (kind: AlertKind, step: AlertStep, { facts, ...changes }: Changes = {}): Changes => ({
  alert: { kind, step, severity: step === 'resolved' ? 'info' : 'critical' },
  facts: {
    ...(kind === 'down' && { certificate: null }),
    ...((step === 'resolved' || kind === 'changed') && kind !== 'down' && { successor }),
    startedAt: NOW - 3 * HOUR,
    endedAt: step === 'resolved' ? NOW - 5 * MINUTE : null,
    message: 'What was seen.',
    fix: 'What to do.',
    ...facts,
  },
  revoked: kind === 'revoked' ? revoked : null,
  ...changes,
});

/** Parses the mail as a mail program does. */
async function parsed(mail: ReturnType<typeof render>) {
  const captureDir = mkdtempSync(join(tmpdir(), 'certlantern-mail-'));
  const channel = createEmailChannel({
    smtpUrl: null,
    mailFrom: 'Certlantern <a@certs.example>',
    captureDir,
  });
  try {
    const message = { ...mail, to: 'alice@fjord.example', messageId: '<1@alerts.certlantern>' };
    await channel.deliver(message, new AbortController().signal);
    const [file = ''] = readdirSync(captureDir);
    return await simpleParser(readFileSync(join(captureDir, file)));
  } finally {
    rmSync(captureDir, { recursive: true });
  }
}

describe.each(every)('an alert of kind %s, step %s', (kind, step) => {
  it('names the host, local time and UTC, and links to the domain, the settings and unsubscribing', async () => {
    const mail = await parsed(render(said(kind, step, { timeZone: 'Europe/Oslo' })));
    expect(mail.subject).toContain('pay.fjord.example');
    for (const part of [mail.text ?? '', mail.html || '']) {
      expect(part).toContain('pay.fjord.example');
      expect(part).toMatch(/\d\d:\d\d (CET|GMT\+1) \(\d\d:\d\d UTC\)/);
      expect(part).toContain('https://certs.example/dashboard?domain=0c1d');
      expect(part).toContain('https://certs.example/unsubscribe#t0ken');
      expect(part).toContain('https://certs.example/alerts');
      expect(part).not.toMatch(/undefined|NaN|\bnull\b|Invalid Date|in 0 |\[object/);
    }
    const header = (name: string) => mail.headerLines.find(({ key }) => key === name)?.line;
    expect(header('list-unsubscribe')?.replaceAll(/\s+/g, ' ')).toBe(
      'List-Unsubscribe: <https://certs.example/api/unsubscribe/0nce>',
    );
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  });

  it('contains domain, incident, step, message and fix as JSON', () => {
    const { data, resolves, incidentId } = content(said(kind, step));
    expect(JSON.parse(JSON.stringify(data))).toMatchObject({
      domain: { id: '0c1d', hostname: 'pay.fjord.example', port: 443 },
      incident: { id: 'inc-1', problem: kind, started_at: new Date(NOW - 3 * HOUR).toISOString() },
      step,
      message: 'What was seen.',
      fix: 'What to do.',
    });
    expect([resolves, incidentId]).toEqual([step === 'resolved', 'inc-1']);
  });

  it('shows untrusted strings as text on one line', async () => {
    const name = '<script>x</script>\r\nBcc: eve@evil.example\0\u202e';
    const mail = await parsed(
      render(
        said(kind, step, {
          certificateIs: { name },
          facts: { message: name, fix: name, ...(kind !== 'down' && { successor: { ...successor, name } }) },
        }),
      ),
    );
    expect(mail.html).not.toContain('<script');
    expect(mail.text).not.toMatch(/^Bcc:|[\0\u202e]/m);
    expect(mail.headers.has('bcc')).toBe(false);
    expect(JSON.stringify(content(said(kind, step, { certificateIs: { name } })).data)).not.toMatch(
      /\\[rnu]/,
    );
  });
});

describe('an alert about a resolved problem', () => {
  it('says that the certificate was renewed, until when it is valid and that there is nothing to do', () => {
    const { text } = render(said('expiry', 'resolved'));
    expect(text).toContain('The certificate for pay.fjord.example was renewed.');
    expect(text).toMatch(/There is nothing to do\. .* valid until Wednesday, 10 February 2027\./);
  });

  it('says "replaced" instead of "renewed" if the new certificate does not expire later', () => {
    const facts = { successor: { ...successor, notAfter: NOT_AFTER - DAY } };
    expect(render(said('expiry', 'resolved', { facts })).text).toContain('was replaced.');
  });

  it('says that the authority no longer wants a replacement if the host keeps the certificate', () => {
    const { subject, text } = render(said('replacement_wanted', 'resolved', { facts: { successor: LEAF } }));
    expect(subject).toBe('pay.fjord.example: the authority no longer wants the certificate replaced');
    expect(text).toContain('The authority no longer wants the certificate of pay.fjord.example replaced.');
    expect(text).toContain('The certificate is valid until Sunday, 22 November 2026.');
    expect(text).not.toMatch(/was replaced|new certificate/);
  });

  it('says how long the host was down', () => {
    const facts = { endedAt: NOW - 95 * 60_000 };
    const { subject, text } = render(said('down', 'resolved', { facts }));
    expect(subject).toBe('pay.fjord.example is up again');
    expect(text).toContain('It came back 1 hour 25 minutes after it went down');
  });
});

it('an alert mail about several hosts has only names in monospace', () => {
  const domains = Array.from({ length: 40 }, (_, index) => ({
    id: `${index}`,
    host: `h${index}.example`,
    port: 443,
  }));
  const { html, text } = render(said('down', 'opened', { group: { domains, fixedCount: 0 } }));
  expect(text).toMatch(/^pay\.fjord\.example and 39 other hosts are down\./);
  const inMonospace = [...html.matchAll(/<span style="[^"]*monospace[^"]*"\s*>([^<]*)<\/span/g)];
  expect(inMonospace.map(([, shown]) => shown)).toEqual([
    'pay.fjord.example',
    domains
      .slice(0, 10)
      .map(({ host }) => host)
      .join(', '),
  ]);
  expect(html).toContain('and 30 more');
});

it('an alert about a renewal that will fail has the DNS record to write and the expected day', () => {
  const renewal = { expectedAt: NOW + 20 * DAY, zoneRecord: 'fjord.example. IN CAA 0 issue "ca.example"' };
  const alert = content(said('renewal_fails', 'opened', { facts: { renewal } }));
  expect(alert.facts).toEqual(
    expect.arrayContaining([
      { label: 'DNS record', value: renewal.zoneRecord, mono: true },
      { label: 'Expected renewal', value: '10 December 2026' },
    ]),
  );
  expect(alert.event).toBe('certificate.renewal_at_risk');
  expect(alert.data).toMatchObject({
    renewal: { expected_at: '2026-12-10T14:32:00.000Z', zone_record: renewal.zoneRecord },
  });
  const foreign = { ...renewal, zoneRecord: 'a.example.\r\nBcc: eve@evil.example' };
  expect(content(said('renewal_fails', 'opened', { facts: { renewal: foreign } })).facts).toContainEqual(
    expect.objectContaining({ value: 'a.example. Bcc: eve@evil.example' }),
  );
});

it('the data of an alert tells two backends of one host apart', () => {
  const backend = (id: string, address: string) => ({
    id,
    host: 'pay.fjord.example',
    port: 443,
    target: `{"connect_to":"${address}"}`,
    lastCheckedAt: NOW,
  });
  const [one, two] = [backend('1', '10.0.0.7'), backend('2', '10.0.0.8')];
  const { data } = content({ monitor: one, group: { domains: [one, two], fixedCount: 0 } });
  expect(data).toMatchObject({
    domain: { id: '1', display_name: 'pay.fjord.example via 10.0.0.7', hostname: 'pay.fjord.example' },
    domains: [
      { id: '1', display_name: 'pay.fjord.example via 10.0.0.7' },
      { id: '2', display_name: 'pay.fjord.example via 10.0.0.8' },
    ],
  });
});

it('an alert about an incomplete chain says once which clients are affected, and links to the domain', () => {
  const message =
    'Your server does not send it. Browsers may still connect; curl, Java and many apps will not.';
  const text = (facts: object) => render(said('chain_broken', 'some_clients', { facts })).text;
  expect(text({ message })).toContain(`\n\nWhat to do. The next check will pick it up.\n\n${message}\n\n`);
  expect(text({ message })).not.toContain('Browsers that know');
  expect(text({ message: null })).toContain('Browsers that know the missing certificate still connect');
  expect(text({ message })).toContain(
    'Show certificate details:\nhttps://certs.example/dashboard?domain=0c1d',
  );
});

it.each(['chain_broken', 'down'] as const)(
  'an alert %s has the times of the check in the zone of the account in mail and chat, and in UTC in the message of a webhook',
  (kind) => {
    const facts = {
      message: 'It ended on 19 November 2026, 23:30 UTC.',
      fix: 'Wait until 20 November 2026, 12:00 UTC.',
    };
    const inOslo = said(kind, 'opened', { facts, timeZone: 'Europe/Oslo' });
    for (const shown of [render(inOslo).text, JSON.stringify(slackMessage(content(inOslo)))]) {
      expect(shown).toContain('It ended on 20 November 2026, 00:30 CET (19 November, 23:30 UTC).');
      expect(shown).toContain('Wait until 20 November 2026, 13:00 CET (12:00 UTC).');
    }
    expect(content(inOslo).data).toMatchObject({ message: facts.message });
  },
);

it.each([
  '31 February 2026, 10:00 UTC',
  '4 Mayhem 2026, 10:00 UTC',
  '1 January 0001, 10:00 UTC',
  '122 November 2026, 10:00 UTC',
])('an alert leaves “%s” as it is, because a certificate may contain any text', (message) => {
  const { text } = render(said('chain_broken', 'opened', { facts: { message }, timeZone: 'Europe/Oslo' }));
  expect(text).toContain(message);
});

it('an alert mail lists the steps that the account chose', () => {
  expect(render({ steps: ['20d', '5d', '10%'] }).text).toContain(
    'Alerts go out 20, 9 and 5 days before expiry, and at expiry.',
  );
});

it('an alert to an added recipient names the account that added the recipient and offers only to unsubscribe', () => {
  const { text } = render({ mail: { recipient: 'added', accountEmail: 'Alice\r\nof Fjord' } });
  expect(text).toContain('Alice of Fjord tracks this host in Certlantern, and you agreed to get alerts.');
  expect(text).not.toContain('https://certs.example/alerts');
  expect(text).toContain('Stop emails for this host: https://certs.example/unsubscribe#t0ken');
});

it('a test message has an unsubscribe link for added recipients, not for the account', () => {
  const test = (recipient: 'account' | 'added') =>
    render({
      monitor: null,
      alert: { kind: 'test', step: 'opened', severity: 'info', incidentId: null },
      mail: { recipient, monitor: null },
    });
  expect(test('account').headers).toEqual({});
  expect(test('account').text).not.toContain('unsubscribe');
  expect(test('added').headers).toHaveProperty('List-Unsubscribe');
  expect(test('account').subject).toBe('Test message from Certlantern');
});

it.each(MAILS.map(({ name, message }) => [name, message] as const))(
  '%s has the same words in text and HTML and loads no remote content',
  async (_, message) => {
    const { text = '', html } = await parsed(message());
    const page = (html || '')
      .replace(/<style>[^]*?<\/style>|<title>[^]*?<\/title>/g, ' ')
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/&(amp|#39|quot|nbsp);/g, (_all, entity: string) => ENTITIES[entity] ?? '')
      .replaceAll(/\s+/g, ' ');
    const lines = text
      .split('\n')
      .filter((line) => line.trim() !== '' && !/https?:|mailto:|^-- $/.test(line));
    for (const line of lines)
      for (const part of line.replace(/^- /, '').split(/: +/))
        expect(page).toContain(part.replace(/:$/, '').trim());
    expect(html).not.toMatch(/src="(?!data:|cid:)|url\(|<script|<link/);
    expect(`${text}${page}`).not.toMatch(/undefined|NaN|Invalid Date/);
  },
);

const ENTITIES: Record<string, string> = { amp: '&', '#39': "'", quot: '"', nbsp: ' ' };
