import { describe, expect, it } from 'vitest';
import { integer, octetString } from '../../../tests/kit/certificates/der-writer.ts';
import { mintAuthority, mintKey } from '../../../tests/kit/certificates/mint.ts';
import {
  mintOcspError,
  mintOcspResponse,
  type OcspResponseOptions,
  type SingleResponseOptions,
} from '../../../tests/kit/certificates/mint-ocsp.ts';
import { parseCertificate } from '../certificate.ts';
import { ocspStatus } from './ocsp-status.ts';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';

const now = Date.now();
const root = mintAuthority({ commonName: 'Root' });
const leaf = root.issue({ dnsNames: ['a.example'] });
const other = root.issue({ dnsNames: ['b.example'] });
const signing = { commonName: 'Responder', extendedKeyUsage: ['ocspSigning'] };
const responder = root.issue(signing);
const stranger = mintAuthority({ commonName: 'Root' });
const rsaKey = mintKey('RSA-2048');
const critical = { oid: '1.2.3.4', critical: true, value: integer(1n) };

const judge = (response: Uint8Array, { certificate = leaf, isPublic = false } = {}) =>
  ocspStatus({
    response,
    certificate: parseCertificate(certificate.der),
    issuer: parseCertificate(root.der),
    isPublic,
    now,
  });
const ask = (options: OcspResponseOptions = {}) => judge(mintOcspResponse(root, leaf, options));
const none = (why: string) => ({ state: 'none', why });

describe('a valid OCSP response', () => {
  it('is accepted from the issuer itself, with its times', () => {
    const thisUpdate = Math.floor(now / 1000) * 1000 - HOUR_MS;
    const nextUpdate = thisUpdate + 48 * HOUR_MS;
    const good = { state: 'good', reason: null, revokedAt: null, thisUpdate, nextUpdate };
    expect(ask({ thisUpdate, nextUpdate })).toEqual(good);
    expect(ask({ thisUpdate, nextUpdate, named: 'key' })).toEqual(good);
  });

  it('may be signed with SHA-1, or have critical timestamps of Certificate Transparency', () => {
    expect(ask({ hash: 'sha1' })).toMatchObject({ state: 'good' });
    const timestamps = {
      oid: '1.3.6.1.4.1.11129.2.4.5',
      critical: true,
      value: octetString(Buffer.alloc(2)),
    };
    expect(ask({ extensions: [timestamps] })).toMatchObject({ state: 'good' });
  });

  it('says since when and why a certificate is revoked', () => {
    const revokedAt = Date.UTC(2026, 3, 5, 6, 7, 8);
    expect(ask({ status: 'revoked', revokedAt, reason: 1 })).toMatchObject({
      state: 'revoked',
      revokedAt,
      reason: 'keyCompromise',
    });
    expect(ask({ status: 'revoked', revokedAt })).toMatchObject({ state: 'revoked', reason: null });
  });

  it.each(['sha256', 'sha384', 'sha512'] as const)('can identify the certificate with %s', (idHash) => {
    expect(ask({ idHash })).toMatchObject({ state: 'good' });
  });

  it('may come from a responder that the issuer appointed', () => {
    expect(ask({ responder })).toMatchObject({ state: 'good' });
    expect(ask({ responder, named: 'key', status: 'revoked' })).toMatchObject({ state: 'revoked' });
  });

  it('may be dated two minutes ahead, or be six days old without nextUpdate', () => {
    const soon = now + 2 * 60_000;
    expect(ask({ thisUpdate: soon, producedAt: soon })).toMatchObject({ state: 'good' });
    expect(ask({ thisUpdate: now - 6 * DAY_MS, nextUpdate: null })).toMatchObject({
      state: 'good',
      nextUpdate: null,
    });
  });
});

it.each<[string, OcspResponseOptions]>([
  ['past its end', { nextUpdate: now - 1000 }],
  ['of tomorrow', { thisUpdate: now + DAY_MS, producedAt: now + DAY_MS }],
  ['without an end and of last week', { thisUpdate: now - 8 * DAY_MS, nextUpdate: null }],
])('a revocation still counts in a stale OCSP response, such as one %s', (_, options) => {
  expect(ask({ ...options, status: 'revoked', reason: 1 })).toMatchObject({
    state: 'revoked',
    reason: 'keyCompromise',
  });
});

