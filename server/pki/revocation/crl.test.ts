import { describe, expect, it } from 'vitest';
import {
  integer,
  objectIdentifier,
  sequence,
  set,
  tagged,
  utf8String,
} from '../../../tests/kit/certificates/der-writer.ts';
import { mintAuthority, mintKey } from '../../../tests/kit/certificates/mint.ts';
import { type CrlOptions, mintCrl } from '../../../tests/kit/certificates/mint-crl.ts';
import { parseCertificate } from '../certificate.ts';
import { crlStatus } from './crl-status.ts';
import { parseCrl } from './crl.ts';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';

const URL = 'http://crl.example/1.crl';
const now = Date.now();
const root = mintAuthority({ commonName: 'Root' });
const leaf = root.issue({ dnsNames: ['a.example'], crlUrls: [URL] });
const rsaKey = mintKey('RSA-2048');
const unknownCritical = { oid: '1.2.3.4', critical: true, value: integer(1n) };

interface Circumstances {
  certificate?: { der: Uint8Array };
  issuer?: { der: Uint8Array };
  url?: string | null;
  otherSigners?: { der: Uint8Array }[];
  isPublic?: boolean;
}

function ask(
  options: CrlOptions,
  { certificate = leaf, issuer = root, url = URL, otherSigners = [], isPublic = false }: Circumstances = {},
) {
  return crlStatus({
    crl: parseCrl(mintCrl(root, options)),
    certificate: parseCertificate(certificate.der),
    signers: [issuer, ...otherSigners].map(({ der }) => parseCertificate(der)),
    isPublic,
    url,
    now,
  });
}

const none = (why: string) => ({ state: 'none', why });

