import { describe, expect, it } from 'vitest';
import {
  currentOptions,
  DAY,
  handshakeWith,
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
import { CLIENTS } from '../../../contract/check-words.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { clientsRefusing } from './clients/refusals.ts';
import { isAwaiting } from './previous-verdict.ts';
import { judge } from './judge.ts';
import type { FoundIntermediate } from '../observation.ts';
import type { Verdict } from '../verdict.ts';

const publicStore = createTrustStore([root.der], { arePublic: true });
const fetched = ({ der }: MintedCertificate): FoundIntermediate => ({
  der: new Uint8Array(der),
  source: 'fetched',
  url: 'http://ca.fjord.example/1.cer',
});
const cached = ({ der }: MintedCertificate): FoundIntermediate => ({
  der: new Uint8Array(der),
  source: 'cache',
  url: null,
});

function verdictOn(
  presented: readonly MintedCertificate[],
  authorities: FoundIntermediate[] = [],
  store = trustStore,
): Verdict {
  return judge(observation([handshakeWith(presented)], { authorities }), NOW, store);
}
const codes = ({ findings }: Verdict) => findings.map(({ code, severity }) => `${severity} ${code}`);

/** Issues a leaf that names the URL of its issuer. */
const issueNaming = () => issue({ caIssuersUrls: ['http://ca.fjord.example/1.cer'] });

describe('an incomplete chain', () => {
  it('is reported with the missing intermediate and the file to send', () => {
    const leaf = issueNaming();
    const verdict = verdictOn([leaf], [fetched(intermediate)]);
    expect(inWords(verdict).findings).toEqual([
      {
        code: 'incomplete_chain',
        severity: 'warning',
        message:
          'Your server does not send the intermediate “Fjord CA 1”. Chrome and Safari may still connect; Firefox, curl, Java and many apps will not.',
        addresses: ['192.0.2.1'],
        fingerprint: leaf.fingerprint,
        fix: expect.stringMatching(/^Send this file: /),
        command: 'curl -sSI --cacert your-ca.pem https://pay.fjord.example/',
        evidence: [
          { label: 'Missing', value: 'Fjord CA 1' },
          { label: 'Sent', value: 'pay.fjord.example' },
          { label: 'your-ca.pem in the command', value: 'the file with your authority’s root' },
        ],
        attachment: 'chain',
        clients: ['firefox', 'openssl', 'go', 'java', 'gnutls'],
      },
    ]);
    expect(verdict.chainToServe).toEqual([leaf.fingerprint, intermediate.fingerprint]);
    expect(verdict.path.map(({ name, role, source }) => [name, role, source])).toEqual([
      ['pay.fjord.example', 'leaf', 'sent'],
      ['Fjord CA 1', 'intermediate', 'fetched'],
      ['Fjord Root', 'anchor', 'trust_store'],
    ]);
    expect(verdict.trusted).toBe(true);
  });

  it('is refused by Firefox only below a private root, because it ships the intermediates of public authorities', () => {
    const verdict = verdictOn([issue()], [fetched(intermediate)], publicStore);
    expect(inWords(verdict).findings.find(({ code }) => code === 'incomplete_chain')).toMatchObject({
      message:
        'Your server does not send the intermediate “Fjord CA 1”. Browsers may still connect; curl, Java and many apps will not.',
      clients: ['openssl', 'go', 'java', 'gnutls'],
    });
  });

  it('is refused by all clients below a private root if the certificate does not say where its issuer is', () => {
    const second = intermediate.intermediate({ commonName: 'Fjord CA 2', ...longValidity });
    const urls = { caIssuersUrls: ['http://ca.fjord.example/2.cer'] };
    for (const [leaf, known] of [
      [issue(), [cached(intermediate)]],
      [second.issue({ ...currentOptions, ...urls }), [fetched(second), cached(intermediate)]],
    ] as const) {
      const verdict = verdictOn([leaf], [...known]);
      const [finding] = verdict.findings;
      expect(finding).toMatchObject({ code: 'incomplete_chain', severity: 'critical' });
      expect(finding && clientsRefusing(finding)).toEqual(CLIENTS);
      expect(verdict.chainToServe).toContain(intermediate.fingerprint);
    }
    expect(codes(verdictOn([issue()], [cached(intermediate)], publicStore))).toContain(
      'warning incomplete_chain',
    );
  });

  it('is reported with every missing intermediate, whether cached or fetched', () => {
    const second = intermediate.intermediate({ commonName: 'Fjord CA 2', ...longValidity });
    const verdict = verdictOn([second.issue(currentOptions)], [cached(second), fetched(intermediate)]);
    expect(inWords(verdict).findings[0]?.message).toMatch(
      /the intermediates “Fjord CA 2” and “Fjord CA 1”\./,
    );
    expect(verdict.path.map(({ source }) => source)).toEqual(['sent', 'cache', 'fetched', 'trust_store']);
  });

  it('is a warning if the server sends an expired intermediate whose successor is known', () => {
    const old = { commonName: 'Fjord CA 1', key: intermediate.key, notBefore: NOW - 900 * DAY };
    const expired = root.intermediate({ ...old, notAfter: NOW - DAY });
    const verdict = verdictOn([issueNaming(), expired], [cached(intermediate)]);
    expect(codes(verdict)).toEqual(['warning intermediate_expired', 'note unused_certificate_expired']);
    expect(inWords(verdict).findings[0]).toMatchObject({
      message:
        'Your server sends the intermediate “Fjord CA 1”, which expired on 19 November 2026, 14:30 UTC. Chrome and Safari may still connect; Firefox, curl, Java and many apps will not.',
      attachment: 'chain',
    });
    expect(verdict.limiting?.fingerprint).toBe(expired.fingerprint);
  });

  it('is critical if no certificate completes it, and untrusted if it leads to an unknown root', () => {
    const stranger = mintAuthority({ commonName: 'Stranger Root', ...longValidity });
    const below = stranger.intermediate({ commonName: 'Stranger CA', ...longValidity });
    const leaf = below.issue({ ...currentOptions, caIssuersUrls: ['http://ca.stranger.example/1.cer'] });
    expect(codes(verdictOn([leaf]))).toEqual(['critical incomplete_chain']);
    const found = verdictOn([leaf], [fetched(below), fetched(stranger)]);
    expect(codes(found)).toEqual(['critical untrusted_root']);
    expect(found).toMatchObject({ trusted: false, path: [], chainToServe: null });
  });

  it('is judged for each address, and no file is offered for an address with another leaf', () => {
    const [soon, later] = [issue({ notAfter: NOW + 40 * DAY }), issue()];
    const addresses = [
      handshakeWith(withChain(soon), { address: '192.0.2.1' }),
      handshakeWith([later], { address: '192.0.2.2' }),
    ];
    const verdict = judge(observation(addresses, { authorities: [fetched(intermediate)] }), NOW, trustStore);
    const incomplete = inWords(verdict).findings.find(({ code }) => code === 'incomplete_chain');
    expect(incomplete).toMatchObject({
      addresses: ['192.0.2.2'],
      attachment: null,
      fix: expect.stringContaining('fullchain.pem'),
      command:
        'curl -sSI --cacert your-ca.pem --resolve pay.fjord.example:443:192.0.2.2 https://pay.fjord.example/',
    });
    expect(verdict.chainToServe?.[0]).toBe(soon.fingerprint);
  });
});

describe('certificates that a server sends but the path does not use', () => {
  it('are reported in one note, whether unrelated, roots or duplicates', () => {
    const leaf = issue();
    const stray = mintAuthority({ commonName: 'Stray Root', ...longValidity }).intermediate({
      commonName: 'Stray CA',
      ...longValidity,
    });
    const verdict = verdictOn([leaf, intermediate, root, stray, leaf]);
    expect(inWords(verdict).findings).toMatchObject([
      {
        code: 'extra_certificate',
        severity: 'note',
        message:
          'The server also sends 3 certificates that no client needs: “Fjord Root”, “Stray CA”, “pay.fjord.example”.',
        attachment: 'chain',
      },
    ]);
    expect(verdict.trusted).toBe(true);
  });

  it('do not include the certificate with which a root signs its new key', () => {
    const rolled = root.intermediate({ commonName: 'Fjord Root', ...longValidity });
    const below = rolled.intermediate({ commonName: 'Fjord CA 3', ...longValidity });
    const verdict = verdictOn([below.issue(currentOptions), below, rolled]);
    expect(verdict).toMatchObject({ trusted: true, findings: [] });
    expect(verdict.path.map(({ name }) => name)).toEqual([
      'pay.fjord.example',
      'Fjord CA 3',
      'Fjord Root',
      'Fjord Root',
    ]);
  });

  it('are not reported if older clients may need them', () => {
    const older = mintAuthority({ commonName: 'Older Root', ...longValidity });
    const crossSign = older.intermediate({ commonName: 'Fjord Root', key: root.key, ...longValidity });
    expect(verdictOn([issue(), intermediate, crossSign]).findings).toEqual([]);
  });
});

describe('a lifetime over the maximum', () => {
  const long = { ...currentOptions, notAfter: currentOptions.notBefore + 399 * DAY };

  it('is reported only for certificates below public roots', () => {
    const publicStore = createTrustStore([root.der], { arePublic: true });
    const verdict = verdictOn(withChain(issue(long)), [], publicStore);
    expect(inWords(verdict).findings).toMatchObject([
      {
        code: 'lifetime_too_long',
        severity: 'critical',
        clients: ['chromium', 'apple'],
        evidence: [{ value: '400 days' }, { value: '200 days' }],
      },
    ]);
    expect(verdictOn(withChain(issue(long))).findings).toEqual([]);
  });
});

it('findings about expired, weak or unsuitable certificates have evidence, a fix and a command', () => {
  const stranger = mintAuthority({ commonName: 'Stranger Root', ...longValidity });
  const old = stranger.issue({ ...currentOptions, dnsNames: ['x.example'], notAfter: NOW - DAY });
  for (const finding of [
    ...inWords(verdictOn([old, stranger])).findings,
    ...inWords(verdictOn(withChain(issue({ key: 'RSA-1024', hash: 'sha1' })))).findings,
    ...inWords(verdictOn(withChain(issue({ extendedKeyUsage: ['clientAuth'] })))).findings,
  ]) {
    expect(finding.evidence.length).toBeGreaterThan(0);
    expect(finding.fix).toMatch(/\.$/);
    expect(finding.command).toMatch(/^(curl|openssl) /);
  }
});

describe('an authority that is still being fetched', () => {
  const pending = (presented: readonly MintedCertificate[]) =>
    judge(observation([handshakeWith(presented)], { authoritiesPending: true }), NOW, trustStore);

  it('makes an incomplete chain only a warning, to be checked again', () => {
    const verdict = pending([issue()]);
    expect(inWords(verdict).findings).toMatchObject([
      {
        code: 'incomplete_chain',
        severity: 'warning',
        message:
          'The chain is incomplete: the server does not send “Fjord CA 1”. We are still looking for it elsewhere.',
      },
    ]);
    expect(isAwaiting(verdict)).toBe(true);
    expect(isAwaiting(verdictOn([issue()]))).toBe(false);
    expect(isAwaiting(verdictOn([issue()], [fetched(intermediate)]))).toBe(false);
  });

  it('is mentioned if a sent certificate leads to no trusted root', () => {
    const removed = mintAuthority({ commonName: 'Removed Root', ...longValidity });
    const { key, subjectDer } = intermediate;
    const cross = removed.intermediate({ key, subjectDer, ...longValidity });
    expect(inWords(pending([issue(), cross])).findings).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('still looking for another chain') as unknown },
    ]);
  });

  it('hides no fault of the leaf itself', () => {
    expect(codes(pending([issue({ notAfter: NOW - DAY })]))).toEqual([
      'critical expired',
      'warning incomplete_chain',
    ]);
  });
});
