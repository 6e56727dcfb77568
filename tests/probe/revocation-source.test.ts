import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { Requester, type RevocationSource } from '../../server/probe/sources/sources.ts';
import { type CaServer, startCaServer } from '../kit/peers/ca-server.ts';
import { type CrlOptions, mintCrl } from '../kit/certificates/mint-crl.ts';
import { mintOcspError, mintOcspResponse } from '../kit/certificates/mint-ocsp.ts';
import { type CertificateOptions, mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { STOPPED, stopTimers } from '../kit/peers/loopback.ts';
import { cacheFolder, createLoopbackSources } from '../kit/peers/sources.ts';
import { HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

const NOW = Date.now();
const never = new AbortController().signal;
const root = mintAuthority();
const issuer = root.intermediate();

let ca: CaServer;
beforeEach(async () => {
  // Timers are stopped, because a CRL that takes longer than 2 s would change the result.
  stopTimers();
  ca = await startCaServer();
  onTestFinished(() => ca.stop());
});

/** Issues a leaf that names addresses of this CA: /leaf.crl for `crl`, /ocsp for `ocsp`. */
const leafWith = (points: readonly ('crl' | 'ocsp')[], more: CertificateOptions = {}) =>
  issuer.issue({
    dnsNames: ['a.test'],
    ...(points.includes('crl') && { crlUrls: [`${ca.origin}/leaf.crl`] }),
    ...(points.includes('ocsp') && { ocspUrls: [`${ca.origin}/ocsp`] }),
    ...more,
  });
const serveCrl = (options: CrlOptions = {}) => ca.crl('/leaf.crl', mintCrl(issuer, options));
type RevocationRequest = Parameters<RevocationSource['evidence']>[0];
const request = (
  leaf: MintedCertificate,
  more: Partial<Pick<RevocationRequest, 'now' | 'signal' | 'staple' | 'isThorough'>> & {
    through?: MintedCertificate;
  } = {},
) => {
  const { through = issuer, staple = null, isThorough = false, now = NOW, signal = never } = more;
  const path = [leaf, through, root].map(({ der }) => parseCertificate(der));
  const requester = new Requester('a.test');
  return { path, sent: [], isPublic: true, requester, staple, isThorough, now, signal };
};
const ask = (sources: ReturnType<typeof createLoopbackSources>, ...about: Parameters<typeof request>) =>
  sources.revocation.evidence(request(...about));
const good = { state: 'good', reason: null, revokedAt: null };
const none = (why: string) => ({ state: 'none', why });

describe('A CRL', () => {
  it('is queried before OCSP; if it answers, OCSP is not queried', async () => {
    const leaf = leafWith(['crl', 'ocsp']);
    const url = serveCrl({ url: `${ca.origin}/leaf.crl` });
    expect(await ask(createLoopbackSources(), leaf)).toEqual([
      {
        fingerprint: leaf.fingerprint,
        source: 'crl',
        url,
        at: NOW,
        answer: expect.objectContaining(good) as unknown,
      },
    ]);
    expect(ca.requests.map(({ path }) => path)).toEqual(['/leaf.crl']);
  });

  it('shows a revoked leaf; the CRL that an intermediate names shows a revoked intermediate', async () => {
    const leaf = leafWith(['crl']);
    serveCrl({ revoked: [{ ...leaf, reason: 1 }] });
    const crlUrls = [`${ca.origin}/authority.crl`];
    const through = root.intermediate({ key: issuer.key, subjectDer: issuer.subjectDer, crlUrls });
    ca.crl('/authority.crl', mintCrl(root, { revoked: [through] }));
    const evidence = await ask(createLoopbackSources(), leaf, { through });
    expect(evidence.map(({ fingerprint, answer }) => [fingerprint, answer.state])).toEqual([
      [leaf.fingerprint, 'revoked'],
      [through.fingerprint, 'revoked'],
    ]);
    expect(evidence[0]?.answer).toMatchObject({ reason: 'keyCompromise' });
  });

  it('that the current key of a CA signed is valid for a leaf that the former key of the CA signed', async () => {
    const former = issuer.intermediate({ subjectDer: issuer.subjectDer });
    const leaf = former.issue({ crlUrls: [`${ca.origin}/leaf.crl`] });
    serveCrl({ revoked: [leaf] });
    const path = [leaf, former, issuer, root].map(({ der }) => parseCertificate(der));
    expect(await createLoopbackSources().revocation.evidence({ ...request(leaf), path })).toMatchObject([
      { source: 'crl', answer: { state: 'revoked' } },
    ]);
  });

  it('is fetched once for concurrent requests, and reused while it is fresh', async () => {
    const sources = createLoopbackSources();
    const leaves = [1, 2, 3].map(() => leafWith(['crl']));
    serveCrl({ revoked: [leaves[2] as MintedCertificate] });
    const answers = await Promise.all(leaves.map((leaf) => ask(sources, leaf)));
    expect(answers.map(([evidence]) => evidence?.answer.state)).toEqual(['good', 'good', 'revoked']);
    await ask(sources, leafWith(['crl']), { now: NOW + 5 * HOUR_MS });
    expect(ca.requests).toHaveLength(1);
  });

  it('is refetched with its ETag', async () => {
    const sources = createLoopbackSources();
    const leaf = leafWith(['crl']);
    serveCrl();
    await ask(sources, leaf);
    const later = NOW + 7 * HOUR_MS;
    expect(await ask(sources, leaf, { now: later })).toMatchObject([{ at: later, answer: good }]);
    serveCrl({ revoked: [leaf], thisUpdate: NOW + HOUR_MS });
    expect(await ask(sources, leaf, { now: NOW + 14 * HOUR_MS })).toMatchObject([
      { answer: { state: 'revoked' } },
    ]);
    expect(ca.requests.map(({ status }) => status)).toEqual([200, 304, 200]);
  });

  it('is cached for the next process and used while its server fails', async () => {
    const folder = cacheFolder();
    const leaf = leafWith(['crl']);
    serveCrl({ revoked: [leaf] });
    await ask(createLoopbackSources({ folder }), leaf);
    expect(await ask(createLoopbackSources({ folder }), leaf, { now: NOW + HOUR_MS })).toMatchObject([
      { at: NOW, answer: { state: 'revoked' } },
    ]);
    expect(ca.requests).toHaveLength(1);
    ca.fault('/leaf.crl', 'error');
    expect(await ask(createLoopbackSources({ folder }), leaf, { now: NOW + 10 * HOUR_MS })).toMatchObject([
      { at: NOW, answer: { state: 'revoked' } },
    ]);
    expect(ca.requests).toHaveLength(2);
  });

  it('a CRL that lists the certificate as revoked is not replaced by a forged, foreign or older one', async () => {
    const leaf = leafWith(['crl']);
    const others: Uint8Array[] = [
      mintCrl(issuer, { corruptSignature: true }),
      mintCrl(issuer, { signer: root.key }),
      mintCrl(root),
      mintCrl(issuer, { thisUpdate: NOW - 48 * HOUR_MS }),
      Buffer.from('<!doctype html>Please log in'),
    ];
    for (const other of others) {
      const sources = createLoopbackSources();
      serveCrl({ revoked: [leaf] });
      await ask(sources, leaf);
      ca.crl('/leaf.crl', other);
      expect(await ask(sources, leaf, { now: NOW + 7 * HOUR_MS })).toMatchObject([
        { answer: { state: 'revoked' } },
      ]);
    }
  });

  it.each<[string, CrlOptions]>([
    ['bad_signature', { corruptSignature: true }],
    ['wrong_issuer', { issuerDer: root.subjectDer }],
    ['wrong_scope', { url: 'http://ca.test/another-shard.crl' }],
    ['wrong_scope', { deltaOf: 1n }],
    ['stale', { nextUpdate: NOW - HOUR_MS, thisUpdate: NOW - 48 * HOUR_MS }],
    ['no_next_update', { nextUpdate: null }],
  ])('is rejected as %s, and OCSP is queried', async (why, options) => {
    const leaf = leafWith(['crl', 'ocsp']);
    serveCrl(options);
    ca.ocsp('/ocsp', mintOcspResponse(issuer, leaf));
    expect(await ask(createLoopbackSources(), leaf)).toMatchObject([
      { source: 'crl', answer: none(why) },
      { source: 'ocsp', answer: good },
    ]);
  });

  it.each([
    ['unreachable', 'reset'],
    ['unreachable', 'not-found'],
    ['unreachable', 'redirect'],
    ['unreachable', 'cut'],
    ['too_large', 'lying-length'],
    ['too_large', 'endless-headers'],
    ['too_large', 'gzip-bomb'],
  ] as const)(
    'is reported as %s after the server fault %s, and not requested again for 15 minutes',
    async (why, fault) => {
      const sources = createLoopbackSources();
      const [leaf, other] = [leafWith(['crl']), leafWith(['crl'])];
      ca.fault('/leaf.crl', fault);
      for (const one of [leaf, other, leaf])
        expect(await ask(sources, one)).toMatchObject([{ at: NOW, answer: none(why) }]);
      expect(ca.requestsTo('/leaf.crl')).toHaveLength(1);
      serveCrl();
      expect(await ask(sources, leaf, { now: NOW + 16 * MINUTE_MS })).toMatchObject([{ answer: good }]);
    },
  );

  it.each(['drip', 'silent'] as const)(
    'is reported as pending if its server does not finish in time: %s',
    async (fault) => {
      const sources = createLoopbackSources();
      const leaf = leafWith(['crl']);
      ca.fault('/leaf.crl', fault);
      expect(await ask(sources, leaf, { signal: AbortSignal.timeout(50) })).toMatchObject([
        { answer: none('pending') },
      ]);
    },
  );

  it('a CRL that arrives late is used by the next check', async () => {
    const sources = createLoopbackSources();
    const leaf = leafWith(['crl']);
    serveCrl({ revoked: [leaf] });
    const release = ca.hold('/leaf.crl');
    const ended = new AbortController();
    const asking = ask(sources, leaf, { signal: ended.signal });
    await expect.poll(() => ca.requests.length, STOPPED).toBe(1);
    ended.abort();
    expect(await asking).toMatchObject([{ answer: none('pending') }]);
    release();
    expect(await ask(sources, leaf)).toMatchObject([{ answer: { state: 'revoked' } }]);
    expect(ca.requests).toHaveLength(1);
  });

  it('is awaited until the deadline if the certificate has no OCSP responder', async () => {
    const leaf = leafWith(['crl']);
    serveCrl();
    const release = ca.hold('/leaf.crl');
    const asking = ask(createLoopbackSources(), leaf);
    await expect.poll(() => ca.requests.length, STOPPED).toBe(1);
    // OCSP would be queried 2 s after the CRL.
    vi.advanceTimersByTime(2_000);
    release();
    expect(await asking).toMatchObject([{ answer: good }]);
  });

  it('may be PEM and behind one redirect, but not two', async () => {
    const leaf = leafWith([], { crlUrls: [`${ca.origin}/moved.crl`] });
    ca.fault('/moved.crl', 'redirect');
    const base64 = mintCrl(issuer, { revoked: [leaf] }).toString('base64');
    ca.crl('/elsewhere', Buffer.from(`-----BEGIN X509 CRL-----\n${base64}\n-----END X509 CRL-----\n`));
    expect(await ask(createLoopbackSources(), leaf)).toMatchObject([{ answer: { state: 'revoked' } }]);
    expect(ca.requests.map(({ path }) => path)).toEqual(['/moved.crl', '/elsewhere']);
    ca.fault('/elsewhere', 'redirect');
    const later = leafWith([], { crlUrls: [`${ca.origin}/moved.crl`] });
    expect(await ask(createLoopbackSources(), later)).toMatchObject([{ answer: none('unreachable') }]);
    expect(ca.requests).toHaveLength(4);
  });

  it('is fetched from the second address if the first fails', async () => {
    const crlUrls = [`${ca.origin}/gone.crl`, `${ca.origin}/leaf.crl`, `${ca.origin}/never.crl`];
    const leaf = leafWith([], { crlUrls });
    serveCrl({ revoked: [leaf] });
    expect(await ask(createLoopbackSources(), leaf)).toMatchObject([
      { url: crlUrls[0], answer: none('unreachable') },
      { url: crlUrls[1], answer: { state: 'revoked' } },
    ]);
  });
});

describe('OCSP', () => {
  it('is queried by POST and cached per certificate', async () => {
    const sources = createLoopbackSources();
    const leaf = leafWith(['ocsp']);
    const url = ca.ocsp('/ocsp', mintOcspResponse(issuer, leaf, { status: 'revoked', reason: 4 }));
    for (const now of [NOW, NOW + HOUR_MS])
      expect(await ask(sources, leaf, { now })).toMatchObject([
        {
          fingerprint: leaf.fingerprint,
          source: 'ocsp',
          url,
          at: NOW,
          answer: { state: 'revoked', reason: 'superseded' },
        },
      ]);
    expect(ca.requests).toMatchObject([
      { method: 'POST', path: '/ocsp', headers: { 'content-type': 'application/ocsp-request' } },
    ]);
    const other = leafWith(['ocsp']);
    ca.ocsp('/ocsp', mintOcspResponse(issuer, other));
    expect(await ask(sources, other)).toMatchObject([{ answer: good }]);
  });

  it('rejects forged, stale, foreign, malformed and error responses', async () => {
    const other = leafWith([]);
    const wrong: [string, (leaf: MintedCertificate) => Uint8Array][] = [
      ['bad_signature', (leaf) => mintOcspResponse(issuer, leaf, { corruptSignature: true })],
      ['bad_signature', (leaf) => mintOcspResponse(issuer, leaf, { signer: mintAuthority().key })],
      [
        'stale',
        (leaf) =>
          mintOcspResponse(issuer, leaf, { thisUpdate: NOW - 48 * HOUR_MS, nextUpdate: NOW - HOUR_MS }),
      ],
      ['wrong_scope', () => mintOcspResponse(issuer, other)],
      ['responder_refused', () => mintOcspError(6)],
      ['responder_refused', (leaf) => mintOcspResponse(issuer, leaf, { status: 'unknown' })],
      ['malformed', () => Buffer.from('<!doctype html>')],
    ];
    for (const [why, response] of wrong) {
      const sources = createLoopbackSources();
      const leaf = leafWith(['ocsp']);
      ca.ocsp('/ocsp', response(leaf));
      for (const now of [NOW, NOW + 14 * MINUTE_MS])
        expect(await ask(sources, leaf, { now }), why).toMatchObject([{ answer: none(why) }]);
      expect(ca.requestsTo('/ocsp')).toHaveLength(1);
      ca.ocsp('/ocsp', mintOcspResponse(issuer, leaf));
      expect(await ask(sources, leaf, { now: NOW + 16 * MINUTE_MS })).toMatchObject([{ answer: good }]);
      await ca.stop();
      ca = await startCaServer();
    }
  });

  it('keeps a revoked status when later responses are invalid', async () => {
    const sources = createLoopbackSources();
    const leaf = leafWith(['ocsp']);
    ca.ocsp('/ocsp', mintOcspResponse(issuer, leaf, { status: 'revoked' }));
    await ask(sources, leaf);
    ca.ocsp('/ocsp', mintOcspResponse(issuer, leaf, { corruptSignature: true }));
    expect(await ask(sources, leaf, { now: NOW + 7 * HOUR_MS })).toMatchObject([
      { answer: { state: 'revoked' } },
    ]);
    expect(ca.requests).toHaveLength(2);
  });

  it('is queried beside the CRL in a thorough probe, and both answers are returned', async () => {
    const sources = createLoopbackSources();
    const leaf = leafWith(['crl', 'ocsp']);
    serveCrl();
    ca.ocsp('/ocsp', mintOcspResponse(issuer, leaf, { status: 'revoked' }));
    const both = [
      { source: 'crl', answer: good },
      { source: 'ocsp', answer: { state: 'revoked' } },
    ];
    expect(await ask(sources, leaf)).toMatchObject(both.slice(0, 1));
    expect(await ask(sources, leaf, { isThorough: true })).toMatchObject(both);
    expect(await ask(sources, leaf, { now: NOW + HOUR_MS / 2 })).toMatchObject(both);
    expect(ca.requests).toHaveLength(2);
  });

  it('does not follow redirects', async () => {
    const leaf = leafWith(['ocsp']);
    ca.fault('/ocsp', 'redirect');
    expect(await ask(createLoopbackSources(), leaf)).toMatchObject([{ answer: none('unreachable') }]);
    expect(ca.requestsTo('/elsewhere')).toEqual([]);
  });

  it('is queried if the CRL is slow', async () => {
    const leaf = leafWith(['crl', 'ocsp']);
    ca.fault('/leaf.crl', 'silent');
    ca.ocsp('/ocsp', mintOcspResponse(issuer, leaf));
    const asking = ask(createLoopbackSources(), leaf);
    await expect.poll(() => ca.requests.length, STOPPED).toBe(1);
    vi.advanceTimersByTime(2_000);
    expect(await asking).toMatchObject([
      { source: 'crl', answer: none('pending') },
      { source: 'ocsp', answer: good },
    ]);
  });
});

describe('The revocation check', () => {
  it('reads a CRL and an OCSP response that the server compresses unasked', async () => {
    const leaf = leafWith(['crl', 'ocsp']);
    serveCrl();
    ca.ocsp('/ocsp', mintOcspResponse(issuer, leaf));
    ca.compress('/leaf.crl');
    ca.compress('/ocsp');
    expect(await ask(createLoopbackSources(), leaf, { isThorough: true })).toMatchObject([
      { source: 'crl', answer: good },
      { source: 'ocsp', answer: good },
    ]);
    expect(ca.requests.map(({ headers }) => headers['accept-encoding'])).toEqual(['identity', 'identity']);
  });

  it('sends no request if the certificate names no source', async () => {
    const shortLived = leafWith([], { notAfter: NOW + 48 * HOUR_MS });
    for (const leaf of [shortLived, leafWith([])])
      expect(await ask(createLoopbackSources(), leaf)).toEqual([]);
    expect(ca.requests).toEqual([]);
  });

  it('evaluates a staple in addition to the CRL', async () => {
    const leaf = leafWith(['crl']);
    serveCrl();
    const staple = mintOcspResponse(issuer, leaf, { status: 'revoked' });
    expect(await ask(createLoopbackSources(), leaf, { staple })).toMatchObject([
      { source: 'staple', url: null, at: NOW, answer: { state: 'revoked' } },
      { source: 'crl', answer: good },
    ]);
    expect(await ask(createLoopbackSources(), leaf, { staple: Buffer.from('no staple') })).toMatchObject([
      { source: 'staple', answer: none('malformed') },
      { source: 'crl' },
    ]);
  });

  it('sends no request after the sources are closed', async () => {
    const sources = createLoopbackSources();
    const leaf = leafWith(['crl']);
    ca.fault('/leaf.crl', 'silent');
    const asking = ask(sources, leaf);
    await expect.poll(() => ca.requests.length, STOPPED).toBe(1);
    sources.close();
    expect(await asking).toMatchObject([{ answer: { state: 'none' } }]);
    await ask(sources, leafWith(['crl']));
    expect(ca.requests).toHaveLength(1);
  });
});