describe('a CRL of the issuer', () => {
  it('gives the status good, with the times of the CRL, for a certificate that is not on it', () => {
    const thisUpdate = Math.floor(now / 1000) * 1000 - HOUR_MS;
    const nextUpdate = thisUpdate + DAY_MS;
    const other = { serialNumber: leaf.serialNumber + 1n };
    expect(ask({ thisUpdate, nextUpdate, revoked: [other], url: URL })).toEqual({
      state: 'good',
      reason: null,
      revokedAt: null,
      thisUpdate,
      nextUpdate,
    });
    expect(ask({})).toMatchObject({ state: 'good' });
    expect(ask({ hash: 'sha1' })).toMatchObject({ state: 'good' });
  });

  it('says since when and why a certificate is revoked', () => {
    const revokedAt = Date.UTC(2026, 3, 5, 6, 7, 8);
    const revoked = [{ ...leaf, revokedAt, reason: 1 }];
    expect(ask({ revoked })).toMatchObject({ state: 'revoked', reason: 'keyCompromise', revokedAt });
    expect(ask({ revoked: [{ ...leaf, revokedAt }] })).toMatchObject({ state: 'revoked', reason: null });
    expect(ask({ fillers: 500, revoked: [...revoked, { serialNumber: 7n }] })).toMatchObject({
      state: 'revoked',
    });
  });

  it.each([
    [4, 'superseded'],
    [6, 'certificateHold'],
    [10, 'aACompromise'],
    [7, null],
  ])('names the reason %i as %s', (reason, name) => {
    expect(ask({ revoked: [{ ...leaf, reason }] })).toMatchObject({ state: 'revoked', reason: name });
  });

  it('is accepted in PEM, and if it is dated up to five minutes ahead', () => {
    expect(ask({ thisUpdate: now + 4 * 60_000 })).toMatchObject({ state: 'good' });
    expect(ask({ thisUpdate: now + 6 * 60_000 })).toEqual(none('stale'));
    const pem = `-----BEGIN X509 CRL-----\n${mintCrl(root, { revoked: [leaf] }).toString('base64')}\n-----END X509 CRL-----\n`;
    expect(parseCrl(Buffer.from(pem)).entryCount).toBe(1);
  });

  it('proves nothing about a certificate that it lists as removed (removeFromCRL), but another entry revokes it', () => {
    const removed = { ...leaf, reason: 8 };
    expect(ask({ revoked: [removed] })).toEqual(none('contradictory'));
    expect(ask({ revoked: [removed, removed] })).toEqual(none('contradictory'));
    expect(ask({ revoked: [removed], deltaOf: 1n })).toEqual(none('wrong_scope'));
    expect(ask({ revoked: [removed, leaf] })).toMatchObject({ state: 'revoked' });
    expect(ask({ revoked: [leaf, removed] })).toMatchObject({ state: 'revoked' });
  });

  it('puts a certificate on hold only while the CRL is valid, unless it is also revoked for another reason', () => {
    const held = { ...leaf, reason: 6 };
    const over = { thisUpdate: now - 9 * DAY_MS, nextUpdate: now - 1000 };
    expect(ask({ revoked: [held] })).toMatchObject({ state: 'revoked', reason: 'certificateHold' });
    expect(ask({ ...over, revoked: [held] })).toEqual(none('stale'));
    expect(ask({ thisUpdate: now + HOUR_MS, revoked: [held] })).toEqual(none('stale'));
    expect(ask({ ...over, deltaOf: 1n, revoked: [held] })).toEqual(none('stale'));
    expect(ask({ ...over, revoked: [{ ...leaf, reason: 1 }] })).toMatchObject({ state: 'revoked' });
  });

  it('may be of any age below a private root, and below a public root a week old for leaves and a year old for CAs', () => {
    const at = (days: number) => ({ thisUpdate: now - days * DAY_MS + HOUR_MS, nextUpdate: now + DAY_MS });
    const authority = root.intermediate({ crlUrls: [URL] });
    const ofPublic = { isPublic: true };
    const ofAuthority = { ...ofPublic, certificate: authority };
    expect(ask(at(800))).toMatchObject({ state: 'good' });
    expect(ask(at(7), ofPublic)).toMatchObject({ state: 'good' });
    expect(ask(at(7.1), ofPublic)).toEqual(none('too_old'));
    expect(ask({ ...at(8), revoked: [leaf] }, ofPublic)).toMatchObject({ state: 'revoked' });
    expect(ask(at(366), ofAuthority)).toMatchObject({ state: 'good' });
    expect(ask(at(366.1), ofAuthority)).toEqual(none('too_old'));
  });

  it('may put a certificate on hold below a public root, even if it is old', () => {
    const at = { thisUpdate: now - 60 * DAY_MS, nextUpdate: now + DAY_MS };
    expect(ask({ ...at, revoked: [{ ...leaf, reason: 6 }] }, { isPublic: true })).toMatchObject({
      state: 'revoked',
    });
  });

  it('may be of version 1', () => {
    expect(ask({ plain: true, revoked: [leaf] })).toMatchObject({ state: 'revoked' });
  });

  it.each([1n, 127n, 128n, 0x80_0000n, -5n, 2n ** 159n])(
    'finds the serial number %s and no similar number',
    (serialNumber) => {
      const certificate = root.issue({ serialNumber, crlUrls: [URL] });
      const near = [serialNumber + 1n, serialNumber - 1n, serialNumber * 256n, -serialNumber - 256n];
      const others = near.map((one) => ({ serialNumber: one }));
      expect(ask({ revoked: others }, { certificate })).toMatchObject({ state: 'good' });
      expect(ask({ revoked: [...others, { serialNumber }] }, { certificate })).toMatchObject({
        state: 'revoked',
      });
    },
  );
});

describe('a CRL signed with another key of the issuer', () => {
  const otherKey = mintAuthority({ commonName: 'Root' });
  const otherName = mintAuthority({ commonName: 'Other', key: otherKey.key });
  const noCrls = mintAuthority({ commonName: 'Root', key: otherKey.key, keyUsage: ['keyCertSign'] });

  it('counts if a certificate for that key has the name of the issuer and may sign CRLs', () => {
    const signer = otherKey.key;
    expect(ask({ signer }, { otherSigners: [otherKey] })).toMatchObject({ state: 'good' });
    expect(ask({ signer, revoked: [leaf] }, { otherSigners: [otherKey] })).toMatchObject({
      state: 'revoked',
    });
    expect(ask({ signer }, { otherSigners: [otherName, noCrls] })).toEqual(none('bad_signature'));
  });
});

