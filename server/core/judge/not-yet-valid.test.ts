import { describe, expect, it } from 'vitest';
import {
  currentOptions,
  handshakeWith,
  HOST,
  inWords,
  issue,
  judged,
  judgedAddresses,
  NOW,
  root,
} from '../../../tests/kit/certificates/judging.ts';
import { CLIENTS } from '../../../contract/check-words.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import { conditionsOf } from '../alerting/conditions.ts';
import { connectingClients } from './clients/refusals.ts';
import { validFrom } from './path-findings.ts';

const startingIn = (seconds: number) => ({ notBefore: NOW + seconds * 1_000 });
const earlyLeaf = (seconds: number) => issue(startingIn(seconds));
const earlyIntermediate = (seconds: number) =>
  root
    .intermediate({ ...currentOptions, ...startingIn(seconds) })
    .issue({ ...currentOptions, dnsNames: [HOST] });

describe.each([
  ['leaf', earlyLeaf, 'not_yet_valid'],
  ['intermediate', earlyIntermediate, 'path_invalid'],
])('a %s that is not valid yet', (_role, early, code) => {
  it.each([
    [1, 1],
    [60, 1],
    [61, 2],
    [180, 3],
    [299, 5],
    [300, 5],
  ])('is a warning without an alert if it becomes valid in %i seconds', (seconds, minutes) => {
    const verdict = judged(early(seconds));
    expect(verdict).toMatchObject({
      trusted: true,
      findings: [{ code, severity: 'warning', facts: { minutes } }],
    });
    expect(validFrom(verdict.findings)).toBe(NOW + seconds * 1_000);
    expect(conditionsOf(verdict, null, HOST).map(({ problem }) => problem)).toEqual(['expiry']);
    expect(connectingClients(verdict, 'https').filter(({ connects }) => connects)).toEqual([]);
  });

  it.each([301, 600, 86_400])('is critical if it becomes valid in %i seconds', (seconds) => {
    const verdict = judged(early(seconds));
    expect(verdict).toMatchObject({ trusted: false, findings: [{ code, severity: 'critical' }] });
    expect(validFrom(verdict.findings)).toBeNull();
    expect(conditionsOf(verdict, null, HOST).map(({ problem }) => problem)).toContain('chain_broken');
  });

  it('has no finding once its notBefore is reached', () => {
    expect(judged(early(0)).findings).toEqual([]);
  });
});

describe('a certificate that becomes valid within minutes', () => {
  it('has a finding that says how many minutes are left, and that our clock may be slow', () => {
    expect(inWords(judged(earlyLeaf(150))).findings).toMatchObject([
      {
        message:
          'The certificate is not valid for 3 more minutes. Clients refuse it until then, unless our clock is slow.',
        fix: 'Wait until then. If each new certificate shows this, your authority’s clock is fast, or ours is slow.',
        clients: CLIENTS,
      },
    ]);
    expect(inWords(judged(earlyIntermediate(20))).findings[0]?.message).toMatch(
      /is not valid for 1 more minute\. Clients refuse it until then, unless our clock is slow\.$/,
    );
  });

  it('does not hide another fault', () => {
    const leaf = root
      .intermediate({ ...currentOptions, ...startingIn(60) })
      .issue({ ...currentOptions, ...startingIn(120), dnsNames: ['other.example'] });
    const verdict = judged(leaf);
    expect(verdict.findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'critical name_mismatch',
      'warning not_yet_valid',
      'warning path_invalid',
    ]);
    expect(validFrom(verdict.findings)).toBe(NOW + 2 * MINUTE_MS);
  });

  it('is reported together with the other early certificates of its path', () => {
    const leaf = root
      .intermediate({ ...currentOptions, ...startingIn(60) })
      .intermediate({ ...currentOptions, ...startingIn(180) })
      .issue({ ...currentOptions, dnsNames: [HOST] });
    expect(judged(leaf).findings).toMatchObject([{ facts: { minutes: 3 } }, { facts: { minutes: 1 } }]);
  });

  it('is not reported if another path is valid', () => {
    const key = root.intermediate(currentOptions);
    const late = root.intermediate({
      ...currentOptions,
      ...startingIn(60),
      commonName: 'Twin',
      key: key.key,
    });
    const good = root.intermediate({ ...currentOptions, commonName: 'Twin', key: key.key });
    const leaf = good.issue({ ...currentOptions, dnsNames: [HOST] });
    const { findings } = judgedAddresses([handshakeWith([leaf, good, late])]);
    expect(findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
  });
});
