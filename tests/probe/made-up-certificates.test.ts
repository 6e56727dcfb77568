import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { createTrustStore, extendTrustStore } from '../../server/pki/trust-store.ts';
import type { ClosableSources } from '../../server/probe/sources/create-sources.ts';
import { Requester } from '../../server/probe/sources/sources.ts';
import { type CaServer, startCaServer } from '../kit/peers/ca-server.ts';
import { startDnsServer } from '../kit/peers/dns-server.ts';
import { mintCrl } from '../kit/certificates/mint-crl.ts';
import { mintOcspResponse } from '../kit/certificates/mint-ocsp.ts';
import { mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { cacheFolder, createLoopbackSources } from '../kit/peers/sources.ts';
import { HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

const NOW = Date.now();
const MB = 1024 * 1024;
const never = new AbortController().signal;
/** One root stands for the public roots. The other was added to an account or made up for a preview check. */
const root = mintAuthority({ commonName: 'Public Root' });
const issuer = root.intermediate({ commonName: 'R13' });
const evil = mintAuthority({ commonName: 'Evil Root' });
const publicRoots = createTrustStore([root.der], { arePublic: true });

let ca: CaServer;
beforeEach(async () => {
  ca = await startCaServer();
  onTestFinished(() => ca.stop());
});

const read = (certificates: readonly MintedCertificate[]) =>
  certificates.map(({ der }) => parseCertificate(der));
const complete = (
  { intermediates }: ClosableSources,
  chain: readonly MintedCertificate[],
  { now = NOW, requester = new Requester('v.test'), trustStore = publicRoots, signal = never } = {},
) => intermediates.complete({ chain: read(chain), trustStore, requester, now, signal });
const evidence = (
  { revocation }: ClosableSources,
  path: readonly MintedCertificate[],
  { now = NOW, requester = new Requester('v.test'), signal = never } = {},
) => {
  const isPublic = path.at(-1) === root;
  return revocation.evidence({
    path: read(path),
    sent: [],
    isPublic,
    requester,
    staple: null,
    isThorough: false,
    now,
    signal,
  });
};
const namesOf = ({ intermediates }: { intermediates: { der: Uint8Array }[] }) =>
  intermediates.map(({ der }) => parseCertificate(der).issuer.attribute('CN'));
const good = { answer: { state: 'good' } };
const none = (why: string) => ({ answer: { state: 'none', why } });

describe('A check of one tenant', () => {
  it.each([1, 9])('ignores %i forged intermediates of another tenant', async (count) => {
    const sources = createLoopbackSources();
    const url = ca.issuer('/r13.der', issuer.der);
    const victim = issuer.issue({ dnsNames: ['v.test'], caIssuersUrls: [url] });
    const bait = issuer.issue({ dnsNames: ['e.test'] });
    const trustStore = extendTrustStore(publicRoots, [evil.der]);
    for (let index = 0; index < count; index++) {
      const fake = evil.intermediate({ key: issuer.key, subjectDer: issuer.subjectDer });
      await evidence(sources, [bait, fake, evil]);
      await complete(sources, [bait, fake], { trustStore });
    }
    const silent = issuer.issue({ dnsNames: ['v.test'] });
    expect(await complete(sources, [silent])).toEqual({ intermediates: [], isPending: false });
    expect(namesOf(await complete(sources, [victim]))).toEqual(['Public Root']);
    expect(namesOf(await complete(sources, [silent]))).toEqual(['Public Root']);
  });

  it('finds the trusted path beside a cross-signature by an untrusted root', async () => {
    const removed = evil.intermediate({ key: issuer.key, subjectDer: issuer.subjectDer });
    const leaf = issuer.issue({
      dnsNames: ['v.test'],
      caIssuersUrls: [ca.issuer('/r13.der', issuer.der)],
    });
    for (const sent of [
      [leaf, removed],
      [leaf, removed, evil],
    ])
      expect(namesOf(await complete(createLoopbackSources(), sent))).toEqual(['Public Root']);
  });

  it('is not affected by chains that name missing files at the address of a real CA', async () => {
    const sources = createLoopbackSources();
    const requester = new Requester('e.test');
    for (let index = 0; index < 20; index++) {
      const caIssuersUrls = [1, 2].map((part) => `${ca.origin}/nothing-${index}-${part}`);
      await complete(sources, [evil.issue({ dnsNames: ['e.test'], caIssuersUrls })], {
        requester: index < 10 ? requester : new Requester('e.test'),
      });
    }
    expect(ca.requests).toHaveLength(8);
    const caIssuersUrls = [ca.issuer('/r13.der', issuer.der)];
    const victim = issuer.issue({ dnsNames: ['v.test'], caIssuersUrls });
    expect(namesOf(await complete(sources, [victim]))).toEqual(['Public Root']);
  });

  it('is not affected by a stranger’s certificate that names the CRL of a real CA', async () => {
    const sources = createLoopbackSources();
    const crlUrls = [ca.crl('/r13.crl', mintCrl(issuer))];
    const victim = issuer.issue({ dnsNames: ['v.test'], crlUrls });
    const foreign = evil.issue({ dnsNames: ['e.test'], crlUrls });
    expect(await evidence(sources, [foreign, evil])).toMatchObject([none('wrong_issuer')]);
    expect(await evidence(sources, [victim, issuer, root])).toMatchObject([good]);
    ca.crl('/r13.crl', mintCrl(issuer, { revoked: [victim], thisUpdate: NOW + HOUR_MS }));
    const later = NOW + 7 * HOUR_MS;
    expect(await evidence(sources, [foreign, evil], { now: later })).toMatchObject([none('wrong_issuer')]);
    expect(await evidence(sources, [victim, issuer, root], { now: later + 1 })).toMatchObject([
      { answer: { state: 'revoked' } },
    ]);
    // The failed query for the stranger's certificate is not repeated within 15 minutes.
    await evidence(sources, [foreign, evil], { now: later + MINUTE_MS });
    expect(ca.requests).toHaveLength(4);
  });

  it('is not affected by a CA with a new key whose CRL has the address of the old one', async () => {
    const sources = createLoopbackSources();
    const renewed = root.intermediate({ commonName: 'R13', subjectDer: issuer.subjectDer });
    const crlUrls = [ca.crl('/r13.crl', mintCrl(renewed))];
    const [before, after] = [issuer, renewed].map((one) => [
      one.issue({ dnsNames: ['v.test'], crlUrls }),
      one,
      root,
    ]);
    expect(await evidence(sources, before ?? [])).toMatchObject([none('bad_signature')]);
    expect(await evidence(sources, after ?? [])).toMatchObject([good]);
  });

  it('is not delayed by addresses of private CAs that answer a byte at a time', async () => {
    const sources = createLoopbackSources();
    for (let index = 0; index < 4; index++) ca.fault(`/drip-${index}`, 'drip');
    const ended = new AbortController();
    ca.crl('/evil.crl', mintCrl(evil));
    await evidence(sources, [evil.issue({ dnsNames: ['e.test'], crlUrls: [`${ca.origin}/evil.crl`] }), evil]);
    const dripping = [0, 1, 2, 3].map((index) => {
      const leaf = evil.issue({ dnsNames: ['e.test'], crlUrls: [`${ca.origin}/drip-${index}`] });
      return evidence(sources, [leaf, evil], { signal: ended.signal });
    });
    await expect.poll(() => ca.requests.length).toBeGreaterThan(2);
    const crlUrls = [ca.crl('/r13.crl', mintCrl(issuer))];
    const leaf = issuer.issue({ dnsNames: ['v.test'], crlUrls });
    expect(await evidence(sources, [leaf, issuer, root])).toMatchObject([good]);
    ended.abort();
    for (const told of await Promise.all(dripping)) expect(told).toMatchObject([none('pending')]);
  });

  it.each(['an invalid signature', 'a valid signature'])(
    'keeps its cached CRL beside large CRLs of a private CA with %s',
    async (kind) => {
      const folder = cacheFolder();
      const sources = createLoopbackSources({ folder });
      const crlUrls = [ca.crl('/r13.crl', mintCrl(issuer))];
      const path = () => [issuer.issue({ dnsNames: ['v.test'], crlUrls }), issuer, root];
      expect(await evidence(sources, path())).toMatchObject([good]);
      const filler = { oid: '1.2.3', value: Buffer.alloc(20 * MB) };
      const large = mintCrl(evil, {
        corruptSignature: kind === 'an invalid signature',
        extraExtensions: [filler],
      });
      for (let index = 0; index < 5; index++) {
        const url = ca.crl(`/large-${index}`, large);
        const leaf = evil.issue({ dnsNames: ['e.test'], crlUrls: [url] });
        await evidence(sources, [leaf, evil]);
      }
      const privateFolder = join(folder, 'private');
      mkdirSync(privateFolder, { recursive: true });
      const kept = readdirSync(privateFolder).map((name) => statSync(join(privateFolder, name)).size);
      const total = kept.reduce((sum, size) => sum + size, 0);
      expect(total).toBeLessThan(kind === 'an invalid signature' ? MB : 85 * MB);
      expect(readdirSync(folder).filter((name) => name !== 'private')).toHaveLength(1);
      expect(await evidence(sources, path(), { now: NOW + MINUTE_MS })).toMatchObject([good]);
      expect(ca.requestsTo('/r13.crl')).toHaveLength(1);
    },
  );
});

describe('The number of requests caused by made-up certificates', () => {
  it('is limited per address, even if many host names lead to it', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `x${index}.evil.example`);
    const dns = await startDnsServer(
      Object.fromEntries(names.map((name) => [name, { addresses: ['127.0.0.1'] }])),
    );
    onTestFinished(() => dns.stop());
    const sources = createLoopbackSources({ dns: [dns.address] });
    for (const name of names) {
      const at = (place: number) => `http://${name}:${ca.port}/${place}`;
      const leaf = evil.issue({ dnsNames: ['e.test'], crlUrls: [1, 2].map(at), ocspUrls: [3, 4].map(at) });
      await evidence(sources, [leaf, evil], { requester: new Requester('e.test') });
    }
    expect(ca.requests).toHaveLength(16);
  });

  it('is limited per check, with any chain and any number of hosts', async () => {
    const wide = await startCaServer({ host: '0.0.0.0' });
    onTestFinished(() => wide.stop());
    let above = evil;
    const chain = [above];
    for (let level = 1; level <= 7; level++) {
      const at = (part: number) => `http://127.0.0.${level}:${wide.port}/${part}`;
      above = above.intermediate({ crlUrls: [1, 2, 3].map(at), ocspUrls: [4, 5].map(at) });
      chain.unshift(above);
    }
    const told = await evidence(createLoopbackSources(), chain, { requester: new Requester('e.test') });
    expect(wide.requests).toHaveLength(12);
    const whys = new Set(told.map(({ answer }) => answer.state === 'none' && answer.why));
    expect(whys).toEqual(new Set(['unreachable', 'pending']));
  });

  it('is limited per address, even if there are many requesters', async () => {
    const sources = createLoopbackSources();
    for (let index = 0; index < 40; index++) {
      const crlUrls = [1, 2, 3].map((part) => `${ca.origin}/${index}-${part}`);
      const ocspUrls = [4, 5].map((part) => `${ca.origin}/${index}-${part}`);
      const through = evil.intermediate({
        crlUrls: crlUrls.map((url) => `${url}-i`),
        ocspUrls: ocspUrls.map((url) => `${url}-i`),
      });
      const leaf = through.issue({ dnsNames: ['e.test'], crlUrls, ocspUrls });
      await evidence(sources, [leaf, through, evil], { requester: new Requester(`e${index}.test`) });
    }
    expect(ca.requests).toHaveLength(240);
  });
});

