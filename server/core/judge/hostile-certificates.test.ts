import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  currentOptions,
  DAY,
  ENDPOINT,
  handshakeWith,
  HOST,
  inWords,
  longValidity,
  NOW,
  observation,
  root,
} from '../../../tests/kit/certificates/judging.ts';
import {
  type CertificateOptions,
  mintAuthority,
  type MintedCertificate,
  selfSigned,
} from '../../../tests/kit/certificates/mint.ts';
import { alternateChain, postureAt } from '../../../tests/kit/product/observation.ts';
import { parseCertificate } from '../../pki/certificate.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { certificateDiff } from '../certificate-diff.ts';
import { certificateFacts, readChain } from '../facts.ts';
import { judge } from './judge.ts';
import type { Observation } from '../observation.ts';
import { reportMarkdown } from '../report/report.ts';
import type { Verdict } from '../verdict.ts';

const SEED = 20_261_120;
const NEVER_WATCHED = { state: null, downSince: null, cause: null, percent: null, windowDays: null };
const trustStore = createTrustStore([root.der], { arePublic: true });
/** An intermediate with path length, name constraints and a CRL URL, so that damage hits their parsers too. */
const authority = root.intermediate({
  ...longValidity,
  commonName: 'Fjord CA 2',
  pathLength: 0,
  permitted: { dns: ['fjord.example'], ip: ['192.0.2.0/24'] },
  excluded: { dns: ['not.fjord.example'], email: ['fjord.example'] },
  crlUrls: ['http://ca.fjord.example/root.crl'],
});
const leaf = authority.issue({
  ...currentOptions,
  organization: 'Fjord AS',
  country: 'NO',
  dnsNames: [HOST, '*.fjord.example'],
  ipAddresses: ['192.0.2.1'],
  caIssuersUrls: ['http://ca.fjord.example/2.cer'],
  ocspUrls: ['http://ocsp.fjord.example'],
  crlUrls: ['http://ca.fjord.example/2.crl'],
  cpsUrls: ['http://ca.fjord.example/cps'],
});
const whole = [leaf.der, authority.der, root.der];
const good = judgeChain(whole);

/** Judges a chain as a check does. */
function judgeChain(presented: readonly Uint8Array[]): Verdict {
  const addresses = [handshakeWith(presented.map((der) => ({ der })))];
  return judge(observation(addresses), NOW, trustStore);
}

/**
 * Returns the CPU time in ms that judging a chain takes in this thread. The chain is also among the fetched certificates
 * and in the posture, and a second address shows a valid chain.
 */
function timed(presented: readonly Uint8Array[]): number {
  const started = process.threadCpuUsage();
  const addresses = [
    handshakeWith(presented.map((der) => ({ der }))),
    handshakeWith(whole.map((der) => ({ der }))),
  ];
  const [first] = presented;
  const seen: Observation = observation(addresses, {
    authorities: presented.map((der) => ({ der, source: 'fetched', url: 'http://ca.fjord.example/2.cer' })),
    posture: postureAt(NOW, { alternates: [alternateChain('rsa', presented)] }),
  });
  const verdict = judge(seen, NOW, trustStore, good);
  const { user, system } = process.threadCpuUsage(started);
  const chain = readChain(presented);
  const facts = chain[0] ?? null;
  reportMarkdown({ endpoint: ENDPOINT, verdict, facts, chainPem: null, uptime: NEVER_WATCHED, now: NOW });
  const parsed = chain.length === 0 || first === undefined ? null : readable(first);
  if (parsed !== null) certificateDiff(parseCertificate(leaf.der), parsed);
  return (user + system) / 1_000;
}

function readable(der: Uint8Array): ReturnType<typeof parseCertificate> | null {
  try {
    return parseCertificate(der);
  } catch {
    // Most damaged bytes are no certificate; the judge has reported that.
    return null;
  }
}

/** Expects judging to take less than 100 ms. Tries twice, because garbage collection may slow down the first attempt. */
function expectQuick(presented: readonly Uint8Array[]): void {
  const ms = timed(presented);
  if (ms >= 100) expect(timed(presented)).toBeLessThan(100);
}

function flipped(der: Uint8Array, at: number, mask: number): Uint8Array {
  const copy = new Uint8Array(der);
  copy[at] = (copy[at] ?? 0) ^ mask;
  return copy;
}

