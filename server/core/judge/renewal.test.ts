import { describe, expect, it } from 'vitest';
import { currentOptions, DAY, inWords, issue, judged, NOW } from '../../../tests/kit/certificates/judging.ts';
import { renewalOverdueAt } from '../alert-steps.ts';
import type { RenewalEvidence } from '../observation.ts';

/** A leaf with a lifetime of 90 days, of which 30 have passed. */
const leaf = issue();
const normal = currentOptions.notBefore + 60 * DAY;

function window(start: number, end: number, explanationUrl: string | null = null): RenewalEvidence {
  return { fingerprint: leaf.fingerprint, at: NOW, outcome: 'window', start, end, explanationUrl };
}
const judgedWith = (renewal: RenewalEvidence[], now = NOW) => judged(leaf, { renewal }, null, now);

describe('the renewal period', () => {
  it('is the window of the CA if it is known, else the last third of the lifetime', () => {
    const published = window(normal, normal + 2 * DAY);
    expect(judgedWith([published])).toMatchObject({
      renewal: { from: normal, to: normal + 2 * DAY, source: 'ari', explanationUrl: null },
      lastSeen: { expiring: [{ renewalWindow: { start: normal, end: normal + 2 * DAY } }] },
      findings: [],
    });
    for (const nothing of [
      [],
      [{ fingerprint: leaf.fingerprint, at: NOW, outcome: 'unsupported' as const }],
    ]) {
      expect(judgedWith(nothing).renewal).toEqual({
        from: normal,
        to: currentOptions.notAfter,
        source: 'lifetime',
        explanationUrl: null,
        overdueAt: renewalOverdueAt(currentOptions),
      });
    }
  });

  it('ignores a window of another certificate or one that ends before it starts', () => {
    expect(judgedWith([{ ...window(normal, normal), fingerprint: 'other' }]).renewal?.source).toBe(
      'lifetime',
    );
    expect(judgedWith([window(normal, normal - 1)]).renewal?.source).toBe('lifetime');
  });

  it('ignores a window that starts when the certificate has ended', () => {
    const { notAfter } = currentOptions;
    expect(judgedWith([window(notAfter, notAfter + DAY)]).renewal).toMatchObject({
      to: notAfter,
      source: 'lifetime',
    });
    expect(judgedWith([window(notAfter - 1, notAfter + DAY)]).renewal?.source).toBe('ari');
  });
});

describe('a renewal window of an earlier check', () => {
  const before = judgedWith([window(normal, normal + DAY, 'https://ca.fjord.example/why')]);
  const then = (renewal: RenewalEvidence[], shown = leaf) =>
    judged(shown, { renewal }, before, NOW + 1).renewal;
  const nothing = { fingerprint: leaf.fingerprint, at: NOW + 1 };

  it('is kept while the CA does not answer, and dropped if the CA offers none for this certificate', () => {
    expect(then([])).toEqual(before.renewal);
    expect(then([{ ...nothing, outcome: 'unavailable' }])).toEqual(before.renewal);
    expect(then([{ ...nothing, outcome: 'unsupported' }])?.source).toBe('lifetime');
    expect(then([window(normal + DAY, normal + 2 * DAY)])).toMatchObject({ from: normal + DAY });
    expect(then([], issue())?.source).toBe('lifetime');
  });
});

describe('an overdue renewal', () => {
  it('is reported from the end of the renewal window on', () => {
    const end = normal + 2 * DAY;
    expect(judgedWith([window(normal, end)], end - 1).findings).toEqual([]);
    expect(inWords(judgedWith([window(normal, end)], end)).findings).toMatchObject([
      {
        code: 'renewal_overdue',
        severity: 'warning',
        message:
          'The certificate should have been renewed by 22 December 2026, 14:30 UTC. It expires on 19 January 2027, 14:30 UTC.',
      },
    ]);
  });

  it('is reported from a quarter of the lifetime before expiry if there is no window, but not after expiry', () => {
    const due = currentOptions.notAfter - 22.5 * DAY;
    expect(judgedWith([], due - 1).findings).toEqual([]);
    expect(judgedWith([], due).findings).toMatchObject([{ code: 'renewal_overdue' }]);
    expect(judgedWith([], currentOptions.notAfter + 1000).findings.map(({ code }) => code)).toEqual([
      'expired',
    ]);
  });
});

describe('a replacement that the CA wants', () => {
  const url = 'https://ca.fjord.example/incident';

  it('is reported with its explanation', () => {
    expect(inWords(judgedWith([window(NOW - 1, normal, url)])).findings).toMatchObject([
      {
        code: 'replacement_wanted',
        severity: 'warning',
        message: 'Your CA wants this certificate replaced now, and explains why.',
        evidence: [{}, { label: 'Explanation', value: url }],
      },
    ]);
    expect(judgedWith([window(NOW - 1, normal, url)]).renewal?.explanationUrl).toBe(url);
  });

  it('is detected by a window far earlier than usual', () => {
    const early = [window(currentOptions.notBefore + 20 * DAY, currentOptions.notBefore + 21 * DAY)];
    expect(judgedWith(early).findings.map(({ code }) => code)).toEqual([
      'replacement_wanted',
      'renewal_overdue',
    ]);
    expect(inWords(judgedWith(early, currentOptions.notBefore + 10 * DAY)).findings[0]?.message).toBe(
      'Your CA wants this certificate replaced by 11 November 2026, 14:30 UTC, earlier than usual.',
    );
    expect(judgedWith([window(normal - 10 * DAY, normal - 5 * DAY)]).findings).toEqual([]);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'not a url'])('has no link to %s', (link) => {
    const { renewal, findings } = judgedWith([window(normal, normal + DAY, link)]);
    expect(renewal?.explanationUrl).toBeNull();
    expect(findings).toEqual([]);
  });
});
