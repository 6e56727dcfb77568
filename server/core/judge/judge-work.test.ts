import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HOSTILE_CHAINS, HOSTILE_HOST } from '../../../tests/kit/certificates/hostile-chains.ts';
import {
  handshakeWith,
  inWords,
  issue,
  NOW,
  observation,
  root,
  withChain,
} from '../../../tests/kit/certificates/judging.ts';
import { mintAuthority } from '../../../tests/kit/certificates/mint.ts';
import { parseCertificate } from '../../pki/certificate.ts';
import { buildPath } from '../../pki/path.ts';
import { createTrustStore } from '../../pki/trust-store.ts';
import { DEFAULT_WORK_PER_CHECK, WorkBudget } from '../../pki/work-budget.ts';
import { certificateFacts, readChain } from '../facts.ts';
import type { Observation } from '../observation.ts';
import { judge } from './judge.ts';

const strangersRoot = mintAuthority();
const trustStore = createTrustStore([strangersRoot.der]);
const now = Date.now();

afterEach(() => vi.restoreAllMocks());

/**
 * Returns an observation of twenty addresses that show the same chain, each followed by a different number of unreadable
 * certificates.
 */
function twentyAnswers(chain: readonly { der: Uint8Array }[]): Observation {
  const [leaf, ...others] = chain;
  const addresses = Array.from({ length: 20 }, (_, index) => {
    const stray = Array.from({ length: index }, () => ({ der: Uint8Array.of(0x30, index) }));
    return handshakeWith([...(leaf ? [leaf] : []), ...others, ...stray], { address: `192.0.2.${index}` });
  });
  return observation(addresses, { endpoint: { host: HOSTILE_HOST, port: 443, protocol: 'https' } });
}

describe.each(Object.entries(HOSTILE_CHAINS))('a hostile chain: %s', (_, mint) => {
  const chain = mint(strangersRoot);

  it('is within the number and size of certificates that a server may send', () => {
    expect(chain.length).toBeLessThanOrEqual(256);
    expect(chain.reduce((sum, { der }) => sum + der.length, 0)).toBeLessThan(100 * 1024);
    for (const { der } of chain) expect(() => parseCertificate(der)).not.toThrow();
  });

  it('needs fewer than 10,000 Unicode normalisations, none of more than 512 characters', () => {
    const unread = mint(strangersRoot);
    const normalize = vi.spyOn(String.prototype, 'normalize');
    judge(twentyAnswers(unread), now, trustStore);
    const lengths = normalize.mock.contexts.map((text) => String(text).length);
    expect(lengths.length).toBeLessThan(10_000);
    expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(512);
  });

  it('gets the same verdict with the same amount of work, whatever was judged before', () => {
    const judged = () => {
      const work = new WorkBudget();
      return { verdict: judge(twentyAnswers(chain), now, trustStore, null, work), spent: work.spent };
    };
    const first = judged();
    judge(twentyAnswers(withChain(issue())), NOW, createTrustStore([root.der]));
    expect(judged()).toEqual(first);
    expect(first.spent).toBeLessThanOrEqual(DEFAULT_WORK_PER_CHECK);
  });

  it('gets findings and facts of limited size', () => {
    const verdict = judge(twentyAnswers(chain), now, trustStore);
    for (const { message, evidence } of inWords(verdict).findings) {
      expect(message.length).toBeLessThan(2_000);
      for (const { value } of evidence) expect(value.length).toBeLessThan(140_000);
    }
    const facts = chain.map(({ der }) => certificateFacts(parseCertificate(der)));
    expect(JSON.stringify(facts).length).toBeLessThan(1_000_000);
    expect(readChain(chain.map(({ der }) => der))).toHaveLength(chain.length);
  });
});

