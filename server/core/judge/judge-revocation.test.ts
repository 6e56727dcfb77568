import { describe, expect, it } from 'vitest';
import {
  currentOptions,
  DAY,
  handshakeWith,
  HOST,
  intermediate,
  inWords,
  issue,
  longValidity,
  NOW,
  observation,
  root,
  trustStore,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import { mintAuthority, type MintedCertificate } from '../../../tests/kit/certificates/mint.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { clientsRefusing } from './clients/refusals.ts';
import { judge } from './judge.ts';
import type { RevocationEvidence, RevocationProblem } from '../observation.ts';
import { revocationSentence } from './revocation.ts';
import type { Verdict } from '../verdict.ts';

const leaf = issue();

type Said = 'good' | 'revoked' | RevocationProblem;
function said(
  source: RevocationEvidence['source'],
  what: Said,
  about: { fingerprint: string } = leaf,
): RevocationEvidence {
  const times = { thisUpdate: NOW - DAY, nextUpdate: NOW + DAY };
  const url = source === 'staple' ? null : `http://${source}.fjord.example/`;
  const base = { fingerprint: about.fingerprint, source, url, at: NOW };
  if (what === 'good') return { ...base, answer: { state: 'good', reason: null, revokedAt: null, ...times } };
  if (what === 'revoked')
    return {
      ...base,
      answer: { state: 'revoked', reason: 'keyCompromise', revokedAt: NOW - 2 * DAY, ...times },
    };
  return { ...base, answer: { state: 'none', why: what } };
}

function judged(
  revocation: RevocationEvidence[],
  {
    shown = leaf,
    staple = null,
    now = NOW,
    previous = null,
  }: { shown?: MintedCertificate; staple?: Uint8Array | null; now?: number; previous?: Verdict | null } = {},
): Verdict {
  const seen = observation([handshakeWith(withChain(shown), { staple })], { revocation, observedAt: now });
  return judge(seen, now, trustStore, previous);
}
const codes = ({ findings }: Verdict) => findings.map(({ code }) => code);

describe('the revocation state', () => {
  it.each<[Said, Said, Said, string, string | null]>([
    ['good', 'good', 'good', 'good', 'crl'],
    ['unreachable', 'good', 'good', 'good', 'ocsp'],
    ['stale', 'malformed', 'good', 'good', 'staple'],
    ['good', 'good', 'revoked', 'revoked', 'staple'],
    ['good', 'revoked', 'good', 'revoked', 'ocsp'],
    ['revoked', 'revoked', 'good', 'revoked', 'crl'],
    ['unreachable', 'bad_signature', 'wrong_scope', 'unavailable', null],
    ['pending', 'unreachable', 'stale', 'unknown', null],
  ])('the revocation state with CRL %s, OCSP %s and staple %s is %s', (crl, ocsp, staple, state, source) => {
    const evidence = [said('staple', staple), said('ocsp', ocsp), said('crl', crl)];
    const { revocation, trusted } = judged(evidence, { staple: new Uint8Array(1) });
    expect(revocation).toMatchObject({ state, source });
    expect(revocation.sources.map((one) => one.source)).toEqual(['crl', 'ocsp', 'staple']);
    expect(trusted).toBe(state !== 'revoked');
  });

  it('is unknown without any evidence', () => {
    expect(judged([]).revocation).toMatchObject({ state: 'unknown', source: null, at: null });
  });

  it('does not apply to a certificate of at most a week without a revocation source', () => {
    const shown = issue({ notBefore: NOW - DAY, notAfter: NOW + 5 * DAY });
    expect(judged([], { shown }).revocation.state).toBe('not_applicable');
    expect(judged([said('crl', 'unreachable', shown)], { shown }).revocation.state).toBe('unavailable');
  });

  it('ignores a good answer that has expired, but never a revocation', () => {
    const later = NOW + 2 * DAY;
    expect(judged([said('crl', 'good')], { now: later }).revocation).toMatchObject({
      state: 'unavailable',
      sources: [{ state: 'none', why: 'stale' }],
    });
    expect(judged([said('crl', 'revoked')], { now: later }).revocation.state).toBe('revoked');
  });

  it('names source, date and reason of a revocation', () => {
    const verdict = judged([said('crl', 'revoked')]);
    const { findings } = inWords(verdict);
    expect(findings).toMatchObject([
      {
        code: 'revoked',
        severity: 'critical',
        message:
          'The certificate was revoked on 18 November 2026, 14:30 UTC because its key was compromised, according to the authority’s list (CRL).',
        fingerprint: leaf.fingerprint,
      },
    ]);
    const evidence = Object.fromEntries(
      (findings[0]?.evidence ?? []).map(({ label, value }) => [label, value]),
    );
    expect(evidence).toMatchObject({ Reason: 'key compromise', Received: '20 November 2026, 14:30 UTC' });
    expect(verdict.lastSeen?.revoked).toMatchObject([
      { fingerprint: leaf.fingerprint, role: 'leaf', served: true, source: 'crl', name: HOST },
    ]);
  });

  it('is the worse of two answers, and the finding names the source that disagrees', () => {
    for (const [worse, better, who] of [
      ['crl', 'ocsp', 'the authority’s responder (OCSP)'],
      ['ocsp', 'crl', 'the authority’s list (CRL)'],
    ] as const) {
      const verdict = judged([said(worse, 'revoked'), said(better, 'good')]);
      expect(verdict.revocation).toMatchObject({ state: 'revoked', source: worse });
      const [finding] = inWords(verdict).findings;
      expect(finding?.message).toMatch(`, although ${who} does not list it as revoked.`);
      expect(finding?.evidence).toContainEqual({ label: 'Not revoked according to', value: who });
    }
  });

  it('the revocation state of the leaf stays good if an intermediate is revoked, which is critical', () => {
    const verdict = judged([said('crl', 'good'), said('crl', 'revoked', intermediate)]);
    expect(verdict).toMatchObject({ trusted: false, revocation: { state: 'good' } });
    expect(codes(verdict)).toEqual(['intermediate_revoked']);
    expect(verdict.lastSeen?.revoked).toMatchObject([
      { role: 'intermediate', name: 'Fjord CA 1', served: true },
    ]);
  });

  describe('a revoked intermediate with a second certificate for the same key', () => {
    const other = mintAuthority({ commonName: 'Other Root', ...longValidity });
    const twin = other.intermediate({
      commonName: 'Fjord CA 1',
      key: intermediate.key,
      subjectDer: intermediate.subjectDer,
      ...longValidity,
    });
    const seen = (revocation: RevocationEvidence[]) =>
      observation([handshakeWith([leaf, intermediate, twin])], { revocation });
    const both = createTrustStore([root.der, other.der]);

    it.each([
      [intermediate, twin],
      [twin, intermediate],
    ])('is only a warning while the second certificate gives a valid path (case %#)', (bad, good) => {
      const verdict = judge(seen([said('crl', 'revoked', bad)]), NOW, both);
      expect(verdict.trusted).toBe(true);
      expect(verdict.path[1]?.fingerprint).toBe(good.fingerprint);
      expect(verdict.chainToServe).toEqual([leaf.fingerprint, good.fingerprint]);
      expect(inWords(verdict).findings).toMatchObject([
        {
          code: 'intermediate_revoked',
          severity: 'warning',
          message: expect.stringMatching(
            /^The server sends the intermediate .*, which was revoked .* some may refuse to connect/,
          ) as string,
          attachment: 'chain',
        },
      ]);
      const revoked = verdict.lastSeen?.revoked;
      expect(revoked).toMatchObject([{ fingerprint: bad.fingerprint, served: false }]);
      const next = judge(seen([]), NOW + DAY, both, verdict);
      expect(next).toMatchObject({ trusted: true, lastSeen: { revoked } });
      const left = observation([handshakeWith([leaf, bad])]);
      expect(judge(left, NOW + DAY, both, next)).toMatchObject({
        trusted: false,
        lastSeen: { revoked: [{ served: true }] },
      });
    });

    it('is critical if both certificates are revoked', () => {
      const verdict = judge(
        seen([said('crl', 'revoked', intermediate), said('crl', 'revoked', twin)]),
        NOW,
        both,
      );
      expect(verdict.trusted).toBe(false);
      expect(verdict.findings[0]).toMatchObject({ code: 'intermediate_revoked', severity: 'critical' });
    });
  });
});

describe('OCSP staples', () => {
  const mustStaple = { oid: '1.3.6.1.5.5.7.1.24', value: Uint8Array.of(0x30, 3, 2, 1, 5) };

  it('OCSP staples that are invalid are a finding of their own', () => {
    const staple = new Uint8Array(1);
    const verdict = judged([said('crl', 'good'), said('staple', 'stale')], { staple });
    expect(inWords(verdict).findings).toMatchObject([
      {
        code: 'staple_invalid',
        severity: 'warning',
        message: 'The server staples an OCSP response that clients cannot use. The response is out of date.',
      },
    ]);
    expect(verdict.revocation.state).toBe('good');
    expect(codes(judged([said('staple', 'good')], { staple }))).toEqual([]);
  });

  it('OCSP staples that no client refuses are no finding, although they prove nothing', () => {
    const staple = new Uint8Array(1);
    for (const why of ['too_old', 'misdated', 'contradictory', 'sha1_signature', 'try_later'] as const) {
      const verdict = judged([said('staple', why)], { staple });
      expect(codes(verdict)).toEqual([]);
      expect(verdict.revocation.state).toBe('unavailable');
    }
  });

  it('OCSP staples that GnuTLS or Firefox refuses are a finding that names it', () => {
    const staple = new Uint8Array(1);
    const preceded = said('staple', 'good');
    if (preceded.answer.state === 'good') preceded.answer = { ...preceded.answer, isPreceded: true };
    const refusing = (evidence: RevocationEvidence) =>
      judged([evidence], { staple }).findings.map(clientsRefusing);
    expect(refusing(preceded)).toEqual([['gnutls']]);
    expect(refusing(said('staple', 'sha1_responder'))).toEqual([['gnutls']]);
    expect(refusing(said('staple', 'wrong_issuer'))).toEqual([['gnutls']]);
    expect(refusing(said('staple', 'not_yet_valid'))).toEqual([['firefox']]);
  });

  it('OCSP staples that the certificate requires and the server does not send are a finding', () => {
    const shown = issue({ extraExtensions: [mustStaple] });
    expect(codes(judged([], { shown }))).toEqual(['staple_missing']);
    expect(codes(judged([], { shown, staple: new Uint8Array(1) }))).toEqual([]);
  });
});

describe('an earlier revocation', () => {
  const before = judged([said('crl', 'revoked')]);

  it('stays with its finding, whatever later answers say', () => {
    for (const evidence of [[], [said('crl', 'good')], [said('crl', 'unreachable')]]) {
      const verdict = judged(evidence, { now: NOW + DAY, previous: before });
      expect(verdict).toMatchObject({
        trusted: false,
        revocation: { state: 'revoked', source: 'crl', reason: 'keyCompromise', at: NOW },
      });
      expect(codes(verdict)).toEqual(['revoked']);
      expect(verdict.lastSeen?.revoked).toEqual(before.lastSeen?.revoked);
    }
  });

  it('is reported with the date of the answer once no source confirms it', () => {
    const lifted = judged([said('crl', 'good')], { now: NOW + DAY, previous: before });
    expect(inWords(lifted).findings[0]?.message).toMatch(
      /was revoked on 18 November 2026, 14:30 UTC .*, as the authority’s list \(CRL\) said on 20 November 2026, 14:30 UTC\.$/,
    );
    expect(revocationSentence(lifted.revocation)).toBe(
      'Revoked, as the authority’s list (CRL) said on 20 November 2026, 14:30 UTC.',
    );
    expect(revocationSentence(before.revocation)).toBe('Revoked, according to the authority’s list (CRL).');
  });

  it('ends if it was a hold and a source says good, but not while all sources are silent', () => {
    const onHold = judged([hold('crl')]);
    expect(onHold.revocation).toMatchObject({ state: 'revoked', reason: 'certificateHold' });
    for (const silent of [[], [said('crl', 'stale')], [said('ocsp', 'unreachable')]])
      expect(judged(silent, { now: NOW + 1000, previous: onHold }).revocation.state).toBe('revoked');
    const lifted = judged([said('ocsp', 'good')], { now: NOW + 1000, previous: onHold });
    expect(lifted).toMatchObject({ trusted: true, revocation: { state: 'good', source: 'ocsp' } });
    expect(lifted.lastSeen?.revoked ?? []).toEqual([]);
    expect(judged([], { now: NOW + 2000, previous: lifted }).revocation.state).toBe('unknown');
  });

  /** A hold since two days ago. */
  const hold = (source: RevocationEvidence['source']): RevocationEvidence => {
    const held = said(source, 'revoked');
    if (held.answer.state === 'revoked') held.answer = { ...held.answer, reason: 'certificateHold' };
    return held;
  };

  it('does not end by an answer that was signed before the hold began, such as an old staple', () => {
    const old = said('staple', 'good');
    if (old.answer.state === 'good') old.answer = { ...old.answer, thisUpdate: NOW - 3 * DAY };
    const verdict = judged([old, said('crl', 'unreachable')], { previous: judged([hold('crl')]) });
    expect(verdict.revocation).toMatchObject({ state: 'revoked', reason: 'certificateHold' });
  });

  it('is final as soon as one source says so, although another one says that the certificate is on hold', () => {
    const once = judged([hold('crl'), said('ocsp', 'revoked')]);
    const later = judged([said('crl', 'revoked')], { now: NOW + 1000, previous: judged([hold('crl')]) });
    for (const previous of [once, later]) {
      expect(previous.revocation).toMatchObject({ state: 'revoked', reason: 'keyCompromise' });
      const verdict = judged([said('crl', 'good')], { now: NOW + 2000, previous });
      expect(verdict.revocation).toMatchObject({ state: 'revoked', reason: 'keyCompromise' });
      const heldAgain = judged([hold('crl')], { now: NOW + 3000, previous: verdict });
      expect(heldAgain.lastSeen?.revoked).toMatchObject([{ reason: 'keyCompromise' }]);
    }
  });

  it('stays while the host cannot be reached', () => {
    const verdict = judge(observation([]), NOW + DAY, trustStore, before);
    expect(verdict).toMatchObject({ reached: false, revocation: { state: 'revoked' } });
    expect(verdict.lastSeen).toEqual(before.lastSeen);
  });

  it('is matched by issuer and serial number, so it covers a re-encoded certificate but not a renewal', () => {
    const serialNumber = 4711n;
    const [one, again] = [issue({ serialNumber }), issue({ serialNumber })];
    const first = judged([said('crl', 'revoked', one)], { shown: one });
    const verdict = judged([], { shown: again, previous: first });
    expect(verdict.findings).toMatchObject([{ code: 'revoked', fingerprint: again.fingerprint }]);
    expect(verdict.lastSeen?.revoked).toMatchObject([{ fingerprint: one.fingerprint, served: true }]);

    const renewed = judged([], { previous: first });
    expect(renewed).toMatchObject({ trusted: true, revocation: { state: 'unknown' } });
    expect(renewed.lastSeen?.revoked).toMatchObject([{ fingerprint: one.fingerprint, served: false }]);
    const back = judged([], { shown: one, previous: renewed });
    expect(codes(back)).toContain('revoked');
    expect(back.lastSeen?.revoked).toMatchObject([{ served: true }]);
  });

  it('is remembered for at most 20 certificates', () => {
    let previous: Verdict | null = null;
    for (let count = 0; count < 25; count++) {
      const shown = intermediate.issue(currentOptions);
      previous = judged([said('crl', 'revoked', shown)], { shown, previous });
    }
    expect(previous?.lastSeen?.revoked).toHaveLength(20);
  });
});

describe('a pending revocation answer', () => {
  it('keeps the previous good answer while that is valid', () => {
    const good = judged([said('crl', 'good')]);
    const pending = [said('crl', 'pending')];
    const soon = judged(pending, { now: NOW + 1000, previous: good });
    expect(soon.revocation).toMatchObject({ state: 'good', source: 'crl', at: NOW });
    expect(judged(pending, { now: NOW + 2000, previous: soon }).revocation.state).toBe('good');
    expect(judged(pending, { now: NOW + 2 * DAY, previous: good }).revocation.state).toBe('unknown');
    expect(judged(pending, { shown: issue(), previous: good }).revocation.state).toBe('unknown');
    expect(judged([said('crl', 'unreachable')], { previous: good }).revocation.state).toBe('unavailable');
  });

  it('keeps a previous answer without nextUpdate for a week', () => {
    const endless = said('ocsp', 'good');
    const thisUpdate = NOW;
    endless.answer = { state: 'good', reason: null, revokedAt: null, thisUpdate, nextUpdate: null };
    const good = judged([endless]);
    expect(good.revocation.state).toBe('good');
    const stateAt = (now: number) =>
      judged([said('ocsp', 'pending')], { now, previous: good }).revocation.state;
    expect(stateAt(NOW + 7 * DAY)).toBe('good');
    expect(stateAt(NOW + 7 * DAY + 1)).toBe('unknown');
    expect(judged([endless], { now: NOW + 7 * DAY + 1 }).revocation.state).toBe('unavailable');
  });
});