describe('The limits of CA queries', () => {
  it('refuse no concurrent requests to a healthy public CA', async () => {
    const sources = createLoopbackSources();
    const leaves = Array.from({ length: 40 }, (_, index) => {
      const leaf = issuer.issue({ dnsNames: ['v.test'], ocspUrls: [`${ca.origin}/${index}`] });
      ca.ocsp(`/${index}`, mintOcspResponse(issuer, leaf));
      return leaf;
    });
    const told = await Promise.all(leaves.map((leaf) => evidence(sources, [leaf, issuer, root])));
    for (const one of told) expect(one).toMatchObject([good]);
  });

  it('make the result of a refused query pending, not unreachable', async () => {
    const sources = createLoopbackSources();
    for (let index = 0; index < 8; index++) {
      const crlUrls = [`${ca.origin}/nothing-${index}`];
      await evidence(sources, [evil.issue({ dnsNames: ['e.test'], crlUrls }), evil]);
    }
    const crlUrls = [ca.crl('/evil.crl', mintCrl(evil))];
    const leaf = evil.issue({ dnsNames: ['e.test'], crlUrls });
    expect(await evidence(sources, [leaf, evil])).toMatchObject([none('pending')]);
    expect(await complete(sources, [issuer.issue({ dnsNames: ['a.test'], caIssuersUrls: crlUrls })])).toEqual(
      {
        intermediates: [],
        isPending: true,
      },
    );
    // The limit concerns one requester; another one still gets an answer.
    expect(await evidence(sources, [leaf, evil], { requester: new Requester('other.test') })).toMatchObject([
      good,
    ]);
  });

  it('make the result of a slow issuer download pending, but not that of a missing issuer', async () => {
    const sources = createLoopbackSources();
    const caIssuersUrls = [ca.issuer('/r13.der', issuer.der)];
    const leaf = issuer.issue({ dnsNames: ['v.test'], caIssuersUrls });
    const release = ca.hold('/r13.der');
    const ended = new AbortController();
    const asking = complete(sources, [leaf], { signal: ended.signal });
    await expect.poll(() => ca.requests.length).toBe(1);
    ended.abort();
    expect(await asking).toEqual({ intermediates: [], isPending: true });
    release();
    expect(await complete(sources, [leaf])).toMatchObject({ intermediates: [{}], isPending: false });
    ca.fault('/gone.der', 'not-found');
    const lost = root
      .intermediate()
      .issue({ dnsNames: ['v.test'], caIssuersUrls: [`${ca.origin}/gone.der`] });
    expect(await complete(sources, [lost])).toEqual({ intermediates: [], isPending: false });
  });
});