describe('an untrustworthy OCSP response', () => {
  it.each<[string, OcspResponseOptions, string]>([
    ['with a corrupt signature', { corruptSignature: true }, 'bad_signature'],
    ['signed with MD5', { signer: rsaKey, hash: 'md5' }, 'weak_signature'],
    ['signed with an unknown algorithm', { signatureOid: '1.2.643.7.1.1.3.2' }, 'unknown_signature'],
    [
      'of a responder whose certificate has an unknown signature algorithm',
      { responder: root.issue({ ...signing, signatureOid: '1.2.643.7.1.1.3.2' }) },
      'unknown_signature',
    ],
    [
      'of a responder with an unknown signature algorithm that did not sign it',
      {
        responder: root.issue({ ...signing, signatureOid: '1.2.643.7.1.1.3.2' }),
        corruptSignature: true,
      },
      'bad_signature',
    ],
    ['signed with another key under the name of the issuer', { signer: mintKey() }, 'bad_signature'],
    ['of a responder with a corrupt signature', { responder, corruptSignature: true }, 'bad_signature'],
    ['of a certificate that is no responder', { responder: other }, 'wrong_issuer'],
    [
      'of a certificate for any purpose',
      { responder: root.issue({ extendedKeyUsage: ['any'] }) },
      'wrong_issuer',
    ],
    [
      'of a responder of another issuer with the same name',
      { responder: stranger.issue(signing) },
      'wrong_issuer',
    ],
    [
      'of a responder of an authority below',
      { responder: root.intermediate().issue(signing) },
      'wrong_issuer',
    ],
    [
      'of an expired responder',
      { responder: root.issue({ ...signing, notAfter: now - 1000 }) },
      'wrong_issuer',
    ],
    [
      'of a responder whose key is for other things',
      { responder: root.issue({ ...signing, keyUsage: ['keyEncipherment'] }) },
      'wrong_issuer',
    ],
    ['past its end', { nextUpdate: now - 1000 }, 'stale'],
    ['of tomorrow', { thisUpdate: now + DAY_MS }, 'misdated'],
    ['of the day after tomorrow', { thisUpdate: now + 2 * DAY_MS }, 'not_yet_valid'],
    ['made tomorrow', { producedAt: now + DAY_MS }, 'misdated'],
    ['made before the certificate was valid', { producedAt: now - 2 * HOUR_MS }, 'misdated'],
    ['that ends before it begins', { thisUpdate: now + 60_000, nextUpdate: now + 1000 }, 'stale'],
    ['without nextUpdate and of last week', { thisUpdate: now - 8 * DAY_MS, nextUpdate: null }, 'too_old'],
    ['without nextUpdate and of last month', { thisUpdate: now - 16 * DAY_MS, nextUpdate: null }, 'stale'],
    [
      'of a responder whose certificate is signed with SHA-1',
      { responder: root.issue({ ...signing, hash: 'sha1' }) },
      'sha1_responder',
    ],
    ['that does not know the certificate', { status: 'unknown' }, 'responder_refused'],
    ['with an unknown critical extension', { extensions: [critical] }, 'malformed'],
  ])('is ignored, such as one %s', (_, options, why) => expect(ask(options)).toEqual(none(why)));

  it.each([
    [['good', 'unknown'], none('contradictory')],
    [['unknown', 'unknown'], none('responder_refused')],
    [['good', 'revoked'], { state: 'revoked' }],
    [['revoked', 'unknown'], { state: 'revoked' }],
  ] as const)(
    'with the statuses %j for one certificate counts as the strictest status, in any order',
    (statuses, result) => {
      const [first, last] = statuses;
      expect(ask({ before: [{ status: first }], status: last })).toMatchObject(result);
      expect(ask({ before: [{ status: last }], status: first })).toMatchObject(result);
    },
  );

  it('is ignored if it is about another certificate or a certificate of another issuer', () => {
    expect(judge(mintOcspResponse(root, other))).toEqual(none('wrong_scope'));
    const twin = mintAuthority({ commonName: 'Twin' });
    expect(judge(mintOcspResponse(twin, leaf, { responder }))).toEqual(none('wrong_scope'));
  });

  it.each([1, 2, 3, 5, 6] as const)('is ignored with the error status %i', (code) => {
    expect(judge(mintOcspError(code))).toEqual(none(code === 3 ? 'try_later' : 'responder_refused'));
  });

  it('is ignored if its bytes cannot be parsed, are truncated or exceed 64 KiB', () => {
    const response = mintOcspResponse(root, leaf);
    expect(judge(new Uint8Array())).toEqual(none('malformed'));
    expect(judge(leaf.der)).toEqual(none('malformed'));
    expect(judge(response.subarray(0, -1))).toEqual(none('malformed'));
    expect(judge(Buffer.from('30030a0100', 'hex'))).toEqual(none('malformed'));
    expect(judge(Buffer.alloc(65_537))).toEqual(none('too_large'));
  });
});

