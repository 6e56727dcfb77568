import { describe, expect, it } from 'vitest';
import {
  DAY,
  failedAddress,
  handshakeWith,
  HOST,
  inWords,
  issue,
  judged,
  judgedAddresses,
  NOW,
  withChain,
} from '../../../../tests/kit/certificates/judging.ts';
import { type MintedCertificate, selfSigned } from '../../../../tests/kit/certificates/mint.ts';
import { alternateChain, postureAt } from '../../../../tests/kit/product/observation.ts';
import { type Client, CLIENTS } from '../../../../contract/check-words.ts';
import { conditionsOf } from '../../alerting/conditions.ts';
import type { Observation, PostureObservation } from '../../observation.ts';
import { postureLines } from '../../report/report-posture.ts';
import type { Verdict } from '../../verdict.ts';
import { connectingClients } from './refusals.ts';

const EXPIRED = { notBefore: NOW - 90 * DAY, notAfter: NOW - DAY };
const ecdsa = issue();
const ders = (leaf: MintedCertificate) => withChain(leaf).map(({ der }) => der);

const refusing = (verdict: Verdict): Client[] =>
  connectingClients(verdict, 'https').flatMap(({ client, connects }) => (connects ? [] : [client]));

/** Returns the posture of a server that sends this leaf to `clients`, and the leaf of the usual handshake to all others. */
function sentTo(clients: readonly Client[], leaf: MintedCertificate): PostureObservation {
  const others = CLIENTS.filter((client) => !clients.includes(client));
  return postureAt(NOW, {
    alternates: [alternateChain('rsa', ders(leaf), { clients })],
    usual: { keyType: 'ecdsa', clients: others },
  });
}

describe('a certificate that only some clients get', () => {
  const expired = issue({ key: 'RSA-2048', ...EXPIRED });

  it.each([
    [['go', 'java', 'gnutls', 'windows'], 'warning'],
    [['firefox'], 'critical'],
    [['openssl', 'go'], 'critical'],
  ] as const)('is refused by %j if it has expired, with the severity %s', (clients, severity) => {
    const verdict = judged(ecdsa, { posture: sentTo(clients, expired) });
    const [finding] = verdict.findings;
    expect(finding).toMatchObject({ code: 'expired', severity, keyType: 'rsa', shownTo: clients });
    expect(refusing(verdict)).toEqual(clients);
    expect(verdict.trusted).toBe(severity === 'warning');
  });

  it('is reported with the names of these clients', () => {
    const verdict = judged(ecdsa, { posture: sentTo(['go', 'gnutls'], expired) });
    const [finding] = inWords(verdict).findings;
    expect(finding?.message).toMatch(/^Go and GnuTLS get another certificate, with an RSA key\. /);
    expect(finding?.clients).toEqual(['go', 'gnutls']);
    expect(verdict.posture && postureLines(verdict.posture).join('\n')).toContain(
      'Certificate with an RSA key, for Go and GnuTLS: ',
    );
  });

  it('is judged by the rules of the handshake that showed it', () => {
    const unusable = issue({ key: 'RSA-2048', keyUsage: ['keyEncipherment'] });
    const verdict = judged(ecdsa, { posture: sentTo(['openssl', 'go', 'gnutls'], unusable) });
    expect(verdict.findings).toMatchObject([
      { severity: 'warning', facts: { rule: 'no_digital_signature' }, clients: ['gnutls'] },
    ]);
  });

  it('raises an alert if a browser refuses its chain, or if it is revoked', () => {
    const broken = (leaf: MintedCertificate, changes: Partial<Observation> = {}) => {
      const verdict = judged(ecdsa, { posture: sentTo(['firefox'], leaf), ...changes });
      return conditionsOf(verdict, null, HOST).filter(({ problem }) => problem === 'chain_broken');
    };
    expect(broken(selfSigned({ dnsNames: [HOST] }))).toMatchObject([{ severity: 'critical' }]);
    expect(broken(issue({ key: 'RSA-2048' }))).toEqual([]);
    const revoked = issue({ key: 'RSA-2048' });
    const said = {
      fingerprint: revoked.fingerprint,
      source: 'crl',
      url: 'http://ca.fjord.example/1.crl',
      at: NOW,
    } as const;
    const status = {
      state: 'revoked',
      reason: null,
      revokedAt: NOW - DAY,
      thisUpdate: NOW - DAY,
      nextUpdate: NOW + DAY,
    } as const;
    expect(broken(revoked, { revocation: [{ ...said, answer: status }] })).toHaveLength(1);
  });

  it('causes a warning that names no client if the usual handshake shows both certificates in rotation', () => {
    const seen = [ecdsa, expired, ecdsa].reduce<Verdict | null>(
      (previous, leaf) => judged(leaf, {}, previous),
      null,
    );
    const verdict = judged(ecdsa, { posture: sentTo(['firefox'], expired) }, seen);
    expect(verdict.posture?.findings).toMatchObject([{ code: 'expired', severity: 'warning' }]);
    expect(verdict.posture?.usual).toBeUndefined();
    expect(refusing(verdict)).toEqual([]);
  });

  it('causes a warning that names no client if it is unknown which clients get it', () => {
    const verdict = judged(ecdsa, {
      posture: postureAt(NOW, { alternates: [alternateChain('rsa', ders(expired))] }),
    });
    expect(verdict.findings).toMatchObject([{ code: 'expired', severity: 'warning' }]);
    expect(refusing(verdict)).toEqual([]);
  });
});

