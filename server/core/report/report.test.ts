import { describe, expect, it } from 'vitest';
import {
  answer,
  DAY,
  failed,
  HOST,
  issue,
  NOW,
  observation,
  root,
  withChain,
} from '../../../tests/kit/judging.ts';
import { mintAuthority } from '../../../tests/kit/mint.ts';
import { createTrustStore, parseCertificate, toPem } from '../../pki/index.ts';
import { certificateFacts } from '../facts.ts';
import { judge } from '../judge/judge.ts';
import type { Observation } from '../observation.ts';
import { block, code, codeCell, plain } from './markdown.ts';
import { reportMarkdown } from './report.ts';

const trustStore = createTrustStore([root.der]);

function report(seen: Observation, leaf: { der: Uint8Array } | null): string {
  const verdict = judge(seen, NOW, trustStore);
  const facts = leaf && certificateFacts(parseCertificate(leaf.der));
  const chainPem = leaf && toPem(leaf.der);
  return reportMarkdown({ host: HOST, verdict, facts, chainPem, now: NOW });
}

describe('reportMarkdown', () => {
  it('is calm about what is good', () => {
    const leaf = issue();
    const text = report(observation([answer(withChain(leaf))]), leaf);
    expect(text).toMatch(
      /^# pay\.fjord\.example\n\npay\.fjord\.example is trusted, and nothing needs attention\. Checked 2026-11-20 14:30 UTC/,
    );
    expect(text).toContain('## Findings\n\nNone.');
    expect(text).toContain('| `Fjord Root` | root |');
    expect(text).toContain('Not known: nobody has answered yet');
    expect(text).toContain('by its lifetime');
  });

  it('says of each finding what to do, with a line that shows it and the file to send', () => {
    const leaf = issue();
    const authorities = [
      { der: leaf.chain[0]?.der ?? new Uint8Array(), source: 'fetched', url: null } as const,
    ];
    const text = report(observation([answer([leaf]), failed()], { authorities }), leaf);
    expect(text).toContain("### Warning: Your server does not send the intermediate 'Fjord CA 1'.");
    expect(text).toContain('**What to do:** Send this file:');
    expect(text).toContain('```sh\ncurl -sSI https://pay.fjord.example/\n```');
    expect(text).toContain('-----BEGIN CERTIFICATE-----');
    expect(text).toContain('not sent; fetched from its authority');
    expect(text).toContain('| `192.0.2.9` | – | – | – | – | 5000 ms | did not answer in time |');
  });

  it('tells why nothing was reached', () => {
    expect(report(observation([failed()]), null)).toContain('pay.fjord.example did not answer in time.');
  });

  it('has the daily facts', () => {
    const leaf = issue();
    const posture: Observation['posture'] = {
      at: NOW,
      tlsVersions: [
        { version: 'TLSv1.2', offered: true },
        { version: 'TLSv1.1', offered: false },
      ],
      postQuantum: { state: 'negotiated', group: 'X25519MLKEM768' },
      alternates: [],
      caa: { outcome: 'records', domain: HOST, records: [{ critical: false, tag: 'issue', value: 'a|b`c' }] },
      registration: { outcome: 'expires', domain: 'fjord.example', expiresAt: NOW + DAY, registrar: '*R*' },
    };
    const text = report(observation([answer(withChain(leaf))], { posture }), leaf);
    expect(text).toContain('- TLS versions offered: `TLSv1.2`\n');
    expect(text).toContain('negotiated (`X25519MLKEM768`)');
    expect(text).toContain('``issue a|b`c``');
    expect(text).toContain('until 21 November 2026 (\\*R\\*)');
  });

  it('lets no stranger write markup, links or lines', () => {
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
    const text = report(observation([answer([leaf, evil])]), leaf);
    expect(text).not.toMatch(/^# Owned/m);
    // Without what is escaped, and without code spans and blocks, none of it may be left.
    const prose = text.replaceAll(/\\[^\w\s]/g, '').replaceAll(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, '');
    expect(prose).not.toMatch(/[<[\]&`]|https?:\/\/|www\./);
  });
});

describe('the words of Markdown', () => {
  it('escapes text, and keeps code as it is', () => {
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
