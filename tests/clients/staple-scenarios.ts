import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import { derNull, integer, sequence } from '../kit/certificates/der-writer.ts';
import {
  mintOcspError,
  mintOcspResponse,
  type OcspResponseOptions,
  type SingleResponseOptions,
} from '../kit/certificates/mint-ocsp.ts';
import type { CertificateOptions, MintedAuthority } from '../kit/certificates/mint.ts';
import { HOST, leafScenario, type Scenario, withChain } from './scenario.ts';

const now = Date.now();
const HOLD = 6;
const KEY_COMPROMISE = 1;

/** Returns a server that staples a response signed by its intermediate. Its leaf has been valid for 100 days. */
const stapled = (name: string, options: OcspResponseOptions): Scenario =>
  leafScenario(
    `a staple ${name}`,
    { notBefore: now - 100 * DAY_MS, notAfter: now + 100 * DAY_MS },
    { staple: (leaf, issuer) => mintOcspResponse(issuer, leaf, options) },
  );

/** Returns a server that staples a response. Its certificate requires a staple (RFC 7633). */
const mustStaple = (name: string, options: OcspResponseOptions): Scenario =>
  leafScenario(
    `must-staple with a staple ${name}`,
    {
      notBefore: now - 100 * DAY_MS,
      notAfter: now + 100 * DAY_MS,
      extraExtensions: [{ oid: '1.3.6.1.5.5.7.1.24', value: sequence(integer(5n)) }],
    },
    { staple: (leaf, issuer) => mintOcspResponse(issuer, leaf, options) },
  );

/** Returns a server whose intermediate has an RSA key and delegates OCSP to a responder. */
function delegated(name: string, responder: CertificateOptions, options: OcspResponseOptions = {}): Scenario {
  let authority: MintedAuthority | null = null;
  return {
    name: `a staple ${name}`,
    mint: ({ rsa }) => {
      authority = rsa.intermediate({ key: 'RSA-2048' });
      return withChain(authority.issue({ dnsNames: [HOST] }));
    },
    staple: (leaf, issuer) =>
      mintOcspResponse(issuer, leaf, {
        ...options,
        ...(authority !== null && {
          responder: authority.issue({
            commonName: 'Responder',
            key: 'RSA-2048',
            extendedKeyUsage: ['ocspSigning'],
            ...responder,
          }),
        }),
      }),
  };
}

const byRsa = (name: string, options: OcspResponseOptions): Scenario => ({
  ...stapled(name, options),
  mint: ({ rsa }) => withChain(rsa.intermediate({ key: 'RSA-2048' }).issue({ dnsNames: [HOST] })),
});

const noCheck = { oid: '1.3.6.1.5.5.7.48.1.5', value: derNull() };
const unknownCritical = { oid: '1.3.6.1.4.1.99999.1', critical: true, value: integer(1n) };

const stale = { producedAt: now - 9 * DAY_MS, thisUpdate: now - 9 * DAY_MS, nextUpdate: now - DAY_MS };
const staleHold: SingleResponseOptions = { ...stale, status: 'revoked', reason: HOLD };
const staleCompromise: SingleResponseOptions = { ...stale, status: 'revoked', reason: KEY_COMPROMISE };
const made = (ageMs: number) => ({ producedAt: now - ageMs, thisUpdate: now - ageMs });