describe('the certificate of the usual handshake, if some clients get another one', () => {
  const rsa = issue({ key: 'RSA-2048' });
  const expired = issue(EXPIRED);
  const daily = judged(expired, { posture: sentTo(['chromium', 'firefox', 'apple', 'openssl'], rsa) });
  const withoutAlternates = ['go', 'java', 'gnutls', 'windows'];

  it('causes a warning if it has expired and neither a browser nor OpenSSL gets it', () => {
    expect(daily.findings).toMatchObject([{ code: 'expired', severity: 'warning' }]);
    expect(refusing(daily)).toEqual(withoutAlternates);
  });

  it('is judged for the clients that get it until the next posture check, also after an outage and a renewal', () => {
    expect(refusing(judged(expired, {}, daily))).toEqual(withoutAlternates);
    const away = judgedAddresses([failedAddress()], {}, daily);
    expect(refusing(judged(issue(EXPIRED), {}, away))).toEqual(withoutAlternates);
    expect(refusing(judged(expired, { posture: postureAt(NOW) }, daily))).toEqual([...CLIENTS]);
  });

  it('is judged for all clients once its key has another type, or once it is the certificate that only some clients got before', () => {
    expect(refusing(judged(issue({ key: 'Ed25519', ...EXPIRED }), {}, daily))).toEqual([...CLIENTS]);
    const alternates = [alternateChain('ecdsa', ders(expired), { clients: ['java' as const] })];
    const posture = postureAt(NOW, { alternates, usual: { keyType: 'ecdsa', clients: ['chromium'] } });
    expect(refusing(judged(expired, {}, judged(ecdsa, { posture })))).toEqual([...CLIENTS]);
  });

  it('is judged by earlier results while the test of certificates is postponed', () => {
    const posture = postureAt(NOW, { postponed: ['certificates'], untestedKeyTypes: ['rsa'] });
    expect(refusing(judged(expired, { posture }, daily))).toEqual(withoutAlternates);
  });

  it('counts for all clients at an address that the posture did not test and that serves another leaf', () => {
    const posture = sentTo(['go', 'java', 'gnutls', 'windows'], rsa);
    const both = (elsewhere: MintedCertificate): Verdict =>
      judgedAddresses(
        [handshakeWith(withChain(ecdsa)), handshakeWith(withChain(elsewhere), { address: '192.0.2.2' })],
        {
          posture,
        },
      );
    expect(refusing(both(expired))).toEqual([...CLIENTS]);
    expect(refusing(both(ecdsa))).toEqual([]);
  });
});

describe('certificates that only some clients get, while the test of certificates is postponed,', () => {
  const known = ['firefox', 'go'] as const;
  const postponed = ['certificates' as const];

  it('are still judged for the clients that got them, if their key type is that of the usual leaf', () => {
    const expired = issue({ key: 'P-384', ...EXPIRED });
    const alternates = [alternateChain('ecdsa', ders(expired), { clients: known })];
    const usual = {
      keyType: 'ecdsa' as const,
      clients: CLIENTS.filter((one) => !known.some((k) => k === one)),
    };
    const daily = judged(ecdsa, { posture: postureAt(NOW, { alternates, usual }) });
    const later = judged(ecdsa, { posture: postureAt(NOW, { postponed, untestedKeyTypes: ['rsa'] }) }, daily);
    expect(refusing(later)).toEqual(known);
    expect(later.findings).toEqual(daily.findings);
  });

  it('are still judged for the clients that got them, if a posture check sees them without testing which clients get them', () => {
    const leaf = issue({ key: 'RSA-2048', ...EXPIRED });
    const daily = judged(ecdsa, { posture: sentTo(known, leaf) });
    const again = (seen: MintedCertificate): Verdict =>
      judged(
        ecdsa,
        { posture: postureAt(NOW, { postponed, alternates: [alternateChain('rsa', ders(seen))] }) },
        daily,
      );
    expect(again(leaf).findings).toEqual(daily.findings);
    expect(again(leaf).posture?.alternates).toEqual(daily.posture?.alternates);
    expect(again(issue({ key: 'RSA-2048' })).findings).toEqual([]);
  });
});
