import { describe, expect, it } from 'vitest';
import {
  currentOptions,
  DAY,
  failedAddress,
  handshakeWith,
  HOST,
  intermediate,
  issue,
  longValidity,
  NOW,
  observation,
  root,
  sentencesIn,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import { mintAuthority, selfSigned } from '../../../tests/kit/certificates/mint.ts';
import { alternateChain } from '../../../tests/kit/product/observation.ts';
import { judge } from '../../core/judge/judge.ts';
import type { Observation } from '../../core/observation.ts';
import { describeFindings } from '../../core/report/describe-finding.ts';
import type { Verdict } from '../../core/verdict.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { WorkBudget } from '../../pki/work-budget.ts';
import { parseVerdict } from './verdict-row.ts';

const aging = mintAuthority({ commonName: 'Aging Root', ...longValidity, notAfter: NOW + 30 * DAY });
const trustStore = createTrustStore([root.der, aging.der], { arePublic: true });
const der = (certificate: { der: Uint8Array }) => new Uint8Array(certificate.der);
const unreadable = { der: Uint8Array.of(0x30, 3, 1, 2, 3) };
const leaf = issue();
const fading = root.intermediate({ commonName: 'Fjord CA 0', ...longValidity, notAfter: NOW - DAY });
const renewed = root.intermediate({
  commonName: 'Fjord CA 0',
  key: fading.key,
  subjectDer: fading.subjectDer,
  ...longValidity,
});
const below = intermediate.intermediate({ commonName: 'Fjord CA 2', ...longValidity });
const stranger = mintAuthority({ commonName: 'Stranger Root', ...longValidity });
const mustStaple = { oid: '1.3.6.1.5.5.7.1.24', value: Uint8Array.of(0x30, 3, 2, 1, 5) };
const fetched = (certificate: { der: Uint8Array }) => ({
  authorities: [{ der: der(certificate), source: 'fetched' as const, url: null }],
});
const said = { fingerprint: leaf.fingerprint, url: null, at: NOW, thisUpdate: NOW, nextUpdate: NOW + DAY };

/** Observations that lead to findings of nearly every kind. */
const OBSERVATIONS: Observation[] = [
  observation([handshakeWith(withChain(issue({ dnsNames: [], notAfter: NOW - DAY })))]),
  observation([
    handshakeWith(withChain(issue({ dnsNames: ['a.example', 'b.example', 'c.example', 'd.example'] }))),
  ]),
  observation([handshakeWith(withChain(issue({ notBefore: NOW + DAY })))]),
  observation([
    handshakeWith(withChain(issue({ ...currentOptions, notAfter: currentOptions.notBefore + 900 * DAY }))),
  ]),
  observation([handshakeWith([unreadable])]),
  observation([
    handshakeWith([...withChain(leaf), unreadable, root, leaf, fading, stranger], { chainCut: true }),
  ]),
  observation([handshakeWith([below.issue(currentOptions), intermediate, below])]),
  observation([handshakeWith([aging.issue(currentOptions)])]),
  observation([handshakeWith(withChain(issue({ notAfter: NOW + 150 * DAY })))]),
  observation([handshakeWith([selfSigned(currentOptions)])]),
  observation([handshakeWith([stranger.issue(currentOptions), stranger])]),
  observation([handshakeWith([issue({ caIssuersUrls: ['http://ca.fjord.example/1.cer'] })])]),
  observation([handshakeWith([leaf])], { authoritiesPending: true }),
  observation([handshakeWith([leaf])], fetched(intermediate)),
  observation([handshakeWith([fading.issue(currentOptions), fading])], fetched(renewed)),
  observation([handshakeWith([fading.issue(currentOptions), fading])]),
  observation([handshakeWith(withChain(issue({ key: 'RSA-1024', hash: 'sha1' })))]),
  observation([handshakeWith(withChain(issue({ extendedKeyUsage: ['clientAuth'] })))]),
  observation([handshakeWith(withChain(issue({ key: 'P-521' })))]),
  observation([handshakeWith(withChain(issue({ extraExtensions: [mustStaple] })))]),
  observation([handshakeWith(withChain(issue({ signatureOid: '1.2.3.4' })))]),
  observation([handshakeWith(withChain(leaf), { staple: new Uint8Array(1) })], {
    revocation: [
      { ...said, source: 'staple', answer: { state: 'none', why: 'stale' } },
      { ...said, source: 'ocsp', answer: { ...said, state: 'good', reason: null, revokedAt: null } },
      {
        ...said,
        source: 'crl',
        answer: { ...said, state: 'revoked', reason: 'keyCompromise', revokedAt: NOW - DAY },
      },
    ],
  }),
  observation([handshakeWith(withChain(leaf))], {
    renewal: [
      {
        fingerprint: leaf.fingerprint,
        at: NOW,
        outcome: 'window',
        start: NOW - 2 * DAY,
        end: NOW - DAY,
        explanationUrl: 'https://ca.fjord.example/incident',
      },
    ],
  }),
  observation([
    handshakeWith(withChain(leaf), { legacyTls: true, tlsVersion: 'TLSv1' }),
    handshakeWith(withChain(issue({ notAfter: NOW + 40 * DAY })), { address: '192.0.2.2' }),
    failedAddress(),
  ]),
  observation([handshakeWith(withChain(leaf))], {
    posture: {
      at: NOW,
      tlsVersions: [{ version: 'TLSv1.3', offered: true }],
      postQuantum: { state: 'unknown', group: null },
      alternates: [
        alternateChain('rsa', withChain(issue({ key: 'RSA-2048', notAfter: NOW - DAY })).map(der), {
          clients: ['go', 'gnutls'],
        }),
      ],
      usual: { keyType: 'ecdsa', clients: ['chromium', 'openssl'] },
      withoutAlpn: {
        address: '192.0.2.1',
        presentedChain: withChain(issue({ dnsNames: ['turn.fjord.example'] })).map(der),
      },
      untestedKeyTypes: ['ed448'],
      hellos: {
        address: '192.0.2.1',
        intolerances: [{ part: 'ech', reaction: 'alert', clients: ['chromium', 'firefox'] }],
        warningAlerts: [112],
        hasEmptyRecord: false,
        hasEmptyChange: false,
      },
      caa: { outcome: 'unavailable' },
      registration: { outcome: 'no_date', domain: 'fjord.example' },
    },
  }),
  observation([failedAddress({ stage: 'handshake', reason: 'tls_alert', tlsAlert: 112 })], {
    resolution: { ok: true, addresses: ['192.0.2.9'], leftOut: 1 },
  }),
  observation([
    failedAddress({
      stage: 'starttls',
      reason: 'server_refused',
      refusal: { code: '450', text: '4.7.1', isTemporary: true },
    }),
  ]),
  observation([handshakeWith(withChain(leaf), { startTlsCode: 334 })]),
  observation([handshakeWith(withChain(issue({ notBefore: NOW + 60_000 })))], {
    http: {
      outcome: 'failed',
      address: '192.0.2.1',
      reason: 'closed',
      durationMs: 5,
      http2Faults: ['no_answer', 'odd_settings'],
    },
  }),
];

const VERDICTS: Verdict[] = [
  ...OBSERVATIONS.map((seen) => judge(seen, NOW, trustStore)),
  judge(observation([handshakeWith(withChain(leaf))]), NOW, trustStore, null, new WorkBudget(1)),
  inTurn(),
];

/** Returns the verdict of a host that alternates between two certificates. */
function inTurn(): Verdict {
  const other = issue({ notAfter: NOW + 50 * DAY });
  return [leaf, other, leaf].reduce<Verdict | null>(
    (previous, shown, index) =>
      judge(
        observation([handshakeWith(withChain(shown))], { observedAt: NOW + index }),
        NOW + index,
        trustStore,
        previous,
      ),
    null,
  )!;
}

describe('a stored verdict', () => {
  it('contains codes and values, and no sentence', () => {
    const findings = VERDICTS.flatMap((verdict) => verdict.findings);
    expect([...new Set(findings.map(({ facts }) => facts.kind))].toSorted()).toEqual([
      'addresses_differ',
      'addresses_left_out',
      'addresses_unreachable',
      'chain_cut',
      'expired',
      'expired_authority',
      'extra_certificates',
      'http2_fault',
      'legacy_tls',
      'long_lifetime',
      'missing_intermediates',
      'not_yet_valid',
      'other_names',
      'other_without_alpn',
      'outdated_intermediate',
      'path_fault',
      'path_pending',
      'refused_by_clients',
      'refused_from',
      'renewal_changes',
      'renewal_overdue',
      'replacement_wanted',
      'revoked',
      'shown_in_turn',
      'staple_invalid',
      'staple_missing',
      'start_tls_code',
      'too_much_work',
      'unreadable_companion',
      'unreadable_leaf',
      'unused_expired',
      'wrong_order',
    ]);
    expect(sentencesIn(VERDICTS)).toEqual([]);
  });

  it('is read as it was written', () => {
    for (const verdict of VERDICTS) {
      const text = JSON.stringify(verdict);
      expect(JSON.stringify(parseVerdict(text))).toBe(text);
    }
  });

  it('is read as null if it is damaged', () => {
    const [verdict] = VERDICTS;
    for (const damage of [
      { addresses: null },
      { findings: [{ ...verdict?.findings[0], addresses: 'all' }] },
      { lastSeen: { at: NOW } },
      { judgedAt: 'today' },
    ])
      expect(parseVerdict(JSON.stringify({ ...verdict, ...damage }))).toBeNull();
    for (const text of ['', '{"judgedAt":', 'null', '[]', '7']) expect(parseVerdict(text)).toBeNull();
  });

  it('names an unknown finding by its code and says that a newer version found it', () => {
    const [verdict] = VERDICTS;
    const newer = { ...verdict?.findings[0], code: 'odd_smell', facts: { kind: 'smell', strength: 3 } };
    const read = parseVerdict(JSON.stringify({ ...verdict, findings: [newer] }));
    expect(read && describeFindings(read, { host: HOST, port: 443, protocol: 'https' })).toMatchObject([
      { code: 'odd_smell', message: 'A newer version of Certlantern found this: odd_smell.', fix: null },
    ]);
  });
});
