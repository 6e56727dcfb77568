import { describe, expect, it } from 'vitest';
import {
  answer,
  DAY,
  failed,
  HOST,
  inWords,
  issue,
  judged,
  judgedAddresses,
  NOW,
  withChain,
} from '../../../../tests/kit/certificates/judging.ts';
import { type MintedCertificate, selfSigned } from '../../../../tests/kit/certificates/mint.ts';
import { alternate, postureAt } from '../../../../tests/kit/product/observation.ts';
import { CLIENTS, type Client } from '../../../../contract/check-words.ts';
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

/** Returns the posture of a server that sends another leaf to `clients`, and the usual one to all others. */
function sentTo(clients: readonly Client[], leaf: MintedCertificate): PostureObservation {
  const others = CLIENTS.filter((client) => !clients.includes(client));
  return postureAt(NOW, {
    alternates: [alternate('rsa', ders(leaf), { clients })],
    usual: { keyType: 'ecdsa', clients: others },
  });
}

describe('a certificate that only some clients get', () => {
  const expired = issue({ key: 'RSA-2048', ...EXPIRED });

  it.each([
    [['go', 'java', 'gnutls', 'windows'], 'warning'],
    [['firefox'], 'critical'],
    [['openssl', 'go'], 'critical'],
  ] as const)('that has expired is refused by %j, which is %s', (clients, severity) => {
    const verdict = judged(ecdsa, { posture: sentTo(clients, expired) });
    const [finding] = verdict.findings;
    expect(finding).toMatchObject({ code: 'expired', severity, keyType: 'rsa', shownTo: clients });
    expect(refusing(verdict)).toEqual(clients);
    expect(verdict.trusted).toBe(severity === 'warning');
  });

  it('is reported with the names of those who get it', () => {
    const verdict = judged(ecdsa, { posture: sentTo(['go', 'gnutls'], expired) });
    const [finding] = inWords(verdict).findings;
    expect(finding?.message).toMatch(/^Go and GnuTLS get another certificate, with an RSA key\. /);
    expect(finding?.clients).toEqual(['go', 'gnutls']);
    expect(verdict.posture && postureLines(verdict.posture).join('\n')).toContain(
      'Certificate with an RSA key, for Go and GnuTLS: ',
    );
  });

  it('is judged by the handshake in which these clients get it', () => {
    const unusable = issue({ key: 'RSA-2048', keyUsage: ['keyEncipherment'] });
    const verdict = judged(ecdsa, { posture: sentTo(['openssl', 'go', 'gnutls'], unusable) });
    expect(verdict.findings).toMatchObject([
      { severity: 'warning', facts: { rule: 'no_digital_signature' }, clients: ['gnutls'] },
    ]);
  });

  it('raises an alert about the chain if a browser refuses it, also if it is revoked', () => {
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

  it('is a warning that names nobody if the usual handshake also showed it, by turns', () => {
    const seen = [ecdsa, expired, ecdsa].reduce<Verdict | null>(
      (previous, leaf) => judged(leaf, {}, previous),
      null,
    );
    const verdict = judged(ecdsa, { posture: sentTo(['firefox'], expired) }, seen);
    expect(verdict.posture?.findings).toMatchObject([{ code: 'expired', severity: 'warning' }]);
    expect(verdict.posture?.usual).toBeUndefined();
    expect(refusing(verdict)).toEqual([]);
  });

  it('is a warning that names nobody if it is not known who gets it', () => {
    const verdict = judged(ecdsa, {
      posture: postureAt(NOW, { alternates: [alternate('rsa', ders(expired))] }),
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

  it('is refused only by those that get it, which is a warning without browsers and OpenSSL', () => {
    expect(daily.findings).toMatchObject([{ code: 'expired', severity: 'warning' }]);
    expect(refusing(daily)).toEqual(withoutAlternates);
  });

  it('is judged so until the next posture check, also after an outage and a renewal', () => {
    expect(refusing(judged(expired, {}, daily))).toEqual(withoutAlternates);
    const away = judgedAddresses([failed()], {}, daily);
    expect(refusing(judged(issue(EXPIRED), {}, away))).toEqual(withoutAlternates);
    expect(refusing(judged(expired, { posture: postureAt(NOW) }, daily))).toEqual([...CLIENTS]);
  });

  it('is judged for all clients if its key has another type, or if all get the other one now', () => {
    expect(refusing(judged(issue({ key: 'Ed25519', ...EXPIRED }), {}, daily))).toEqual([...CLIENTS]);
    const alternates = [alternate('ecdsa', ders(expired), { clients: ['java' as const] })];
    const posture = postureAt(NOW, { alternates, usual: { keyType: 'ecdsa', clients: ['chromium'] } });
    expect(refusing(judged(expired, {}, judged(ecdsa, { posture })))).toEqual([...CLIENTS]);
  });

  it('is judged by earlier results while the test of certificates is postponed', () => {
    const posture = postureAt(NOW, { postponed: ['certificates'], untestedKeyTypes: ['rsa'] });
    expect(refusing(judged(expired, { posture }, daily))).toEqual(withoutAlternates);
  });

  it('is judged for all clients at another address, if the one that was tested has another leaf', () => {
    const posture = sentTo(['go', 'java', 'gnutls', 'windows'], rsa);
    const both = (elsewhere: MintedCertificate): Verdict =>
      judgedAddresses([answer(withChain(ecdsa)), answer(withChain(elsewhere), { address: '192.0.2.2' })], {
        posture,
      });
    expect(refusing(both(expired))).toEqual([...CLIENTS]);
    expect(refusing(both(ecdsa))).toEqual([]);
  });
});

describe('certificates of which the test is postponed', () => {
  const known = ['firefox', 'go'] as const;
  const postponed = ['certificates' as const];

  it('are still refused by the clients that get them, if the key has the usual type', () => {
    const expired = issue({ key: 'P-384', ...EXPIRED });
    const alternates = [alternate('ecdsa', ders(expired), { clients: known })];
    const usual = {
      keyType: 'ecdsa' as const,
      clients: CLIENTS.filter((one) => !known.some((k) => k === one)),
    };
    const daily = judged(ecdsa, { posture: postureAt(NOW, { alternates, usual }) });
    const later = judged(ecdsa, { posture: postureAt(NOW, { postponed, untestedKeyTypes: ['rsa'] }) }, daily);
    expect(refusing(later)).toEqual(known);
    expect(later.findings).toEqual(daily.findings);
  });

  it('are still refused by these clients, if they were seen without learning who gets them', () => {
    const leaf = issue({ key: 'RSA-2048', ...EXPIRED });
    const daily = judged(ecdsa, { posture: sentTo(known, leaf) });
    const again = (seen: MintedCertificate): Verdict =>
      judged(
        ecdsa,
        { posture: postureAt(NOW, { postponed, alternates: [alternate('rsa', ders(seen))] }) },
        daily,
      );
    expect(again(leaf).findings).toEqual(daily.findings);
    expect(again(leaf).posture?.alternates).toEqual(daily.posture?.alternates);
    expect(again(issue({ key: 'RSA-2048' })).findings).toEqual([]);
  });
});
