import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { Requester } from '../../server/probe/sources/sources.ts';
import { leastGrowth, residentBytes } from '../kit/machine/memory.ts';
import { type CaServer, startCaServer } from '../kit/peers/ca-server.ts';
import { mintCrl } from '../kit/certificates/mint-crl.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { cacheFolder, createLoopbackSources } from '../kit/peers/sources.ts';

const NOW = Date.now();
const MB = 1024 * 1024;
const root = mintAuthority();
const issuer = root.intermediate();
/** A CA that is in no path which was seen. */
const stranger = root.intermediate({ commonName: 'Unknown' });
const never = new AbortController().signal;

let ca: CaServer;
beforeEach(async () => {
  ca = await startCaServer();
  onTestFinished(() => ca.stop());
});

function pathOf(points: { crlUrls?: string[]; ocspUrls?: string[] }) {
  const leaf = issuer.issue({ dnsNames: ['a.test'], ...points });
  return { leaf, path: [leaf, issuer, root].map(({ der }) => parseCertificate(der)) };
}
const asking = (more: { now?: number; signal?: AbortSignal; isPublic?: boolean } = {}) => ({
  sent: [],
  staple: null,
  isThorough: false,
  now: NOW,
  signal: never,
  isPublic: true,
  requester: new Requester('a.test'),
  ...more,
});

describe('A hostile CA', () => {
  it('a hostile CA with endless answers is cut off at the limit, and memory does not grow', async () => {
    const sources = createLoopbackSources({ folder: cacheFolder() });
    const flood = async (round: number): Promise<void> => {
      // Each round is 20 minutes later, because a host may not be queried this often within 15 minutes.
      const now = NOW + round * 20 * 60_000;
      const url = (name: string) => ca.fault(`/${round}-${name}`, 'endless');
      const { path } = pathOf({ crlUrls: [url('crl')], ocspUrls: [url('ocsp')] });
      const lonely = stranger.issue({ dnsNames: ['b.test'], caIssuersUrls: [url('aia')] });
      const [evidence, found] = await Promise.all([
        sources.revocation.evidence({ path, ...asking({ now }) }),
        sources.intermediates.complete({
          chain: [parseCertificate(lonely.der)],
          trustStore: createTrustStore([root.der]),
          requester: new Requester('b.test'),
          now,
          signal: never,
        }),
      ]);
      expect(found.intermediates).toEqual([]);
      expect(evidence).toMatchObject([
        {
          source: 'crl',
          answer: { state: 'none', why: expect.stringMatching(/too_large|pending/) as unknown },
        },
        { source: 'ocsp', answer: { state: 'none', why: 'too_large' } },
      ]);
    };
    // Returns the minimum of several rounds, because the process returns freed memory to the system at any time.
    const min = async (from: number, to: number): Promise<number> => {
      let bytes = Infinity;
      for (let round = from; round < to; round++) {
        await flood(round);
        bytes = Math.min(bytes, residentBytes());
      }
      return bytes;
    };
    const before = await min(0, 6);
    // In between, six more lists of 32 MB passed through.
    expect((await min(6, 12)) - before).toBeLessThan(96 * MB);
  });

  it('a hostile CA with a CRL of 100,000 entries causes one fetch, and memory does not grow', async () => {
    const sources = createLoopbackSources({ folder: cacheFolder() });
    const { leaf, path } = pathOf({ crlUrls: [`${ca.origin}/large.crl`] });
    const der = mintCrl(issuer, { fillers: 100_000, revoked: [{ ...leaf, reason: 1 }] });
    ca.crl('/large.crl', der);
    const growth = await leastGrowth(async () => {
      for (let round = 0; round < 10; round++) {
        const other = pathOf({ crlUrls: [`${ca.origin}/large.crl`] });
        expect(await sources.revocation.evidence({ path: other.path, ...asking() })).toMatchObject([
          { answer: { state: 'good' } },
        ]);
      }
    });
    expect(await sources.revocation.evidence({ path, ...asking() })).toMatchObject([
      { answer: { state: 'revoked', reason: 'keyCompromise' } },
    ]);
    expect(ca.requests).toHaveLength(1);
    expect(growth).toBeLessThan(30 * MB);
  });

  it('a hostile CA with hundreds of silent addresses is queried at most three times at once', async () => {
    const sources = createLoopbackSources();
    const paths = Array.from({ length: 200 }, (_, index) =>
      pathOf({ crlUrls: [ca.fault(`/${index}.crl`, 'silent')] }),
    );
    const ended = new AbortController();
    const waiting = paths.map(({ path }) =>
      sources.revocation.evidence({ path, ...asking({ signal: ended.signal }) }),
    );
    await expect.poll(() => ca.requests.length).toBe(3);
    ended.abort();
    for (const evidence of await Promise.all(waiting))
      expect(evidence).toMatchObject([{ answer: { state: 'none', why: 'pending' } }]);
    expect(ca.requests).toHaveLength(3);
  });
});
