import { describe, expect, it } from 'vitest';
import {
  type Changes,
  DAY,
  FACTS as facts,
  HOUR,
  MINUTE,
  NOT_AFTER,
  render as renderAt,
} from './alert-mails.ts';

/** Renders the mail when `left` ms remain until notAfter. */
const render = ({ left = 2 * DAY, ...changes }: Changes & { left?: number } = {}) =>
  renderAt({ now: NOT_AFTER - left, ...changes });

describe('the subject of an expiry mail', () => {
  it.each([
    [14 * DAY, 'pay.fjord.example expires in 14 days'],
    [14 * DAY - MINUTE, 'pay.fjord.example expires in 14 days'],
    [13.5 * DAY, 'pay.fjord.example expires in 13 days'],
    [2 * DAY, 'pay.fjord.example expires in 2 days'],
    [2 * DAY - HOUR, 'pay.fjord.example expires in 47 hours'],
    [DAY - MINUTE, 'pay.fjord.example expires in 24 hours'],
    [5 * HOUR, 'pay.fjord.example expires in 5 hours'],
    [HOUR, 'pay.fjord.example expires in 1 hour'],
    [20 * MINUTE, 'pay.fjord.example expires in 20 minutes'],
    [1, 'pay.fjord.example expires in 1 minute'],
    [0, 'pay.fjord.example expired on 22 November 2026'],
    [-400 * DAY, 'pay.fjord.example expired on 22 November 2026'],
  ])('the subject of an expiry mail with %d ms left is: %s', (left, subject) => {
    expect(render({ left }).subject).toBe(subject);
  });

  it('names an overdue renewal, and an intermediate that expires first', () => {
    expect(render({ left: 22.5 * DAY, alert: { step: 'renewal_overdue' } }).subject).toBe(
      'pay.fjord.example expires in 22 days, renewal overdue',
    );
    expect(
      render({ left: 7 * DAY, certificateIs: { role: 'intermediate', fingerprint: 'bb' } }).subject,
    ).toBe('pay.fjord.example: an intermediate certificate expires in 7 days');
  });

  it('shows the Unicode form of the host, and its port', () => {
    const monitor = { id: '1', host: 'xn--bcher-kva.example', port: 8443, lastCheckedAt: null };
    expect(render({ monitor }).subject).toBe('bücher.example:8443 expires in 2 days');
  });
});

