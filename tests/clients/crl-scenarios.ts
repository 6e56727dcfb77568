import { DAY_MS } from '../../contract/durations.ts';
import { integer, sequence, tagged, tlv } from '../kit/certificates/der-writer.ts';
import { type CrlOptions, mintCrl } from '../kit/certificates/mint-crl.ts';
import type { CertificateOptions, MintedAuthority, MintedCertificate } from '../kit/certificates/mint.ts';
import { HOST } from './scenario.ts';

/** A server whose certificate names a CRL that is odd. */
export interface CrlScenario {
  /** What is odd about the CRL. */
  name: string;
  /** Issues the leaf, and signs the CRL at its URL. `sent` are certificates that the server sends besides its path. */
  mint: (
    issuer: MintedAuthority,
    url: string,
    signersUrl: string,
  ) => {
    leaf: MintedCertificate;
    crl: Buffer;
    sent?: readonly MintedCertificate[];
  };
}

const now = Date.now();
const ofTime = { notBefore: now - 400 * DAY_MS, notAfter: now + 400 * DAY_MS };

/** Returns a scenario with a CRL of the issuer itself. `entry` has the fields of the entry about the leaf. */
const own = (name: string, options: CrlOptions, entry?: { reason?: number }): CrlScenario => ({
  name: `a CRL ${name}`,
  mint: (issuer, url) => {
    const leaf = issuer.issue({ dnsNames: [HOST], crlUrls: [url], ...ofTime });
    const revoked = entry === undefined ? {} : { revoked: [{ ...leaf, ...entry }] };
    return { leaf, crl: mintCrl(issuer, { ...options, ...revoked }) };
  },
});

const signing: CertificateOptions = { keyUsage: ['cRLSign'], extendedKeyUsage: null, ...ofTime };

const critical = (oid: string) => ({ oid, critical: true, value: integer(1n) });
const entryWith = (extension: { oid: string; critical: boolean; value: Buffer }): CrlOptions => ({
  revoked: [{ serialNumber: 7n, extensions: [extension] }],
});
const past = { thisUpdate: now - 9 * DAY_MS, nextUpdate: now - DAY_MS };

/** Servers whose CRLs are odd. */
export const CRL_SCENARIOS: readonly CrlScenario[] = [
  own('that does not list the certificate', {}),
  own('that lists the certificate', {}, {}),
  own('that puts the certificate on hold', {}, { reason: 6 }),
  own('that put the certificate on hold until yesterday', past, { reason: 6 }),
  own('that lists the certificate as removed', {}, { reason: 8 }),
  own('that has expired', past),
  own('of tomorrow', { thisUpdate: now + DAY_MS }),
  own('without nextUpdate', { nextUpdate: null }),
  own('without nextUpdate of 60 days ago', { nextUpdate: null, thisUpdate: now - 60 * DAY_MS }),
  own('without nextUpdate of version 1', { nextUpdate: null, plain: true }),
  ...[8, 60, 390].map((days) =>
    own(`of ${days} days ago that is still valid`, { thisUpdate: now - days * DAY_MS }),
  ),
  own('with an empty list', { emptyList: true }),
  own('with an empty list of version 1', { emptyList: true, plain: true }),
  own('with an empty list for users only', { emptyList: true, only: 'user' }),
  own('marked as indirect', { indirect: true }),
  own('marked as indirect, for users only', { indirect: true, only: 'user' }),
  own('marked as indirect, with entries', { indirect: true, revoked: [{ serialNumber: 7n }] }),
  own('for users only', { only: 'user' }),
  own('for CAs only', { only: 'authority' }),
  own('for attribute certificates only', { only: 'attribute' }),
  own('for some reasons only', { someReasons: true }),
  own('of another distribution point', { url: 'http://127.0.0.1:9/other.crl' }),
  own('of changes only', { deltaOf: 1n }),
  own('signed with SHA-1', { hash: 'sha1' }),
  own('of version 1', { plain: true }),
  own('with a critical CRL number', { number: null, extraExtensions: [critical('2.5.29.20')] }),
  own('with an unknown critical extension', { extraExtensions: [critical('1.3.6.1.4.1.99999.1')] }),
  own('with an unknown critical extension of another entry', entryWith(critical('1.3.6.1.4.1.99999.1'))),
  own(
    'with a critical reason of another entry',
    entryWith({ oid: '2.5.29.21', critical: true, value: tlv(10, Buffer.from([1])) }),
  ),
  {
    name: 'a CRL signed with another key of the issuer, whose certificate the server sends',
    mint: (issuer, url, signersUrl) => {
      const signer = issuer.issue({ ...signing, crlUrls: [signersUrl], subjectDer: issuer.subjectDer });
      const leaf = issuer.issue({ dnsNames: [HOST], crlUrls: [url], ...ofTime });
      return { leaf, crl: mintCrl(signer), sent: [signer] };
    },
  },
  {
    name: 'a CRL signed with another key of the issuer, whose certificate the server does not send',
    mint: (issuer, url, signersUrl) => {
      const signer = issuer.issue({ ...signing, crlUrls: [signersUrl], subjectDer: issuer.subjectDer });
      const leaf = issuer.issue({ dnsNames: [HOST], crlUrls: [url], ...ofTime });
      return { leaf, crl: mintCrl(signer) };
    },
  },
  {
    name: 'a CRL of a CRL issuer that the certificate names and the server sends',
    mint: (issuer, url, signersUrl) => {
      const signer = issuer.issue({ ...signing, crlUrls: [signersUrl], commonName: 'CRL Issuer' });
      const point = sequence(
        tagged(0, true, tagged(0, true, tagged(6, false, Buffer.from(url)))),
        tagged(2, true, tagged(4, true, signer.subjectDer)),
      );
      const extraExtensions = [{ oid: '2.5.29.31', value: sequence(point) }];
      const leaf = issuer.issue({ dnsNames: [HOST], extraExtensions, ...ofTime });
      return { leaf, crl: mintCrl(signer, { indirect: true, url }), sent: [signer] };
    },
  },
];