describe('the work limit of a check', () => {
  const chain = HOSTILE_CHAINS['expanding directory names × constraints']?.(strangersRoot) ?? [];
  const little = () => new WorkBudget(DEFAULT_WORK_PER_CHECK / 10);

  it('is reported when it is exceeded: nothing is trusted, and no other fault is named', () => {
    const { trusted, findings, path } = inWords(judge(twentyAnswers(chain), now, trustStore, null, little()));
    expect(trusted).toBe(false);
    expect(path).toEqual([]);
    expect(findings.map(({ code, message }) => ({ code, message }))).toEqual([
      {
        code: 'path_invalid',
        message: 'We could not verify the certificate: its chain is too complex for one check.',
      },
    ]);
  });

  it('does not hide the faults of the leaf itself', () => {
    const later = parseCertificate(chain[0]?.der ?? Uint8Array.of()).notAfter + 86_400_000;
    const codes = judge(twentyAnswers(chain), later, trustStore, null, little()).findings.map(
      ({ code }) => code,
    );
    expect(codes).toEqual(expect.arrayContaining(['expired', 'path_invalid']));
  });

  it('is enough for twenty addresses with a certificate each', () => {
    const leaves = Array.from({ length: 20 }, (_, index) =>
      handshakeWith(withChain(issue()), { address: `192.0.2.${index}` }),
    );
    const work = new WorkBudget();
    const verdict = judge(observation(leaves), NOW, createTrustStore([root.der]), null, work);
    expect(verdict.trusted).toBe(true);
    expect(work.spent).toBeLessThan(DEFAULT_WORK_PER_CHECK / 5);
  });

  it('covers all chains: further addresses are not read once the limit is reached', () => {
    const many = Array.from({ length: 20 }, (_, index) => {
      const dnsNames = Array.from({ length: 2_000 }, (__, name) => `n${name}.a${index}.example`);
      return handshakeWith([issue({ dnsNames })], { address: `192.0.2.${index}` });
    });
    const { addresses } = judge(observation(many), NOW, createTrustStore([root.der]));
    const read = addresses.filter(({ fingerprint }) => fingerprint !== null);
    expect(read.length).toBeGreaterThan(2);
    expect(read.length).toBeLessThan(20);
  });

  it('is not spent on comparing names with those of every other address', () => {
    const dnsNames = Array.from({ length: 300 }, (_, index) => `n${index}.example`);
    const many = Array.from({ length: 20 }, (_, index) =>
      handshakeWith([issue({ dnsNames, notAfter: NOW + index * 86_400_000 })], {
        address: `192.0.2.${index}`,
      }),
    );
    const toLowerCase = vi.spyOn(String.prototype, 'toLowerCase');
    judge(observation(many), NOW, createTrustStore([root.der]));
    expect(toLowerCase.mock.calls.length).toBeLessThan(20 * 300 * 4);
  });
});

describe('a cached path', () => {
  const authority = root.intermediate({ notBefore: NOW - 86_400_000, notAfter: NOW + 86_400_000 });
  const [leaf, intermediate] = [
    authority.issue({ dnsNames: ['a.example'], notAfter: NOW * 2 }),
    authority,
  ].map(({ der }) => parseCertificate(der));
  if (leaf === undefined || intermediate === undefined) throw new Error('no certificates');
  const build = (at: number, work = new WorkBudget()) =>
    buildPath({
      leaf,
      intermediates: [intermediate],
      trustStore: createTrustStore([root.der]),
      now: at,
      work,
      ignoreLeafValidity: true,
    });

  it('is rejected after its certificates end, and accepted again for an earlier time', () => {
    const lastSecond = intermediate.notAfter + 999;
    expect(build(NOW).ok).toBe(true);
    expect(build(lastSecond).ok).toBe(true);
    expect(build(lastSecond + 1)).toMatchObject({ ok: false, failures: [{ code: 'expired' }] });
    expect(build(lastSecond).ok).toBe(true);
  });

  it('is used only if the work budget would have sufficed to find it', () => {
    const poor = build(NOW, new WorkBudget(leaf.der.length + intermediate.der.length + 100));
    expect(poor).toEqual({ ok: false, failures: [], budgetExhausted: true, tolerable: null });
    expect(build(NOW).ok).toBe(true);
  });

  it('leads to the same verdict as a new search, around every date of the chain and with small and large budgets', () => {
    const dates = [leaf, intermediate, parseCertificate(root.der)].flatMap((one) => [
      one.notBefore,
      one.notAfter,
    ]);
    const times = fc.tuple(fc.constantFrom(...dates), fc.integer({ min: -2_000, max: 2_000 }));
    const budgets = fc.constantFrom(DEFAULT_WORK_PER_CHECK, 3_000, 10_000, 30_000);
    const seen = observation([handshakeWith([leaf, intermediate])], {
      endpoint: { host: 'a.example', port: 443, protocol: 'https' },
    });
    const verdictAt = (at: number, work: number, anchors: readonly Uint8Array[]) => {
      const { trustStoreHash: _, ...verdict } = judge(
        seen,
        at,
        createTrustStore(anchors),
        null,
        new WorkBudget(work),
      );
      return verdict;
    };
    fc.assert(
      fc.property(fc.array(fc.tuple(times, budgets), { minLength: 2, maxLength: 20 }), (checks) => {
        for (const [[date, offset], work] of checks) {
          const at = date + offset;
          // A trust store with one more root is part of another cache key, so the path is searched anew.
          const searched = verdictAt(at, work, [root.der, mintAuthority().der]);
          expect(verdictAt(at, work, [root.der])).toEqual(searched);
        }
      }),
      { numRuns: 50 },
    );
  });
});
