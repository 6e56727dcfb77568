import { describe, expect, it } from 'vitest';
import type { CertificateFacts } from '../../server/core/facts.ts';
import type { RevokedCertificate } from '../../server/core/verdict.ts';
import { type Changes, DAY, FACTS, HOUR, NOW, render as renderAlert } from './alert-mails.ts';

const facts: CertificateFacts = {
  ...FACTS,
  issuer: 'Fjord CA 1',
  authorityName: 'Fjord',
  notBefore: NOW - 30 * DAY,
  notAfter: NOW + 60 * DAY,
};
const revoked: RevokedCertificate = {
  fingerprint: 'aa',
  key: 'issuer 0a0b',
  source: 'crl',
  at: NOW,
  revokedAt: NOW - DAY,
  reason: 'keyCompromise',
  role: 'leaf',
  name: 'pay.fjord.example',
  served: true,
  notBefore: facts.notBefore,
  notAfter: facts.notAfter,
};

const render = ({ certificateIs, ...changes }: Changes = {}) =>
  renderAlert({
    alert: { kind: 'revoked', step: 'revoked' },
    certificateIs: { notBefore: facts.notBefore, notAfter: facts.notAfter, ...certificateIs },
    certificate: facts,
    revoked,
    ...changes,
  });

describe('the mail about a revoked certificate', () => {
  it('has reason, source, dates and links in the text part, word for word', () => {
    const { subject, text } = render();
    expect(subject).toBe('pay.fjord.example’s certificate was revoked');
    expect(text).toBe(`The certificate for pay.fjord.example was revoked on Thursday, 19 November 2026.

Create a new key, have a certificate issued for it, install it and reload the server. The next check will pick it up.

Its authority gave this reason: its key was compromised. Clients that check revocation refuse to connect, whatever the expiry date. If you did not request the revocation, your authority can tell you more.

Host:          pay.fjord.example
Issuer:        Fjord CA 1
Serial number: 0a0b
Revoked on:    19 November 2026, 14:32 UTC
Reason:        key compromise
Source:        the authority’s list (CRL), read 20 November 2026, 14:32 UTC
Valid until:   19 January 2027

Show certificate details:
https://certs.example/dashboard?domain=0c1d

-- 
You get this because you track this host in Certlantern. We send this once for each revoked certificate.
Change alerts: https://certs.example/alerts
Stop emails for this host: https://certs.example/unsubscribe#t0ken

`);
  });

  it('has the same facts in the HTML and loads no remote content', () => {
    const { html, preheader } = render();
    expect(preheader).toBe(
      'Revoked Thursday 19 November 2026 at 14:32 UTC. Clients that check revocation refuse to connect.',
    );
    for (const part of [preheader, 'Revoked', 'key compromise', 'domain=0c1d']) expect(html).toContain(part);
    expect(html).not.toMatch(/src="(?!cid:)|url\(|<script|<link/);
  });

  it('names a revoked intermediate and says that it is between the host and the root', () => {
    const { subject, text } = render({
      certificateIs: { role: 'intermediate', fingerprint: 'bb', name: 'Fjord CA 1' },
    });
    expect(subject).toBe('pay.fjord.example: an intermediate certificate was revoked');
    expect(text).toContain('“Fjord CA 1” is between');
    expect(text).not.toContain('0a0b');
  });

  it('can be rendered without revocation time, reason and stored certificate', () => {
    const { text } = render({ revoked: { ...revoked, revokedAt: null, reason: null } });
    expect(text).toContain('The certificate for pay.fjord.example was revoked.\n');
    expect(text).toContain('Its authority gave no reason.');
    expect(render({ revoked: null, certificate: null }).text).not.toContain('Source');
  });

  it('says when we last saw the certificate if the host could not be reached', () => {
    expect(render({ facts: { asOf: NOW - 3 * HOUR } }).text).toContain(
      'as we last saw it, on 20 November 2026, 11:32 UTC',
    );
  });

  it('shows untrusted strings as text on one line', () => {
    const name = '<img src=x>\r\nBcc: eve@evil.example\u202e';
    const issuer = { ...facts, issuer: name };
    for (const message of [
      render({ certificate: issuer }),
      render({
        certificateIs: { role: 'intermediate', name, fingerprint: 'bb' },
        revoked: { ...revoked, reason: name },
      }),
    ]) {
      expect(message.html).not.toContain('<img src=x');
      expect(message.text).not.toMatch(/^Bcc:|\u202e/m);
    }
  });
});