describe('a damaged chain', () => {
  it('is judged within 100 ms if any byte of the leaf is damaged', () => {
    for (let at = 0; at < leaf.der.length; at++) {
      expectQuick([flipped(leaf.der, at, at % 2 === 0 ? 0x01 : 0xff), authority.der]);
      expectQuick([leaf.der.subarray(0, at), authority.der]);
    }
  });

  it('is judged within 100 ms if any byte of the authority is damaged', () => {
    for (let at = 0; at < authority.der.length; at++) {
      expectQuick([leaf.der, flipped(authority.der, at, 0x80)]);
      expectQuick([leaf.der, authority.der.subarray(0, at)]);
    }
  });

  const damage = fc.record({
    which: fc.nat(2),
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    removed: fc.nat(6),
    // Wrong DER lengths, among other bytes.
    inserted: fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc.constantFrom(
        ...[[0x80], [0x84, 0xff, 0xff, 0xff, 0xff], [0x82, 0, 0], [0x30, 0x80], [0x1f, 0xff, 0xff]].map(
          (bytes) => Uint8Array.from(bytes),
        ),
      ),
    ),
  });

  it('is judged within 100 ms if it is damaged in several places', () => {
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), (damages) => {
        const presented = whole.map((der) => new Uint8Array(der));
        for (const { which, at, removed, inserted } of damages) {
          const der = presented[which] ?? new Uint8Array();
          const start = Math.floor(at * der.length);
          presented[which] = Buffer.concat([der.subarray(0, start), inserted, der.subarray(start + removed)]);
        }
        expectQuick(presented);
      }),
      { seed: SEED, numRuns: 400 },
    );
  });

  it('is judged within 100 ms if it consists of random bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }), (presented) =>
        expectQuick(presented),
      ),
      { seed: SEED, numRuns: 200 },
    );
  });
});

describe('hostile strings in certificates', () => {
  const PIECES = [
    '\0',
    '\r\nBcc: victim@example.org',
    '\n\n# Heading\n',
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '\u202e\u2066gpj.exe',
    '\u2028\u2029\u0085',
    '\u001b[31m\u0007',
    '$(reboot)`id`; rm -rf / #',
    "' OR 1=1 --",
    '{{7*7}}${7*7}',
    '[click](javascript:alert(1))|`x`',
    'a'.repeat(3_000),
    '\ud800',
    'é😀',
  ];
  const CODE_SPAN = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g;
  const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

  function named(text: string): CertificateOptions {
    return { commonName: text, organization: text, organizationalUnit: text, country: text };
  }

  /**
   * Returns chains with the text in every field of a certificate that can contain it, one for every kind of reported fault.
   */
  function chainsWith(text: string): MintedCertificate[][] {
    const urls = [`http://ca.example/${text}`];
    const more = { caIssuersUrls: urls, ocspUrls: urls, crlUrls: urls, cpsUrls: urls };
    const stranger = mintAuthority({ ...longValidity, ...named(text) });
    const below = root.intermediate({ ...longValidity, ...named(text), ...more });
    const expired = root.intermediate({ ...longValidity, ...named(text), notAfter: NOW - DAY });
    const mine = below.issue({ ...currentOptions, ...named(text), ...more });
    const other = below.issue({ ...currentOptions, ...named(text), dnsNames: [text, `${text}.example`] });
    const late = expired.issue(currentOptions);
    return [
      [mine, below],
      [mine],
      [other, below],
      [stranger.issue({ ...currentOptions, ...named(text) }), stranger],
      [late, expired],
      [mine, below, expired, stranger, root],
      [selfSigned({ ...currentOptions, ...named(text), notAfter: NOW - DAY })],
      [below.issue({ ...currentOptions, ...named(text), extendedKeyUsage: ['clientAuth'] }), below],
    ];
  }

  function everyString(verdict: Verdict): string[] {
    return [
      ...inWords(verdict).findings.flatMap(({ message, fix, command, evidence }) => [
        message,
        ...(fix === null ? [] : [fix]),
        ...(command === null ? [] : [command]),
        ...evidence.flatMap(({ label, value }) => [label, value]),
      ]),
      ...verdict.path.map(({ name }) => name),
      ...(verdict.lastSeen?.expiring ?? []).map(({ name }) => name),
      verdict.limiting?.name ?? '',
    ];
  }

  function expectPlain(text: string): void {
    for (const chain of chainsWith(text)) {
      const verdict = judgeChain(chain.map(({ der }) => der));
      for (const shown of everyString(verdict)) {
        expect(shown).not.toMatch(UNSEEN);
        expect(shown.length).toBeLessThan(2_000);
      }
      for (const { command } of inWords(verdict).findings) {
        // A command that users paste into a shell must contain no untrusted text.
        expect(command ?? '').not.toMatch(/reboot|Bcc|script|alert/);
      }
      const [first] = chain;
      if (first === undefined) continue;
      const facts = certificateFacts(parseCertificate(first.der));
      const report = reportMarkdown({
        endpoint: ENDPOINT,
        verdict,
        facts,
        chainPem: null,
        uptime: NEVER_WATCHED,
        now: NOW,
      });
      expect(report).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(report).not.toMatch(/^(?:Bcc:|# Heading)/m);
      // In code spans markup is plain text; code blocks contain our own commands and chains.
      const prose = report.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(CODE_SPAN, '');
      expect(prose).not.toMatch(/(?<!\\)(?:<(?:script|img)|\[click)/);
    }
  }

  it.each(PIECES)('are shown as plain text on one line: %j', (piece) => {
    expectPlain(piece);
    expectPlain(`pay${piece}.example`);
  });

  it('are shown as plain text on one line in any mixture', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary' })), { maxLength: 5 }),
        (pieces) => expectPlain(pieces.join('')),
      ),
      { seed: SEED, numRuns: 8 },
    );
  });
});