describe('the content of an expiry mail', () => {
  it('has host, dates, likely causes and links in the text part, word for word', () => {
    expect(render().text).toBe(`The certificate for pay.fjord.example expires on Sunday, 22 November 2026.

Renew it before then. After 14:32 UTC that day, visitors will see a security warning instead of the site. The next check will pick up the new certificate.

If renewal is automatic, check the log of your ACME client. Usual causes:
- The authority cannot verify the challenge: port 80 is closed, or a DNS record changed.
- The timer or cron job that starts the client does not run.
- The server was not reloaded and still serves the old certificate.

Host:         pay.fjord.example
Issuer:       DigiCert TLS RSA 2020 CA1
Valid from:   24 August 2026
Expires on:   22 November 2026, 14:32 UTC
Last checked: 20 November 2026, 14:32 UTC

Show certificate details:
https://certs.example/dashboard?domain=0c1d

-- 
You get this because you track this host in Certlantern. Alerts go out 22, 14, 7, 3 and 1 days before expiry, and at expiry.
Change alerts: https://certs.example/alerts
Stop emails for this host: https://certs.example/unsubscribe#t0ken

`);
  });

  it('has expiry time and issuer in the preheader, which is also in the HTML', () => {
    const { preheader, html } = render();
    expect(preheader).toBe('Expires Sunday 22 November 2026 at 14:32 UTC. Issued by DigiCert.');
    for (const part of [
      preheader,
      'Expiring in 2 days',
      'href="https://certs.example/dashboard?domain=0c1d"',
    ]) {
      expect(html).toContain(part);
    }
    expect(html).not.toMatch(/src="(?!cid:)|url\(|<script|<link/);
  });

  it('lists the alert steps, which depend on the lifetime of the certificate', () => {
    const days = (lifetime: number) => render({ certificateIs: { notBefore: NOT_AFTER - lifetime } }).text;
    expect(days(398 * DAY)).toContain('30, 14, 7, 3 and 1 days before expiry');
    expect(days(160 * HOUR)).toContain('40, 32, 16, 8 and 3 hours before expiry');
    expect(days(30 * DAY)).toContain('7, 6, 3 and 1 days and 14 hours before expiry');
    expect(days(-DAY)).toContain('Alerts go out at expiry.');
  });

  it('is written for the time of sending: after the expiry it says "expired"', () => {
    const late = render({ left: -HOUR });
    expect(late.text).toContain('expired on Sunday, 22 November 2026.');
    expect(late.text).toContain('Since 14:32 UTC that day, visitors see');
    expect(late.html).toContain('Expired');
  });

  it('says since when an overdue renewal was expected', () => {
    const { text, html } = render({ left: 22.5 * DAY, alert: { step: 'renewal_overdue' } });
    expect(text).toContain('has not been renewed yet. It expires on Sunday, 22 November 2026.');
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      '22 November 2026. Renew it now. After 14:32 UTC that day, visitors will see a security warning instead of the site. The renewal has been expected since 23 October 2026.',
    );
    expect(html).toContain('Renewal overdue');
  });

  it('says that the authority wants the renewal earlier than usual', () => {
    const { text } = render({ left: 60 * DAY, alert: { step: 'renewal_overdue' } });
    expect(text).toContain('Its authority asked for an earlier renewal than usual');
    expect(text).not.toContain('renewal has been expected since');
  });

  it('names the intermediate that expires first, and says until when the leaf is valid', () => {
    const certificateIs = { role: 'intermediate', fingerprint: 'bb', name: 'Fjord CA 1' } as const;
    const { text } = render({ certificateIs, certificate: { ...facts, notAfter: NOT_AFTER + 101 * DAY } });
    expect(text).toContain('An intermediate certificate of pay.fjord.example expires on Sunday');
    expect(text).toContain('“Fjord CA 1” limits this host');
    expect(text).toContain('The certificate of the host itself is valid until 3 March 2027.');
    expect(text).toMatch(/^Limited by: +Fjord CA 1$/m);
    expect(text).not.toContain('DigiCert');
  });

  it('says when we last saw the certificate if the host could not be reached at the last check', () => {
    expect(render().text).not.toContain('as of');
    const now = NOT_AFTER - 2 * DAY;
    expect(render({ facts: { asOf: now - 3 * HOUR } }).text).toContain(
      'We could not reach the host at the last check. This describes the certificate as we last saw it, on 20 November 2026, 11:32 UTC.',
    );
  });

  it('speaks of clients instead of visitors for a mail port', () => {
    const monitor = { id: '1', host: 'mail.fjord.example', port: 993, lastCheckedAt: null };
    expect(render({ monitor }).text).toContain('clients will refuse to connect.');
  });

  it('gives local time and UTC', () => {
    const { text, preheader } = render({ timeZone: 'Europe/Oslo' });
    expect(text).toMatch(/Expires on: +22 November 2026, 15:32 (CET|GMT\+1) \(14:32 UTC\)/);
    expect(preheader).toMatch(/^Expires Sunday 22 November 2026 at 15:32 (CET|GMT\+1) \(14:32 UTC\)\./);
  });

  it('gives the UTC date as well if it differs from the local date', () => {
    const { subject, text, html } = render({ timeZone: 'Pacific/Auckland', left: -DAY });
    expect(subject).toBe('pay.fjord.example expired on 23 November 2026');
    for (const told of [text, html])
      expect(told).toMatch(/23 November 2026, 03:32 (NZDT|GMT\+13) \(22 November, 14:32 UTC\)/);
  });

  it.each([null, 'UTC', 'Mars/Olympus_Mons'])('gives only UTC if the time zone is %s', (timeZone) => {
    expect(render({ timeZone }).text).toMatch(/Expires on: +22 November 2026, 14:32 UTC$/m);
  });
});

