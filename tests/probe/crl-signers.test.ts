import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { crlSigners } from '../../server/pki/revocation/crl-signers.ts';
import { WorkBudget } from '../../server/pki/work-budget.ts';
import { Requester } from '../../server/probe/sources/sources.ts';
import { sequence, tagged } from '../kit/certificates/der-writer.ts';
import { type CrlOptions, mintCrl } from '../kit/certificates/mint-crl.ts';
import { type CertificateOptions, mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { type CaServer, startCaServer } from '../kit/peers/ca-server.ts';
import { STOPPED, stopTimers } from '../kit/peers/loopback.ts';
import { createLoopbackSources } from '../kit/peers/sources.ts';

const NOW = Date.now();
const root = mintAuthority({ commonName: 'Root' });
const issuer = root.intermediate({ commonName: 'Issuer' });
const signing: CertificateOptions = { keyUsage: ['cRLSign'], extendedKeyUsage: null };

let ca: CaServer;
/** A certificate of the issuer for a second key. This key only signs CRLs. */
let secondKey: MintedCertificate;
/** A certificate with another name that signs CRLs on behalf of the issuer. */
let crlIssuer: MintedCertificate;
beforeEach(async () => {
  // If a CRL took longer than 2 s, the result would change, so the timers are stopped.
  stopTimers();
  ca = await startCaServer();
  onTestFinished(() => ca.stop());
  secondKey = signerOf();
  const crlUrls = [`${ca.origin}/signers.crl`];
  crlIssuer = issuer.issue({ ...signing, commonName: 'CRL Issuer', crlUrls });
  ca.crl('/signers.crl', mintCrl(issuer));
});

/** Issues a certificate that signs CRLs, with the name of the issuer by default. */
function signerOf(more: CertificateOptions = {}): MintedCertificate {
  const { subjectDer } = issuer;
  return issuer.issue({ ...signing, subjectDer, crlUrls: [`${ca.origin}/signers.crl`], ...more });
}

const leafOf = () => issuer.issue({ dnsNames: ['a.test'], crlUrls: [`${ca.origin}/leaf.crl`] });

/** Issues a leaf whose distribution point names a CRL issuer (RFC 5280 §4.2.1.13). */
function leafNaming({ subjectDer }: MintedCertificate): MintedCertificate {
  const url = tagged(6, false, Buffer.from(`${ca.origin}/leaf.crl`));
  const point = sequence(tagged(0, true, tagged(0, true, url)), tagged(2, true, tagged(4, true, subjectDer)));
  return issuer.issue({
    dnsNames: ['a.test'],
    extraExtensions: [{ oid: '2.5.29.31', value: sequence(point) }],
  });
}

/** Asks about a leaf. Its server sends `others` besides the path, and `signer` signed its CRL. */
async function ask(
  leaf: MintedCertificate,
  signer: MintedCertificate,
  { others = [signer], ...options }: CrlOptions & { others?: readonly MintedCertificate[] } = {},
) {
  ca.crl('/leaf.crl', mintCrl(signer, options));
  return askAbout(leaf, others);
}

async function askAbout(
  leaf: MintedCertificate,
  others: readonly MintedCertificate[],
  sources = createLoopbackSources(),
) {
  const parse = ({ der }: MintedCertificate) => parseCertificate(der);
  const [evidence] = await sources.revocation.evidence({
    path: [leaf, issuer, root].map(parse),
    sent: [leaf, issuer, ...others].map(parse),
    isPublic: false,
    requester: new Requester('a.test'),
    staple: null,
    isThorough: false,
    now: NOW,
    signal: new AbortController().signal,
  });
  return evidence?.answer;
}

const about = (leaf: MintedCertificate) => ({
  ...leaf,
  extensions: [{ oid: '2.5.29.29', critical: true, value: sequence(tagged(4, true, issuer.subjectDer)) }],
});

describe('a CRL with a critical reason', () => {
  it('reveals a revocation even if it was fetched for a certificate that it does not list', async () => {
    const [sources, leaf] = [createLoopbackSources(), leafOf()];
    const extensions = [{ oid: '2.5.29.21', critical: true, value: Buffer.from([10, 1, 1]) }];
    ca.crl('/leaf.crl', mintCrl(issuer, { revoked: [{ ...leaf, extensions }] }));
    expect(await askAbout(leafOf(), [], sources)).toEqual({ state: 'none', why: 'malformed' });
    expect(await askAbout(leaf, [], sources)).toMatchObject({ state: 'revoked', reason: 'keyCompromise' });
    expect(ca.requestsTo('/leaf.crl')).toHaveLength(1);
  });
});

describe('a certificate outside the path that the server sends', () => {
  it('may sign the CRL if it has the name of the issuer and another key', async () => {
    expect(await ask(leafOf(), secondKey)).toMatchObject({ state: 'good' });
    const leaf = leafOf();
    expect(await ask(leaf, secondKey, { revoked: [leaf] })).toMatchObject({ state: 'revoked' });
  });

  it('may sign an indirect CRL if the checked certificate names it as the CRL issuer', async () => {
    expect(await ask(leafNaming(crlIssuer), crlIssuer, { indirect: true })).toMatchObject({ state: 'good' });
    const leaf = leafNaming(crlIssuer);
    const revoked = [about(leaf)];
    expect(await ask(leaf, crlIssuer, { indirect: true, revoked })).toMatchObject({ state: 'revoked' });
    expect(await ask(leafNaming(root), root, { indirect: true, others: [] })).toMatchObject({
      state: 'good',
    });
  });

  it.each<[string, () => MintedCertificate, string]>([
    ['of another CA', () => mintAuthority({ subjectDer: issuer.subjectDer }), 'bad_signature'],
    [
      'that has expired',
      () => signerOf({ notBefore: NOW - 2 * DAY_MS, notAfter: NOW - HOUR_MS }),
      'bad_signature',
    ],
    ['that may not sign CRLs', () => signerOf({ keyUsage: ['digitalSignature'] }), 'bad_signature'],
    ['whose own certificate is signed with SHA-1', () => signerOf({ hash: 'sha1' }), 'bad_signature'],
    ['that names no CRL of its own', () => signerOf({ crlUrls: [] }), 'bad_signature'],
    ['whose own CRL is missing', () => signerOf({ crlUrls: [`${ca.origin}/none.crl`] }), 'bad_signature'],
    ['of another name', () => crlIssuer, 'wrong_issuer'],
  ])('gives no status if it signs %s', async (_, signer, why) => {
    expect(await ask(leafOf(), signer())).toEqual({ state: 'none', why });
  });

  it('gives no status if the server does not send it', async () => {
    expect(await ask(leafOf(), secondKey, { others: [] })).toEqual({ state: 'none', why: 'bad_signature' });
  });

  it('reveals a revocation, even if another server with the same CRL does not send it', async () => {
    const [sources, leaf] = [createLoopbackSources(), leafOf()];
    ca.crl('/leaf.crl', mintCrl(secondKey, { revoked: [leaf] }));
    expect(await askAbout(leafOf(), [], sources)).toEqual({ state: 'none', why: 'bad_signature' });
    expect(await askAbout(leaf, [secondKey], sources)).toMatchObject({ state: 'revoked' });
  });

  it('delays the CRL of the leaf by at most 2 s if its own CRL is slow', async () => {
    const leaf = leafOf();
    ca.crl('/leaf.crl', mintCrl(issuer, { revoked: [leaf] }));
    onTestFinished(ca.hold('/signers.crl'));
    const asking = askAbout(leaf, [secondKey]);
    await expect.poll(() => ca.requestsTo('/signers.crl').length, STOPPED).toBe(1);
    vi.advanceTimersByTime(2_000);
    expect(await asking).toMatchObject({ state: 'revoked' });
  });

  it('costs the work of at most four signatures, however many have the name of the issuer', () => {
    const others = Array.from({ length: 10 }, () => mintAuthority({ subjectDer: issuer.subjectDer }));
    const [certificate, ...authorities] = [leafOf(), issuer, root].map(({ der }) => parseCertificate(der));
    if (certificate === undefined) throw new Error('no certificate');
    const spentOn = (count: number): number => {
      const work = new WorkBudget();
      const sent = others.slice(0, count).map(({ der }) => parseCertificate(der));
      expect(crlSigners({ certificate, authorities, others: sent, now: NOW, work })).toEqual([]);
      return work.spent;
    };
    expect(spentOn(4)).toBe(spentOn(10));
  });

  it('gives no status if the CA has revoked it', async () => {
    ca.crl('/signers.crl', mintCrl(issuer, { revoked: [secondKey] }));
    expect(await ask(leafOf(), secondKey)).toEqual({ state: 'none', why: 'bad_signature' });
  });

  it('gives no status about a certificate that does not name it as the CRL issuer', async () => {
    expect(await ask(leafOf(), crlIssuer, { indirect: true })).toEqual({
      state: 'none',
      why: 'wrong_issuer',
    });
    expect(await ask(leafNaming(root), crlIssuer, { indirect: true })).toEqual({
      state: 'none',
      why: 'wrong_issuer',
    });
    expect(await ask(leafNaming(crlIssuer), crlIssuer)).toEqual({ state: 'none', why: 'wrong_issuer' });
  });
});