describe('a CRL distribution point with a directory name', () => {
  // Without tag and length.
  const rootNames = root.subjectDer.subarray(2);
  const part = (text: string) => sequence(objectIdentifier('2.5.4.3'), utf8String(text));
  const full = (text: string) =>
    tagged(0, true, tagged(0, true, tagged(4, true, sequence(rootNames, set(part(text))))));
  const relative = (text: string) => tagged(0, true, tagged(1, true, part(text)));
  const status = (ofCertificate: Buffer, ofCrl: Buffer) => {
    const points = { oid: '2.5.29.31', value: sequence(sequence(ofCertificate)) };
    return ask(
      { extraExtensions: [{ oid: '2.5.29.28', critical: true, value: sequence(ofCrl) }] },
      { certificate: root.issue({ extraExtensions: [points] }), url: null },
    );
  };

  it.each([
    ['full', full('One'), full('one')],
    ['relative', relative('One'), relative('One')],
    ['full and relative', full('One'), relative('One')],
    ['relative and full', relative('One'), full('One')],
  ])('covers a certificate that lists the same distribution point name: %s', (_, ofCertificate, ofCrl) => {
    expect(status(ofCertificate, ofCrl)).toMatchObject({ state: 'good' });
  });

  it('does not cover a certificate that lists another distribution point name', () => {
    expect(status(full('One'), full('Two'))).toEqual(none('wrong_scope'));
    expect(status(relative('One'), full('Two'))).toEqual(none('wrong_scope'));
  });
});

describe('a CRL with limited time or scope', () => {
  it.each<[string, CrlOptions, string]>([
    ['of yesterday', { nextUpdate: now - 1000 }, 'stale'],
    ['of tomorrow', { thisUpdate: now + HOUR_MS }, 'stale'],
    ['without nextUpdate', { nextUpdate: null }, 'no_next_update'],
    [
      'without nextUpdate and of last week',
      { nextUpdate: null, thisUpdate: now - 8 * DAY_MS },
      'no_next_update',
    ],
    ['without nextUpdate and of tomorrow', { nextUpdate: null, thisUpdate: now + DAY_MS }, 'stale'],
    ['that is marked as indirect', { indirect: true }, 'indirect'],
    ['that is marked as indirect and names its URL', { indirect: true, url: URL }, 'indirect'],
    ['that is marked as indirect and of user certificates', { indirect: true, only: 'user' }, 'indirect'],
    ['that is marked as indirect and of authorities', { indirect: true, only: 'authority' }, 'wrong_scope'],
    ['of changes only (delta CRL)', { deltaOf: 1n }, 'wrong_scope'],
    ['of some reasons', { someReasons: true }, 'wrong_scope'],
    ['of another shard', { url: `${URL}2` }, 'wrong_scope'],
    ['of the same URL in another case', { url: 'http://CRL.example/1.crl' }, 'wrong_scope'],
    ['of authorities', { url: URL, only: 'authority' }, 'wrong_scope'],
  ])('can revoke a certificate but not give it the status good, such as a CRL %s', (_, options, why) => {
    expect(ask(options)).toEqual(none(why));
    expect(ask({ ...options, revoked: [{ ...leaf, reason: 1 }] })).toMatchObject({
      state: 'revoked',
      reason: 'keyCompromise',
    });
  });

  it('can revoke a certificate that does not list the URL of the CRL, but not give it the status good', () => {
    expect(ask({}, { url: `${URL}?` })).toEqual(none('wrong_scope'));
    expect(ask({ revoked: [leaf] }, { url: `${URL}?` })).toMatchObject({ state: 'revoked' });
  });
});