describe('strings from certificates in an expiry mail', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '{{7*7}} ${7*7} <%= 7*7 %>',
    'Fjord\r\nBcc: eve@evil.example\r\n\r\n<p>body',
    'a\0b\u202eevil\u2028c',
    'x'.repeat(300),
    '&lt;b&gt; &amp;',
  ];
  it.each(hostile)('are text on one line, never markup: %j', (name) => {
    const plain = render();
    for (const role of ['leaf', 'intermediate'] as const) {
      const fingerprint = role === 'leaf' ? 'aa' : 'bb';
      const sent = render({
        certificateIs: { role, fingerprint, name },
        certificate: { ...facts, issuer: name, authorityName: name, subject: name },
      });
      expect(sent.html).not.toMatch(/<script|<img src=x|<p>body|<b>/);
      expect(sent.html).not.toContain("' onmouseover='");
      for (const line of [sent.subject, sent.preheader]) expect(line).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
      expect(sent.text).not.toMatch(/^Bcc:/m);
      expect(sent.text).not.toContain('x'.repeat(121));
      expect(sent.text).not.toContain('49');
      if (role === 'leaf') expect(tags(sent.html)).toEqual(tags(plain.html));
    }
  });

  const tags = (html: string) => html.match(/<\/?[a-z][a-z0-9]*/gi);

  it('are left out if the certificate is no longer stored', () => {
    const { text, preheader } = render({ certificate: null });
    expect(text).not.toContain('Issuer');
    expect(preheader).toBe('Expires Sunday 22 November 2026 at 14:32 UTC.');
  });

  it('an expiry mail shows a host of 253 characters in full, with line wrapping', () => {
    const host = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(53)}.example`;
    const { html } = render({ monitor: { id: '1', host, port: 443, lastCheckedAt: null } });
    expect(html).toContain(host);
    expect(html).toContain('overflow-wrap:anywhere');
  });

  it('an expiry mail shows an expiry in the year 9999', () => {
    const notAfter = Date.UTC(9999, 11, 31, 23, 59, 59);
    expect(render({ certificateIs: { notAfter } }).text).toContain('31 December 9999, 23:59 UTC');
  });
});

describe('an expiry mail about several hosts', () => {
  const shared = (count: number, fixedCount = 0): Changes => ({
    group: {
      domains: Array.from({ length: count }, (_, index) => ({
        id: `${index}`,
        host: `h${index}.fjord.example`,
        port: 443,
      })),
      fixedCount,
    },
    certificateIs: { name: '*.fjord.example' },
    mail: { isAboutSeveral: count > 1 },
  });

  it('names the certificate and the first ten hosts, and links to the page of the certificate', () => {
    const { subject, text } = render(shared(300));
    expect(subject).toBe('*.fjord.example expires in 2 days (300 hosts)');
    expect(text).toContain('The certificate for *.fjord.example expires on');
    expect(text).toContain('h0.fjord.example, h1.fjord.example,');
    expect(text).toMatch(/ h9\.fjord\.example\n +and 290 more\n/);
    expect(text).not.toContain('h10.fjord.example');
    expect(text).toContain('https://certs.example/certificates?certificate=aa');
    expect(text).toContain('Stop these emails');
  });

  it('says how many hosts no longer serve the certificate, even if only one still does', () => {
    const { subject, text } = render(shared(3, 297));
    expect(subject).toBe('*.fjord.example expires in 2 days (3 hosts)');
    expect(text).toContain('297 of 300 hosts no longer serve this certificate');
    const last = render(shared(1, 299));
    expect(last.subject).toBe('pay.fjord.example expires in 2 days');
    expect(last.text).toContain('299 of 300 hosts no longer serve this certificate');
    expect(last.text).toContain('Stop emails for this host');
  });
});