describe('an OCSP response with several statuses of one certificate', () => {
  const past = { thisUpdate: now - 9 * DAY_MS, nextUpdate: now - DAY_MS };
  const held = { ...past, status: 'revoked', reason: 6 } as const;
  const compromised = { ...past, status: 'revoked', reason: 1 } as const;

  it.each<[string, SingleResponseOptions]>([
    ['a hold', held],
    ['a revocation', compromised],
    ['good', past],
    ['unknown', { ...past, status: 'unknown' }],
  ])('is good if only %s has expired, and says whether the fresh status is the first', (_, old) => {
    expect(ask({ before: [old] })).toMatchObject({ state: 'good', isPreceded: true });
    expect(ask({ before: [old, old] })).toMatchObject({ state: 'good', isPreceded: true });
    expect(ask({ ...old, before: [{}] })).toMatchObject({ state: 'good' });
    expect(ask({ ...old, before: [{}] })).not.toHaveProperty('isPreceded');
  });

  it('is revoked while a hold has not expired, even if a later one says good', () => {
    const fresh = { status: 'revoked', reason: 6 } as const;
    expect(ask({ before: [fresh] })).toMatchObject({ state: 'revoked', reason: 'certificateHold' });
    expect(ask({ ...fresh, before: [{}] })).toMatchObject({ state: 'revoked', reason: 'certificateHold' });
    expect(ask({ ...fresh, before: [held] })).toMatchObject({ state: 'revoked', reason: 'certificateHold' });
  });

  it('is finally revoked if it says on hold and finally revoked, in any order', () => {
    const [hold, final] = [6, 1].map((reason) => ({ status: 'revoked', reason }) as const);
    expect(ask({ ...final, before: [{ ...hold }] })).toMatchObject({ reason: 'keyCompromise' });
    expect(ask({ ...hold, before: [{ ...final }] })).toMatchObject({ reason: 'keyCompromise' });
  });

  it('is out of date if all have expired, unless one is a final revocation', () => {
    expect(ask(held)).toEqual(none('stale'));
    expect(ask({ ...past, before: [held] })).toEqual(none('stale'));
    expect(ask({ ...held, before: [compromised] })).toMatchObject({ reason: 'keyCompromise' });
  });
});

describe('an OCSP response below a public root', () => {
  const ofPublic = { isPublic: true };
  const certificate = root.issue({ notBefore: now - 100 * DAY_MS });
  const age = (days: number, more: OcspResponseOptions = {}) =>
    mintOcspResponse(root, certificate, {
      producedAt: now - days * DAY_MS + HOUR_MS,
      thisUpdate: now - days * DAY_MS + HOUR_MS,
      nextUpdate: now + DAY_MS,
      ...more,
    });

  it('may be a week old, and of any age below a private root', () => {
    expect(judge(age(7), { certificate, isPublic: true })).toMatchObject({ state: 'good' });
    expect(judge(age(7.1), { certificate, isPublic: true })).toEqual(none('too_old'));
    expect(judge(age(60), { certificate })).toMatchObject({ state: 'good' });
  });

  it('still revokes or holds the certificate if it is older', () => {
    for (const reason of [1, 6])
      expect(judge(age(60, { status: 'revoked', reason }), { certificate, isPublic: true })).toMatchObject({
        state: 'revoked',
      });
  });

  it('proves nothing if it is signed with SHA-1, but may say revoked', () => {
    const byRsa = { signer: rsaKey, hash: 'sha1' } as const;
    const response = (more: OcspResponseOptions = {}) =>
      mintOcspResponse(root, leaf, { hash: 'sha1', ...more });
    expect(judge(response(), ofPublic)).toEqual(none('sha1_signature'));
    expect(judge(response({ responder }), ofPublic)).toEqual(none('sha1_signature'));
    expect(judge(response({ ...byRsa }), ofPublic)).toEqual(none('bad_signature'));
    expect(judge(response({ status: 'revoked' }), ofPublic)).toMatchObject({ state: 'revoked' });
  });
});
