import { describe, expect, it } from 'vitest';
import {
  DAY,
  failedAddress,
  handshakeWith,
  HOST,
  issue,
  NOW,
  observation,
  root,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import { postureAt } from '../../../tests/kit/product/observation.ts';
import { mintAuthority } from '../../../tests/kit/certificates/mint.ts';
import { parseCertificate } from '../../pki/certificate.ts';
import { toPem } from '../../pki/der/pem.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { certificateFacts } from '../facts.ts';
import { judge } from '../judge/judge.ts';
import type { Observation } from '../observation.ts';
import { block, code, codeCell, plain } from './markdown.ts';
import { type Report, reportMarkdown } from './report.ts';
import { postureLines } from './report-posture.ts';
import type { Verdict } from '../verdict.ts';

const trustStore = createTrustStore([root.der], { arePublic: true });

const NEVER_WATCHED = { state: null, downSince: null, cause: null, percent: null, windowDays: null };

function report(
  seen: Observation,
  leaf: { der: Uint8Array } | null,
  uptime: Report['uptime'] = NEVER_WATCHED,
): string {
  const verdict = judge(seen, NOW, trustStore);
  const facts = leaf && certificateFacts(parseCertificate(leaf.der));
  const chainPem = leaf && toPem(leaf.der);
  return reportMarkdown({ endpoint: seen.endpoint, verdict, facts, chainPem, uptime, now: NOW });
}

describe('reportMarkdown', () => {
  it('says that nothing needs attention if all is good', () => {
    const leaf = issue();
    const text = report(observation([handshakeWith(withChain(leaf))]), leaf);
    expect(text).toMatch(
      /^# pay\.fjord\.example\n\npay\.fjord\.example is trusted, and nothing needs attention\. Checked 2026-11-20 14:30 UTC/,
    );
    expect(text).toContain('## Findings\n\nNone.');
    expect(text).toContain('| `Fjord Root` | root |');
    expect(text).toContain('Unknown: no CRL or OCSP responder');
    expect(text).not.toContain('## Uptime');
    expect(text).toContain('based on its lifetime');
  });

  it('has a fix, a command and the file to send for each finding', () => {
    const leaf = issue();
    const authorities = [
      { der: leaf.chain[0]?.der ?? new Uint8Array(), source: 'fetched', url: null } as const,
    ];
    const text = report(observation([handshakeWith([leaf]), failedAddress()], { authorities }), leaf);
    expect(text).toContain('Only clients that fetch missing certificates trust pay.fjord.example. 2 things');
    expect(text).toContain('### Warning: Your server does not send the intermediate “Fjord CA 1”.');
    expect(text).toContain('**What to do:** Send this file:');
    expect(text).toContain('```sh\ncurl -sSI https://pay.fjord.example/\n```');
    expect(text).toContain('-----BEGIN CERTIFICATE-----');
    expect(text).toContain('not sent; fetched from its authority');
    expect(text).toContain('| `192.0.2.9` | – | – | – | – | – | 5000 ms | did not answer in time |');
  });

  it('lists first why the host was not reached, and says since when it is down', () => {
    const uptime = {
      ...NEVER_WATCHED,
      state: 'down',
      downSince: NOW - DAY,
      percent: 98.9,
      windowDays: 90,
    } as const;
    const text = report(observation([failedAddress()]), null, uptime);
    expect(text).toContain(
      '## Findings\n\n### Critical: pay.fjord.example did not answer in time.\n\n**What to do:**',
    );
    expect(text).toContain('```sh\ncurl -sSI --connect-timeout 10 https://pay.fjord.example/\n```');
    expect(text).toContain(
      '## Uptime\n\nDown since 19 November 2026, 14:30 UTC; 98.9% over the last 90 days.',
    );
    expect(text).not.toContain('None.');
  });

  it('reports a site that answers with an error as down, even if its certificate is valid', () => {
    const leaf = issue();
    const cause = 'pay.fjord.example answered with the error 503.';
    const text = report(observation([handshakeWith(withChain(leaf))]), leaf, {
      ...NEVER_WATCHED,
      state: 'down',
      downSince: NOW,
      cause,
    });
    expect(text).toContain(`### Critical: ${cause}`);
    expect(text).toContain('curl -ksSI --max-time 20 https://pay.fjord.example/');
    expect(text).not.toContain('is trusted');
  });

  it('says which addresses serve which certificate', () => {
    const [old, fresh] = [issue(), issue({ notAfter: NOW + 80 * DAY })];
    const seen = observation([
      handshakeWith(withChain(old)),
      handshakeWith(withChain(fresh), { address: '192.0.2.2' }),
      handshakeWith(withChain(fresh), { address: '192.0.2.3' }),
    ]);
    const text = report(seen, old);
    expect(text).toContain(
      'This certificate is served at 192.0.2.1; the other 2 addresses serve one that is valid until 8 February 2027, 14:30 UTC.',
    );
    expect(text).toMatch(/\| `192\.0\.2\.1` .* answered with the certificate above \|/);
    expect(text).toMatch(
      /\| `192\.0\.2\.3` .* answered with another one, valid until 8 February 2027, 14:30 UTC \|/,
    );
  });

  it('includes TLS versions, key exchange, CAA and registration, and what was not tested', () => {
    const leaf = issue();
    const posture: Observation['posture'] = {
      at: NOW,
      tlsVersions: [
        { version: 'TLSv1.2', offered: true },
        { version: 'TLSv1.1', offered: false },
        { version: 'TLSv1', offered: null },
      ],
      postQuantum: { state: 'negotiated', group: 'X25519MLKEM768' },
      alternates: [],
      untestedKeyTypes: ['rsa', 'ml-dsa-65'],
      caa: { outcome: 'records', domain: HOST, records: [{ critical: false, tag: 'issue', value: 'a|b`c' }] },
      registration: { outcome: 'expires', domain: 'fjord.example', expiresAt: NOW + DAY, registrar: '*R*' },
    };
    const text = report(observation([handshakeWith(withChain(leaf))], { posture }), leaf);
    expect(text).toContain('- TLS versions offered: `TLSv1.2`\n');
    expect(text).toContain('- Not tested: certificates for RSA and ML-DSA-65 keys; TLS 1.0\n');
    expect(text).toContain('negotiated (`X25519MLKEM768`)');
    expect(text).toContain('``issue a|b`c``');
    expect(text).toContain('until 21 November 2026, 14:30 UTC (\\*R\\*)');
  });

  it('says what was not tested yet, and how old the results are that the last posture check did not repeat', () => {
    const leaf = issue();
    const posture = postureAt(NOW - DAY, {
      tlsVersions: [{ version: 'TLSv1', offered: null }],
      postQuantum: { state: 'negotiated', group: 'X25519MLKEM768' },
      postponed: ['tls_versions'],
    });
    const judged = (seen: typeof posture, previous: Verdict | null = null) =>
      judge(observation([handshakeWith(withChain(leaf))], { posture: seen }), NOW, trustStore, previous);
    const lines = ({ posture: verdict }: Verdict) => (verdict === null ? [] : postureLines(verdict));
    expect(lines(judged(posture)).slice(-2)).toEqual([
      '- Not tested yet: TLS 1.0',
      '- Checked on 19 November 2026, 14:30 UTC',
    ]);
    const tested = judged({ ...posture, tlsVersions: [{ version: 'TLSv1', offered: false }], postponed: [] });
    expect(lines(tested).at(-1)).toBe('- Checked on 19 November 2026, 14:30 UTC');
    expect(lines(judged({ ...posture, at: NOW }, tested)).slice(-2)).toEqual([
      '- Checked on 20 November 2026, 14:30 UTC',
      '- TLS versions: as of 19 November 2026, 14:30 UTC',
    ]);
  });

  it('lets no untrusted text add markup, links or lines', () => {
    const evil = mintAuthority({
      commonName: '](https://evil.example) <img src=x>\n\n# Owned | `a` www.evil.example &lt;',
      notBefore: NOW - DAY,
      notAfter: NOW + 100 * DAY,
    });
    const leaf = evil.issue({
      dnsNames: ['x`|y'],
      commonName: '```\n# Owned',
      notBefore: NOW - DAY,
      notAfter: NOW + DAY,
    });
    const text = report(observation([handshakeWith([leaf, evil])]), leaf);
    expect(text).not.toMatch(/^# Owned/m);
    // After removing escapes, code spans and code blocks, no markup may be left.
    const prose = text.replaceAll(/\\[^\w\s]/g, '').replaceAll(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, '');
    expect(prose).not.toMatch(/[<[\]&`]|https?:\/\/|www\./);
  });
});

describe('the Markdown functions', () => {
  it('escape text and keep code as it is', () => {
    expect(plain('1. a_b')).toBe('1\\. a\\_b');
    expect(plain('- x')).toBe('\\- x');
    expect(plain('a\u202eb\r\nc')).toBe('a b c');
    expect(code('a`b')).toBe('``a`b``');
    expect(code('`')).toBe('`` ` ``');
    expect(code('')).toBe('–');
    expect(code('a|b')).toBe('`a|b`');
    expect(codeCell('a|b')).toBe('`a\\|b`');
    expect(plain('ask *@every_body*')).toBe('ask \\*`@every_body`\\*');
    expect(block('sh', 'a```b\u0007\nc\n')).toBe('````sh\na```b\nc\n````');
  });
});