describe('an untrustworthy CRL', () => {
  const onlySigns = mintAuthority({ commonName: 'Root', key: root.key, keyUsage: ['keyCertSign'] });
  it.each<[string, CrlOptions, string]>([
    ['signed with another key', { signer: mintKey() }, 'bad_signature'],
    ['with a corrupt signature', { corruptSignature: true }, 'bad_signature'],
    ['signed with MD5', { signer: rsaKey, hash: 'md5' }, 'weak_signature'],
    ['signed with an unknown algorithm', { signatureOid: '1.2.643.7.1.1.3.2' }, 'unknown_signature'],
    [
      'of an issuer with another name',
      { issuerDer: mintAuthority({ commonName: 'Other' }).subjectDer },
      'wrong_issuer',
    ],
    ['of attribute certificates', { only: 'attribute', revoked: [leaf] }, 'wrong_scope'],
    ['with an unknown critical extension', { extraExtensions: [unknownCritical] }, 'malformed'],
    [
      'with an unknown critical extension in an entry',
      { revoked: [{ serialNumber: 5n, extensions: [unknownCritical] }, leaf] },
      'malformed',
    ],
  ])('is ignored, such as one %s', (_, options, why) => expect(ask(options)).toEqual(none(why)));

  it('is ignored if the key of its issuer is not for CRLs', () => {
    expect(ask({}, { issuer: onlySigns })).toEqual(none('wrong_issuer'));
  });

  it('is ignored if the certificate lists its distribution point for some reasons only', () => {
    const name = tagged(0, true, tagged(0, true, tagged(6, false, Buffer.from(URL))));
    const point = sequence(name, tagged(1, false, Buffer.from([6, 0x40])));
    const certificate = root.issue({ extraExtensions: [{ oid: '2.5.29.31', value: sequence(point) }] });
    expect(parseCertificate(certificate.der).crlDistributionPoints).toMatchObject([
      { uris: [URL], coversAllReasons: false },
    ]);
    expect(ask({}, { certificate })).toEqual(none('wrong_scope'));
  });
});

describe('the scope of a CRL', () => {
  const intermediate = root.intermediate({ crlUrls: [URL] });
  it('must include the kind of certificate, user or authority', () => {
    expect(ask({ only: 'user' })).toMatchObject({ state: 'good' });
    expect(ask({ only: 'user' }, { certificate: intermediate })).toEqual(none('wrong_scope'));
    const ofVersion1 = root.issue({ editFields: (fields) => fields.slice(1, -1) });
    expect(ask({ only: 'user' }, { certificate: ofVersion1, url: null })).toEqual(none('wrong_scope'));
    expect(ask({}, { certificate: ofVersion1, url: null })).toMatchObject({ state: 'good' });
    expect(ask({ only: 'authority', url: URL }, { certificate: intermediate })).toMatchObject({
      state: 'good',
    });
  });

  it('may be given by any name of the certificate’s distribution point', () => {
    const ldap = 'ldap://directory.example/cn=1';
    const names = [ldap, URL].map((name) => tagged(6, false, Buffer.from(name)));
    const point = sequence(tagged(0, true, tagged(0, true, ...names)));
    const certificate = root.issue({ extraExtensions: [{ oid: '2.5.29.31', value: sequence(point) }] });
    expect(parseCertificate(certificate.der).crlUrls).toEqual([URL]);
    expect(ask({ url: ldap }, { certificate })).toMatchObject({ state: 'good' });
    expect(ask({ url: ldap })).toEqual(none('wrong_scope'));
  });
});

it('a CRL from an unknown URL counts if it covers everything or the distribution point of the certificate', () => {
  expect(ask({}, { url: null })).toMatchObject({ state: 'good' });
  expect(ask({ url: URL }, { url: null })).toMatchObject({ state: 'good' });
  expect(ask({ url: `${URL}2` }, { url: null })).toEqual(none('wrong_scope'));
});

it('the profile rfc5280 rejects a CRL without a CRL number or with a critical one', () => {
  const strict = (options: CrlOptions) =>
    crlStatus({
      crl: parseCrl(mintCrl(root, options)),
      certificate: parseCertificate(leaf.der),
      signers: [parseCertificate(root.der)],
      isPublic: false,
      url: null,
      now,
      profile: 'rfc5280',
    });
  expect(strict({})).toMatchObject({ state: 'good' });
  expect(strict({ number: null })).toEqual(none('malformed'));
  expect(strict({ plain: true })).toEqual(none('malformed'));
  const critical = { oid: '2.5.29.20', critical: true, value: integer(1n) };
  expect(strict({ number: null, extraExtensions: [critical] })).toEqual(none('malformed'));
});

