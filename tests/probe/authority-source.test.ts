import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { Requester, type Sources } from '../../server/probe/sources/sources.ts';
import { type CaServer, startCaServer } from '../kit/peers/ca-server.ts';
import { integer, objectIdentifier, sequence, set, tagged } from '../kit/certificates/der-writer.ts';
import { mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { cacheFolder, createLoopbackSources } from '../kit/peers/sources.ts';
import { HOUR_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const NOW = Date.now();
const never = new AbortController().signal;
const root = mintAuthority();
const trustStore = createTrustStore([root.der], { arePublic: true });

let ca: CaServer;
beforeEach(async () => {
  ca = await startCaServer();
  onTestFinished(() => ca.stop());
});

/** Creates a chain of which the server sends only the leaf. Each certificate names the address of its issuer's certificate (AIA). */
function forgotten(depth = 1) {
  let above = root;
  const urls: string[] = [];
  for (let level = 1; level <= depth; level++) {
    const child = above.intermediate({
      commonName: `Level ${level}`,
      ...(level > 1 && { caIssuersUrls: [`${ca.origin}/${level - 1}.der`] }),
    });
    urls.push(ca.issuer(`/${level}.der`, child.der));
    above = child;
  }
  const leaf = above.issue({ dnsNames: ['a.test'], caIssuersUrls: [`${ca.origin}/${depth}.der`] });
  return { leaf, issuer: above, urls, url: urls[0] ?? '' };
}

const request = (sent: readonly MintedCertificate[], more: { now?: number; signal?: AbortSignal } = {}) => ({
  chain: sent.map(({ der }) => parseCertificate(der)),
  trustStore,
  requester: new Requester('a.test'),
  now: NOW,
  signal: never,
  ...more,
});
const complete = async (
  { intermediates }: Pick<Sources, 'intermediates'>,
  about: ReturnType<typeof request>,
) => (await intermediates.complete(about)).intermediates;
const fetched = ({ der }: MintedCertificate, url: string) => ({
  der: new Uint8Array(der),
  source: 'fetched',
  url,
});

describe('Missing intermediates', () => {
  it('are fetched from the AIA address, once for concurrent requests', async () => {
    const { intermediates } = createLoopbackSources();
    const { leaf, issuer, url } = forgotten();
    const answers = await Promise.all([1, 2, 3].map(() => complete({ intermediates }, request([leaf]))));
    for (const answer of answers) expect(answer).toEqual([fetched(issuer, url)]);
    expect(ca.requests).toHaveLength(1);
    expect(ca.requests[0]).toMatchObject({ method: 'GET', body: Buffer.alloc(0) });
  });

  it('are not searched for if the signature of the certificate below cannot be verified', async () => {
    const { issuer, urls, url } = forgotten();
    const signatureOid = '1.2.643.7.1.1.3.2';
    const leaf = issuer.issue({ dnsNames: ['a.test'], caIssuersUrls: urls, signatureOid });
    expect(await complete(createLoopbackSources(), request([leaf]))).toEqual([fetched(issuer, url)]);
  });

  it('are fetched one after the other up the chain, at most three', async () => {
    const three = forgotten(3);
    expect((await complete(createLoopbackSources(), request([three.leaf]))).map(({ url }) => url)).toEqual(
      expect.arrayContaining(three.urls),
    );
    const four = forgotten(4);
    await complete(createLoopbackSources(), request([four.leaf]));
    expect(ca.requestsTo('/4.der')).toHaveLength(1);
    expect(ca.requestsTo('/1.der')).toHaveLength(1);
  });

  it('are cached for other chains and for the next process', async () => {
    const folder = cacheFolder();
    const { leaf, issuer, url } = forgotten();
    const first = createLoopbackSources({ folder });
    await complete(first, request([leaf]));
    const silent = issuer.issue({ dnsNames: ['b.test'] });
    expect(await complete(first, request([silent]))).toEqual([
      { ...fetched(issuer, url), source: 'cache', url: null },
    ]);
    expect(await complete(createLoopbackSources({ folder }), request([leaf]))).toEqual([
      fetched(issuer, url),
    ]);
    expect(ca.requests).toHaveLength(1);
  });

  it('are taken from the cached valid path of another host', async () => {
    const sources = createLoopbackSources();
    const issuer = root.intermediate();
    const [sent, forgetful] = [
      issuer.issue({ dnsNames: ['a.test'] }),
      issuer.issue({ dnsNames: ['b.test'] }),
    ];
    const path = [sent, issuer, root].map(({ der }) => parseCertificate(der));
    await sources.revocation.evidence({
      path,
      sent: [],
      isPublic: true,
      requester: new Requester('a.test'),
      staple: null,
      isThorough: false,
      now: NOW,
      signal: never,
    });
    expect(await complete(sources, request([forgetful]))).toEqual([
      { der: new Uint8Array(issuer.der), source: 'cache', url: null },
    ]);
  });

  it('are fetched to replace an expired one', async () => {
    const key = root.intermediate().key;
    const expired = root.intermediate({ key, notAfter: NOW - HOUR_MS });
    const renewed = root.intermediate({ key });
    const url = ca.issuer('/i.der', renewed.der);
    const leaf = expired.issue({ dnsNames: ['a.test'], caIssuersUrls: [url] });
    expect(await complete(createLoopbackSources(), request([leaf, expired]))).toEqual([
      fetched(renewed, url),
    ]);
  });

  it('are fetched for nine chains of one endpoint, because verified answers do not count towards the quota', async () => {
    const { intermediates } = createLoopbackSources();
    for (let number = 1; number <= 9; number++) {
      const issuer = root.intermediate({ commonName: `Issuer ${number}` });
      const url = ca.issuer(`/${number}.der`, issuer.der);
      const leaf = issuer.issue({ dnsNames: ['a.test'], caIssuersUrls: [url] });
      expect(await complete({ intermediates }, request([leaf]))).toEqual([fetched(issuer, url)]);
    }
  });

  it('may come in a PKCS #7 message, of which only the issuers are used', async () => {
    const issuer = root.intermediate();
    const namesake = root.intermediate();
    const list = tagged(0, true, root.der, namesake.der, issuer.der);
    const message = sequence(
      objectIdentifier('1.2.840.113549.1.7.2'),
      tagged(
        0,
        true,
        sequence(integer(1n), set(), sequence(objectIdentifier('1.2.840.113549.1.7.1')), list, set()),
      ),
    );
    const url = ca.issuer('/i.p7c', message);
    const leaf = issuer.issue({ dnsNames: ['a.test'], caIssuersUrls: [url] });
    expect(await complete(createLoopbackSources(), request([leaf]))).toEqual([fetched(issuer, url)]);
  });

  it('are read if the server compresses them unasked', async () => {
    const { leaf, issuer, url } = forgotten();
    ca.compress('/1.der');
    expect(await complete(createLoopbackSources(), request([leaf]))).toEqual([fetched(issuer, url)]);
  });

  it('are refetched after a day, and stay cached if the CA no longer serves them', async () => {
    const { intermediates } = createLoopbackSources();
    const { leaf, issuer, url } = forgotten();
    await complete({ intermediates }, request([leaf]));
    ca.fault('/1.der', 'not-found');
    expect(await complete({ intermediates }, request([leaf], { now: NOW + 25 * HOUR_MS }))).toEqual([
      fetched(issuer, url),
    ]);
  });
});

it('A missing intermediate is fetched through one redirect', async () => {
  const { intermediates } = createLoopbackSources();
  const { leaf, issuer } = forgotten();
  ca.fault('/1.der', 'redirect');
  ca.issuer('/elsewhere', issuer.der);
  expect(await complete({ intermediates }, request([leaf]))).toEqual([fetched(issuer, `${ca.origin}/1.der`)]);
});

describe('A failing AIA address', () => {
  it.each([
    'silent',
    'drip',
    'endless',
    'lying-length',
    'cut',
    'endless-headers',
    'gzip-bomb',
    'redirect',
    'reset',
    'not-found',
  ] as const)('is tried once in 15 minutes: %s', async (fault) => {
    const { intermediates } = createLoopbackSources();
    const { leaf } = forgotten();
    ca.fault('/1.der', fault);
    const ended = new AbortController();
    const asking = complete({ intermediates }, request([leaf], { signal: ended.signal }));
    if (['silent', 'drip'].includes(fault)) {
      await expect.poll(() => ca.requests.length).toBe(1);
      ended.abort();
      expect(await asking).toEqual([]);
    } else {
      expect(await asking).toEqual([]);
      await complete({ intermediates }, request([leaf], { now: NOW + 14 * 60_000 }));
    }
    expect(ca.requestsTo('/1.der')).toHaveLength(1);
  });

  it('is retried after 15 minutes, and not sooner for another chain', async () => {
    const { intermediates } = createLoopbackSources();
    const { leaf, issuer } = forgotten();
    ca.fault('/1.der', 'error');
    const other = issuer.issue({ dnsNames: ['b.test'], caIssuersUrls: leafUrl(ca) });
    await complete({ intermediates }, request([leaf]));
    await complete({ intermediates }, request([other]));
    expect(ca.requests).toHaveLength(1);
    ca.issuer('/1.der', issuer.der);
    expect(await complete({ intermediates }, request([leaf], { now: NOW + 16 * 60_000 }))).toHaveLength(1);
  });

  it('is still used for other certificates after it failed for a stranger’s certificate', async () => {
    const { intermediates } = createLoopbackSources();
    const { leaf, issuer, url } = forgotten();
    const stranger = mintAuthority().issue({ dnsNames: ['evil.test'], caIssuersUrls: [url] });
    expect(await complete({ intermediates }, request([stranger]))).toEqual([]);
    expect(await complete({ intermediates }, request([leaf]))).toEqual([fetched(issuer, url)]);
    expect(ca.requests).toHaveLength(2);
  });

  it('is one of at most two addresses tried per certificate, even if it names fifty', async () => {
    const urls = Array.from({ length: 50 }, (_, index) => ca.fault(`/${index}`, 'not-found'));
    const leaf = root.intermediate().issue({ dnsNames: ['a.test'], caIssuersUrls: urls });
    await complete(createLoopbackSources(), request([leaf]));
    expect(ca.requests.map(({ path }) => path).toSorted()).toEqual(['/0', '/1']);
    promise('ca-requests');
  });

  it('is no longer awaited after the sources are closed', async () => {
    const sources = createLoopbackSources();
    const { leaf } = forgotten();
    ca.fault('/1.der', 'silent');
    const asking = complete(sources, request([leaf]));
    await expect.poll(() => ca.requests.length).toBe(1);
    sources.close();
    expect(await asking).toEqual([]);
  });
});

const leafUrl = (server: CaServer): string[] => [`${server.origin}/1.der`];