/** Servers with odd stapled OCSP responses. */
export const STAPLE_SCENARIOS: readonly Scenario[] = [
  leafScenario('a staple that is no OCSP response', {}, { staple: () => Buffer.from('garbage') }),
  leafScenario('a staple that says good', {}, { staple: (leaf, issuer) => mintOcspResponse(issuer, leaf) }),
  leafScenario(
    'a staple that says revoked',
    {},
    { staple: (leaf, issuer) => mintOcspResponse(issuer, leaf, { status: 'revoked' }) },
  ),
  leafScenario(
    'a staple that says unknown',
    {},
    { staple: (leaf, issuer) => mintOcspResponse(issuer, leaf, { status: 'unknown' }) },
  ),
  leafScenario(
    'a staple that is out of date',
    {},
    {
      staple: (leaf, issuer) =>
        mintOcspResponse(issuer, leaf, {
          producedAt: Date.now() - 9 * 86_400_000,
          thisUpdate: Date.now() - 9 * 86_400_000,
          nextUpdate: Date.now() - 86_400_000,
        }),
    },
  ),
  leafScenario(
    'a staple about another certificate',
    {},
    { staple: (leaf, issuer) => mintOcspResponse(issuer, { serialNumber: leaf.serialNumber + 1n }) },
  ),
  leafScenario(
    'a staple with a corrupt signature',
    {},
    { staple: (leaf, issuer) => mintOcspResponse(issuer, leaf, { corruptSignature: true }) },
  ),
  stapled('that says revoked, out of date', { ...staleCompromise }),
  stapled('that says on hold', { status: 'revoked', reason: HOLD }),
  stapled('that says on hold, out of date', { ...staleHold }),
  stapled('that says on hold until yesterday, then good', { before: [staleHold] }),
  stapled('that says good, then on hold until yesterday', { ...staleHold, before: [{}] }),
  stapled('that says on hold twice until yesterday, then good', { before: [staleHold, staleHold] }),
  stapled('that says revoked until yesterday, then good', { before: [staleCompromise] }),
  stapled('that says good, then revoked until yesterday', { ...staleCompromise, before: [{}] }),
  stapled('that says on hold, then good', { before: [{ status: 'revoked', reason: HOLD }] }),
  stapled('that says good, then on hold', { status: 'revoked', reason: HOLD, before: [{}] }),
  stapled('that says unknown, then good', { before: [{ status: 'unknown' }] }),
  stapled('that says good, then unknown', { status: 'unknown', before: [{}] }),
  stapled('that says good until yesterday, then good', { before: [stale] }),
  stapled('without nextUpdate', { nextUpdate: null }),
  ...[1, 3, 8, 16, 60].map((days) =>
    stapled(`without nextUpdate of ${days} days ago`, { ...made(days * DAY_MS + HOUR_MS), nextUpdate: null }),
  ),
  ...[8, 10, 12, 60].map((days) =>
    stapled(`of ${days} days ago that is still valid`, {
      ...made(days * DAY_MS + HOUR_MS),
      nextUpdate: now + 30 * DAY_MS,
    }),
  ),
  stapled('produced tomorrow', { producedAt: now + DAY_MS }),
  stapled('of tomorrow', { producedAt: now + DAY_MS, thisUpdate: now + DAY_MS }),
  stapled('of the day after tomorrow', { thisUpdate: now + 2 * DAY_MS }),
  stapled('produced before the certificate', { producedAt: now - 200 * DAY_MS }),
  stapled('with an unknown critical extension', { extensions: [unknownCritical] }),
  stapled('signed with SHA-1 and ECDSA', { hash: 'sha1' }),
  byRsa('signed with SHA-1 and RSA', { hash: 'sha1' }),
  byRsa('signed with SHA-1 that says revoked', { hash: 'sha1', status: 'revoked' }),
  ...([1, 2, 3, 5, 6] as const).map((code) =>
    leafScenario(`a staple with the error status ${code}`, {}, { staple: () => mintOcspError(code) }),
  ),
  mustStaple('that says good', {}),
  mustStaple('that is out of date', { ...stale }),
  mustStaple('of 60 days ago that is still valid', {
    ...made(60 * DAY_MS),
    nextUpdate: now + 30 * DAY_MS,
  }),
  mustStaple('without nextUpdate of 8 days ago', { ...made(8 * DAY_MS), nextUpdate: null }),
  mustStaple('that says good until yesterday, then good', { before: [stale] }),
  mustStaple('that says good, then unknown', { status: 'unknown', before: [{}] }),
  mustStaple('of tomorrow', { producedAt: now + DAY_MS, thisUpdate: now + DAY_MS }),
  mustStaple('signed with SHA-1', { hash: 'sha1' }),
  delegated('of a responder', { extraExtensions: [noCheck] }),
  delegated('of a responder, by the hash of its key', { extraExtensions: [noCheck] }, { named: 'key' }),
  delegated('of a responder without ocsp-nocheck', {}),
  delegated('of a responder, signed with SHA-1', {}, { hash: 'sha1' }),
  delegated('of a responder whose certificate is signed with SHA-1', { hash: 'sha1' }),
  delegated('of a responder that has expired', { notBefore: now - 2 * DAY_MS, notAfter: now - DAY_MS }),
  delegated('of a responder without ocspSigning', { extendedKeyUsage: ['serverAuth'] }),
  delegated('of a responder for any purpose', { extendedKeyUsage: ['any'] }),
];