describe('an indirect CRL', () => {
  const other = mintAuthority({ commonName: 'Other Root' });
  const crlIssuer = tagged(2, true, tagged(4, true, root.subjectDer));
  const point = sequence(tagged(0, true, tagged(0, true, tagged(6, false, Buffer.from(URL)))), crlIssuer);
  const foreign = other.issue({ extraExtensions: [{ oid: '2.5.29.31', value: sequence(point) }] });
  const about = ({ subjectDer }: { subjectDer: Uint8Array }) => ({
    extensions: [{ oid: '2.5.29.29', critical: true, value: sequence(tagged(4, true, subjectDer)) }],
  });
  const askOther = (options: CrlOptions) =>
    ask(options, { certificate: foreign, issuer: other, otherSigners: [root] });

  it('applies each entry to the issuer that it or the nearest earlier entry names', () => {
    const { serialNumber } = foreign;
    const named = { serialNumber: 5n, ...about(other) };
    expect(askOther({ indirect: true, revoked: [{ serialNumber, ...about(other) }] }).state).toBe('revoked');
    expect(askOther({ indirect: true, revoked: [named, { serialNumber }] }).state).toBe('revoked');
    const next = { serialNumber: 6n, ...about(root) };
    expect(askOther({ indirect: true, revoked: [named, next, { serialNumber }] }).state).toBe('good');
  });

  it('applies entries to its own issuer until the first entry that names another issuer', () => {
    expect(ask({ indirect: true, revoked: [leaf] }).state).toBe('revoked');
    expect(ask({ indirect: true, revoked: [{ ...leaf, ...about(other) }] })).toEqual(none('indirect'));
    expect(askOther({ indirect: true, revoked: [foreign] }).state).toBe('good');
  });

  it('says nothing about a certificate that names no CRL issuer, nor if the CRL is not marked as indirect', () => {
    const unnamed = other.issue({ crlUrls: [URL] });
    const circumstances = { certificate: unnamed, issuer: other, otherSigners: [root] };
    expect(ask({ indirect: true }, circumstances)).toEqual(none('wrong_issuer'));
    expect(askOther({})).toEqual(none('wrong_issuer'));
    expect(ask({ revoked: [{ ...leaf, ...about(other) }] })).toEqual(none('malformed'));
  });
});

it('a CRL that its issuer marks as indirect proves nothing, even if the certificate names the issuer as the CRL issuer', () => {
  const crlIssuer = tagged(2, true, tagged(4, true, root.subjectDer));
  const point = sequence(tagged(0, true, tagged(0, true, tagged(6, false, Buffer.from(URL)))), crlIssuer);
  const certificate = root.issue({ extraExtensions: [{ oid: '2.5.29.31', value: sequence(point) }] });
  expect(ask({ indirect: true, url: URL }, { certificate })).toEqual(none('indirect'));
  expect(ask({ indirect: true, revoked: [certificate] }, { certificate })).toMatchObject({
    state: 'revoked',
  });
});

it('a CRL with a critical reason in any entry does not prove that a certificate is good, but may revoke it', () => {
  const extensions = [{ oid: '2.5.29.21', critical: true, value: Buffer.from([10, 1, 1]) }];
  expect(ask({ revoked: [{ serialNumber: 7n, extensions }] })).toEqual(none('malformed'));
  expect(ask({ revoked: [{ serialNumber: 7n, extensions }, leaf] })).toMatchObject({ state: 'revoked' });
  expect(ask({ revoked: [{ ...leaf, extensions }] })).toMatchObject({ reason: 'keyCompromise' });
});

it.each([
  ['2.5.29.18', { state: 'revoked' }],
  ['2.5.29.20', { state: 'revoked' }],
  ['1.2.3.4', none('malformed')],
])(
  'a CRL whose extension %s is critical proves nothing, and revokes only if the extension is known',
  (oid, ofListed) => {
    const extraExtensions = [{ oid, critical: true, value: integer(1n) }];
    expect(ask({ number: null, extraExtensions })).toEqual(none('malformed'));
    expect(ask({ number: null, extraExtensions, revoked: [leaf] })).toMatchObject(ofListed);
  },
);

it('a CRL with several entries about a certificate revokes it permanently if one entry has a permanent reason, even if the CRL has expired', () => {
  const past = { thisUpdate: now - 9 * DAY_MS, nextUpdate: now - DAY_MS };
  const [hold, final, removed] = [6, 1, 8].map((reason) => ({ ...leaf, reason }));
  if (hold === undefined || final === undefined || removed === undefined) throw new Error('no entries');
  for (const revoked of [
    [hold, final, removed],
    [removed, hold, final],
  ])
    expect(ask({ ...past, revoked })).toMatchObject({ state: 'revoked', reason: 'keyCompromise' });
  expect(ask({ revoked: [removed, hold] })).toMatchObject({ state: 'revoked', reason: 'certificateHold' });
});
