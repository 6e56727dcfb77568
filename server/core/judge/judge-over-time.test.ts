import { describe, expect, it } from 'vitest';
import {
  currentOptions,
  DAY,
  failedAddress,
  handshakeWith,
  intermediate,
  inWords,
  issue,
  judged,
  judgedAddresses,
  NOW,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import type { MintedCertificate } from '../../../tests/kit/certificates/mint.ts';
import { alternateChain, postureAt } from '../../../tests/kit/product/observation.ts';
import { MemoryOutbox } from '../../../tests/kit/alerting/memory-outbox.ts';
import { replacedCertificate } from '../alerting/conditions.ts';
import type { Observation } from '../observation.ts';
import type { Verdict } from '../verdict.ts';

const HOUR = DAY / 24;
const [a, b, c] = [issue({ notAfter: NOW + 50 * DAY }), issue(), issue({ notAfter: NOW + 70 * DAY })];

/** Judges a host over checks that show one certificate each, `every` ms apart. */
function watched(shown: readonly MintedCertificate[], every = HOUR) {
  const verdicts: Verdict[] = [];
  let replaced = 0;
  for (const [index, leaf] of shown.entries()) {
    const at = NOW + index * every;
    const previous = verdicts.at(-1) ?? null;
    const verdict = judged(leaf, { observedAt: at }, previous, at);
    if (replacedCertificate(previous, verdict) !== null) replaced += 1;
    verdicts.push(verdict);
  }
  const last = verdicts.at(-1);
  if (last === undefined) throw new Error('Nothing was shown');
  return {
    last,
    verdicts,
    replaced,
    expiring: last.lastSeen?.expiring.map(({ fingerprint }) => fingerprint),
  };
}
const codes = ({ findings }: Verdict) => findings.map(({ code }) => code);

describe('certificates that alternate at one address', () => {
  it('cause one finding, and count as a replacement only the first time', () => {
    const { last, verdicts, replaced, expiring } = watched([a, b, a, b, b, a, b]);
    expect(replaced).toBe(1);
    const known = verdicts.slice(2).map(({ lastSeen }) => lastSeen?.findings);
    for (const findings of known)
      expect(findings).toEqual([{ code: 'certificates_differ', fingerprint: a.fingerprint }]);
    expect(inWords(last).findings).toMatchObject([
      {
        code: 'certificates_differ',
        severity: 'note',
        message:
          'The host alternates between 2 certificates, probably from several servers behind one address. The earliest expires on 9 January 2027, 14:30 UTC.',
      },
    ]);
    expect(expiring?.toSorted()).toEqual([a.fingerprint, b.fingerprint].toSorted());
  });

  it('cause one alert about the expiring one, whichever of them a check sees', () => {
    const old = issue({ notBefore: NOW - 80 * DAY, notAfter: NOW + 10 * DAY });
    const outbox = new MemoryOutbox();
    let previous: Verdict | null = null;
    for (const [index, leaf] of [old, b, old, b, old, b].entries()) {
      const now = NOW + index * 2 * 60_000;
      const verdict = judged(leaf, { observedAt: now }, previous, now);
      outbox.recordCheck({ verdict, previous, now });
      previous = verdict;
    }
    expect(outbox.sent).toMatchObject([{ key: `expiry ${old.fingerprint}`, step: 'warning' }]);
    expect(previous?.findings).toMatchObject([{ code: 'certificates_differ', severity: 'warning' }]);
  });

  it('are not reported for a plain renewal, nor after a renewal that replaces both', () => {
    expect(codes(watched([a, a, b, b, b]).last)).toEqual([]);
    const renewed = watched([a, b, a, b, c]);
    expect(codes(renewed.last)).toEqual([]);
    expect(renewed.replaced).toBe(2);
    expect(renewed.expiring).toEqual([c.fingerprint]);
  });

  it('are no longer reported when one of them was not seen for eight checks or some days', () => {
    expect(codes(watched([a, b, ...Array<typeof a>(7).fill(a)]).last)).toEqual(['certificates_differ']);
    expect(codes(watched([a, b, ...Array<typeof a>(8).fill(a)]).last)).toEqual([]);
    expect(codes(watched([a, b, a], DAY).last)).toEqual(['certificates_differ']);
    expect(codes(watched([a, b, a, a, a, a], DAY).last)).toEqual([]);
  });

  it('are remembered, but at most six of them', () => {
    const many = Array.from({ length: 12 }, () => issue());
    expect(watched(many).last.lastSeen?.turns).toHaveLength(6);
  });
});

describe('certificates that differ between addresses', () => {
  const at = (index: number, leaf: MintedCertificate) =>
    handshakeWith(withChain(leaf), { address: `192.0.2.${index}` });
  const six = (old: MintedCertificate, fresh: MintedCertificate) =>
    judgedAddresses([1, 2, 3, 4, 5, 6].map((index) => at(index, index < 3 ? old : fresh)));

  it('are reported with the addresses that still serve the old certificate', () => {
    const { findings } = inWords(six(a, b));
    expect(findings).toMatchObject([
      {
        code: 'certificates_differ',
        message:
          '2 of 6 addresses still serve the old certificate, which expires on 9 January 2027, 14:30 UTC.',
        fix: 'Install the new certificate on the servers at 192.0.2.1 and 192.0.2.2 too, and reload them.',
        addresses: ['192.0.2.1', '192.0.2.2'],
      },
    ]);
    expect(findings[0]?.command).toContain('for ip in 192.0.2.1 192.0.2.2 192.0.2.3');
  });

  it('are reported with the first three addresses to update and the number of further ones', () => {
    const verdict = judgedAddresses([1, 2, 3, 4, 5, 6].map((index) => at(index, index < 6 ? a : b)));
    expect(inWords(verdict).findings[0]?.fix).toBe(
      'Install the new certificate on the servers at 192.0.2.1, 192.0.2.2, 192.0.2.3 and 2 other addresses too, and reload them.',
    );
  });

  it('are reported as expiring earlier, not as old, if their names differ', () => {
    const other = issue({ dnsNames: [...currentOptions.dnsNames, 'www.fjord.example'] });
    expect(inWords(six(a, other)).findings[0]?.message).toMatch(
      /^2 of 6 addresses serve a certificate that expires earlier/,
    );
  });

  it('are reported once, even if they also alternate', () => {
    const first = six(a, b);
    const second = judgedAddresses([at(1, b)], { observedAt: NOW + 1 }, first, NOW + 1);
    const { findings } = judgedAddresses([at(1, a), at(2, b)], { observedAt: NOW + 2 }, second, NOW + 2);
    expect(findings.filter(({ code }) => code === 'certificates_differ')).toHaveLength(1);
  });
});

describe('the posture (TLS versions, other key types, CAA; examined once a day)', () => {
  const rsa = issue({ key: 'RSA-2048', notBefore: NOW - 89 * DAY, notAfter: NOW + DAY });
  const posture = postureAt(NOW, {
    tlsVersions: [{ version: 'TLSv1.3', offered: true }],
    postQuantum: { state: 'negotiated', group: 'X25519MLKEM768' },
    alternates: [
      alternateChain(
        'ecdsa',
        withChain(b).map(({ der }) => der),
      ),
      alternateChain(
        'rsa',
        withChain(rsa).map(({ der }) => der),
      ),
    ],
  });
  const daily = judged(b, { posture });

  it('includes a leaf that the usual handshake does not show, with its faults', () => {
    expect(daily.posture).toMatchObject({
      at: NOW,
      alternates: [{ keyType: 'rsa', certificate: { fingerprint: rsa.fingerprint, role: 'leaf' } }],
      findings: [{ code: 'renewal_overdue', severity: 'warning', fingerprint: rsa.fingerprint }],
    });
    expect(daily.findings).toEqual(daily.posture?.findings);
    const [finding] = inWords(daily).findings;
    expect(finding?.message).toMatch(
      /^Clients that accept only RSA signatures get a different certificate\. /,
    );
    expect(finding?.command).toContain('-sigalgs');
    expect(daily.trusted).toBe(true);
  });

  it('is kept until the next examination, even through an outage, and counts for alerts', () => {
    const later = { observedAt: NOW + HOUR };
    const plain = judged(b, later, daily, NOW + HOUR);
    expect(plain.posture).toEqual(daily.posture);
    expect(plain.findings).toEqual(daily.findings);
    expect(plain.lastSeen?.expiring.map(({ fingerprint }) => fingerprint)).toEqual([
      b.fingerprint,
      rsa.fingerprint,
    ]);
    expect(judgedAddresses([failedAddress()], {}, plain, NOW + HOUR).posture).toEqual(daily.posture);
    const gone = { ...posture, at: NOW + DAY, alternates: [] };
    const next = judged(b, { posture: gone }, plain, NOW + DAY);
    expect(next).toMatchObject({ findings: [], posture: { alternates: [] } });
  });

  it('keeps the earlier results of postponed parts, with their times and findings', () => {
    const at = NOW + DAY;
    const partial: NonNullable<Observation['posture']> = {
      ...posture,
      at,
      tlsVersions: [
        { version: 'TLSv1.2', offered: false },
        { version: 'TLSv1.3', offered: null },
      ],
      postQuantum: { state: 'unknown', group: null },
      alternates: [],
      untestedKeyTypes: ['rsa', 'ed25519'],
      postponed: ['certificates', 'key_exchange', 'tls_versions'],
    };
    const judgedWith = (seen: typeof partial, previous: Verdict | null) =>
      judged(b, { posture: seen, observedAt: seen.at }, previous, seen.at);
    const next = judgedWith(partial, daily);
    const earlier = partial.postponed?.map((part) => ({ part, at: NOW }));
    expect(next.posture).toEqual({
      ...daily.posture,
      at,
      tlsVersions: [
        { version: 'TLSv1.2', offered: false },
        { version: 'TLSv1.3', offered: true },
      ],
      earlier,
    });
    expect(next.findings).toEqual(daily.findings);
    expect(next.lastSeen?.expiring).toEqual(daily.lastSeen?.expiring);
    // The results keep their times however often the tests are postponed.
    expect(judgedWith({ ...partial, at: at + DAY }, next).posture).toEqual({ ...next.posture, at: at + DAY });
    const { postponed: _, ...complete } = partial;
    expect(judgedWith(complete, next).posture).toMatchObject({
      alternates: [],
      untestedKeyTypes: ['rsa', 'ed25519'],
    });
    expect(judgedWith(complete, next).posture?.earlier).toBeUndefined();
  });

  it('says which parts were never tested', () => {
    const untested: NonNullable<Observation['posture']> = {
      ...posture,
      alternates: [],
      untestedKeyTypes: ['rsa'],
      postponed: ['certificates'],
    };
    const first = judged(b, { posture: untested });
    expect(first.posture).toMatchObject({
      untestedKeyTypes: ['rsa'],
      earlier: [{ part: 'certificates', at: null }],
    });
  });
});

describe('the certificate for clients that send no ALPN', () => {
  const other = intermediate.issue({
    ...currentOptions,
    dnsNames: ['turn.fjord.example', 'a.example', 'b.example', 'c.example'],
    notAfter: NOW + 20 * DAY,
  });
  const posture = (leaf: MintedCertificate) =>
    postureAt(NOW, {
      withoutAlpn: { address: '192.0.2.1', presentedChain: withChain(leaf).map(({ der }) => der) },
    });

  it('causes a warning that names it if it is not the usual one; no client counts as refusing the host', () => {
    const verdict = judged(b, { posture: posture(other) });
    expect(verdict).toMatchObject({ trusted: true, leafFingerprint: b.fingerprint });
    expect(verdict.lastSeen?.expiring.map(({ fingerprint }) => fingerprint)).toEqual([b.fingerprint]);
    const { findings, clients } = inWords(verdict);
    expect(findings).toMatchObject([
      {
        code: 'other_certificate_without_alpn',
        severity: 'warning',
        fingerprint: other.fingerprint,
        addresses: ['192.0.2.1'],
        clients: [],
        message:
          'Clients that send no ALPN, such as old programs and monitoring tools, get another certificate: turn.fjord.example, valid until 10 December 2026, 14:30 UTC.',
      },
    ]);
    expect(findings[0]?.evidence).toContainEqual({
      label: 'Names',
      value: 'turn.fjord.example, a.example, b.example and 1 more',
    });
    expect(clients.every(({ connects }) => connects)).toBe(true);
  });

  it('is no finding if another address also serves it, or if the servers of the address rotate', () => {
    const beside = [handshakeWith(withChain(b)), handshakeWith(withChain(other), { address: '192.0.2.2' })];
    const shared = judgedAddresses(beside, { posture: posture(other) });
    expect(shared.posture?.findings).toEqual([]);
    const rotating = [b, other, b].reduce<Verdict | null>((previous, leaf, index) => {
      const at = { observedAt: NOW + index, posture: posture(other) };
      return judged(leaf, at, previous, NOW + index);
    }, null);
    expect(rotating?.posture?.findings).toEqual([]);
  });
});

describe('a verdict of an older version', () => {
  it('can be the previous verdict of a new check', () => {
    const full = judged(a);
    const { at, leafFingerprint, expiring, findings } = full.lastSeen ?? { at: 0 };
    const old = JSON.parse(
      JSON.stringify({ ...full, posture: undefined, lastSeen: { at, leafFingerprint, expiring, findings } }),
    ) as Verdict;
    expect(judged(a, {}, old)).toEqual(full);
    expect(replacedCertificate(old, full)).toBeNull();
    expect(judgedAddresses([], {}, old).lastSeen).toEqual(old.lastSeen);
  });
});
