import { derNull, integer, sequence, tagged, tlv } from '../kit/certificates/der-writer.ts';
import { type CertificateOptions, mintAuthority, selfSigned } from '../kit/certificates/mint.ts';
import { issuerUrl } from './issuer-server.ts';
import { HOST, intermediateScenario, leafScenario, type Scenario, withChain } from './scenario.ts';

const DAY = 86_400_000;
const from = Date.now() - DAY;
const lasting = (days: number): CertificateOptions => ({
  notBefore: from,
  notAfter: from + days * DAY - 1000,
});

const withField = (index: number, value: Uint8Array): CertificateOptions => ({
  editFields: (fields) => fields.with(index, Buffer.from(value)),
});
const VERSION = 0;
const SERIAL = 1;
const VALIDITY = 4;
const utc = (text: string) => tlv(0x17, Buffer.from(text));
const generalized = (text: string) => tlv(0x18, Buffer.from(text));

/** Returns the options of a certificate that becomes valid this many seconds after the call. */
const startingIn = (seconds: number): CertificateOptions => ({ notBefore: Date.now() + seconds * 1_000 });

/** Returns two servers: one whose leaf becomes valid after this many seconds, and one whose intermediate does. */
const early = (seconds: number): Scenario[] => [
  {
    name: `early: leaf is valid in ${seconds} seconds`,
    mint: ({ ecdsa }) => withChain(ecdsa.intermediate().issue({ dnsNames: [HOST], ...startingIn(seconds) })),
  },
  {
    name: `early: intermediate is valid in ${seconds} seconds`,
    mint: ({ ecdsa }) => withChain(ecdsa.intermediate(startingIn(seconds)).issue({ dnsNames: [HOST] })),
  },
];

/** Servers with odd dates, versions, serial numbers and chains. */
export const CHAIN_SCENARIOS: readonly Scenario[] = [
  leafScenario('nothing odd', {}),
  ...[398, 399, 825, 826, 1200, 3650].map((days) => leafScenario(`valid for ${days} days`, lasting(days))),
  leafScenario('826 days and no serverAuth', { ...lasting(826), extendedKeyUsage: null }),
  leafScenario('expired', { notBefore: from - 90 * DAY, notAfter: from }),
  ...[60, 180, 280, 600].flatMap((seconds) => early(seconds)),
  {
    name: 'early: leaf and intermediate are valid in 180 seconds',
    mint: ({ ecdsa }) =>
      withChain(ecdsa.intermediate(startingIn(180)).issue({ dnsNames: [HOST], ...startingIn(180) })),
  },
  {
    name: 'early: two intermediates are valid in 100 and 200 seconds',
    mint: ({ ecdsa }) =>
      withChain(
        ecdsa
          .intermediate(startingIn(100))
          .intermediate(startingIn(200))
          .issue({ dnsNames: [HOST] }),
      ),
  },
  leafScenario('not yet valid', { notBefore: Date.now() + DAY }),
  leafScenario('ends before it begins', { notBefore: from, notAfter: from - DAY }),
  leafScenario(
    'valid until 9999',
    withField(VALIDITY, sequence(utc('260101000000Z'), generalized('99991231235959Z'))),
  ),
  leafScenario(
    'GeneralizedTime before 2050',
    withField(VALIDITY, sequence(generalized('20260101000000Z'), generalized('20370101000000Z'))),
  ),
  leafScenario(
    'UTCTime without seconds',
    withField(VALIDITY, sequence(utc('2601010000Z'), utc('370101000000Z'))),
  ),
  leafScenario(
    'time with an offset',
    withField(VALIDITY, sequence(utc('260101000000+0100'), utc('370101000000Z'))),
  ),
  leafScenario(
    'time with fractions of a second',
    withField(VALIDITY, sequence(utc('260101000000Z'), generalized('20510101000000.5Z'))),
  ),

  leafScenario('valid since 1950', withField(VALIDITY, sequence(utc('500101000000Z'), utc('270101000000Z')))),
  leafScenario('serial number 0', { serialNumber: 0n }),
  leafScenario('negative serial number', { serialNumber: -5n }),
  leafScenario('serial number of 21 bytes', { serialNumber: 1n << 160n }),
  leafScenario('serial number of 40 bytes', { serialNumber: 1n << 310n }),
  leafScenario('serial number with a superfluous zero', withField(SERIAL, tlv(0x02, Buffer.from([0, 5])))),
  leafScenario('version 1 with extensions', { editFields: (fields) => fields.slice(1) }),
  leafScenario('version 2 with extensions', withField(VERSION, tagged(0, true, integer(1n)))),
  leafScenario('version 4', withField(VERSION, tagged(0, true, integer(3n)))),
  leafScenario('version 1 without extensions', { editFields: (fields) => fields.slice(1, -1) }),
  leafScenario('a unique identifier', {
    editFields: (fields) => [...fields.slice(0, -1), tlv(0x82, Buffer.from([0, 1])), ...fields.slice(-1)],
  }),

  intermediateScenario('intermediate that is no CA', { certificateAuthority: false }),
  intermediateScenario('intermediate without basicConstraints', { basicConstraints: null }),
  intermediateScenario('intermediate without keyUsage', { keyUsage: null }),
  intermediateScenario('intermediate that may not sign certificates', { keyUsage: ['digitalSignature'] }),
  intermediateScenario('intermediate that has expired', { notAfter: from }),
  intermediateScenario('path length 0', { pathLength: 0 }),
  intermediateScenario('path length 1000', { pathLength: 1000 }),
  intermediateScenario('path length 200', { pathLength: 200 }),
  intermediateScenario('path length 300', { pathLength: 300 }),
  intermediateScenario('path length −1', {
    basicConstraints: null,
    extraExtensions: [
      { oid: '2.5.29.19', critical: true, value: sequence(tlv(0x01, Buffer.from([0xff])), integer(-1n)) },
    ],
  }),
  intermediateScenario('CA as BOOLEAN 1', {
    basicConstraints: null,
    extraExtensions: [{ oid: '2.5.29.19', critical: true, value: sequence(tlv(0x01, Buffer.from([1]))) }],
  }),
  {
    name: 'path length exceeded',
    mint: ({ ecdsa }) =>
      withChain(
        ecdsa
          .intermediate({ pathLength: 0 })
          .intermediate({ commonName: 'B' })
          .issue({ dnsNames: [HOST] }),
      ),
  },
  {
    name: 'two intermediates in reverse order',
    mint: ({ ecdsa }) => {
      const leaf = ecdsa
        .intermediate()
        .intermediate({ commonName: 'B' })
        .issue({ dnsNames: [HOST] });
      return [leaf, ...leaf.chain.toReversed()];
    },
  },
  {
    name: 'missing intermediate at a URL that the leaf names',
    mint: ({ ecdsa, issuerPort }) => {
      const intermediate = ecdsa.intermediate();
      return [intermediate.issue({ dnsNames: [HOST], caIssuersUrls: [issuerUrl(issuerPort, intermediate)] })];
    },
  },
  {
    name: 'two missing intermediates at URLs',
    mint: ({ rsa, issuerPort }) => {
      const upper = rsa.intermediate({ commonName: 'Upper' });
      const urls = { caIssuersUrls: [issuerUrl(issuerPort, upper)] };
      const lower = upper.intermediate({ commonName: 'Lower', ...urls });
      return [lower.issue({ dnsNames: [HOST], caIssuersUrls: [issuerUrl(issuerPort, lower)] })];
    },
  },
  {
    name: 'expired intermediate whose successor is at a URL',
    mint: ({ ecdsa, issuerPort }) => {
      const intermediate = ecdsa.intermediate({ commonName: 'Renewed' });
      const expired = ecdsa.intermediate({ commonName: 'Renewed', key: intermediate.key, notAfter: from });
      const urls = { caIssuersUrls: [issuerUrl(issuerPort, intermediate)] };
      return [intermediate.issue({ dnsNames: [HOST], ...urls }), expired];
    },
  },
  {
    name: 'missing intermediate',
    mint: ({ ecdsa }) => [ecdsa.intermediate().issue({ dnsNames: [HOST] })],
  },
  {
    name: 'root sent too',
    mint: ({ ecdsa }) => [...withChain(ecdsa.intermediate().issue({ dnsNames: [HOST] })), ecdsa],
  },
  {
    name: 'leaf sent twice',
    mint: ({ ecdsa }) => {
      const [leaf, ...chain] = withChain(ecdsa.intermediate().issue({ dnsNames: [HOST] }));
      return leaf === undefined ? [] : [leaf, leaf, ...chain];
    },
  },
  {
    name: 'a further certificate with malformed key identifiers',
    mint: ({ ecdsa }) => [
      ...withChain(ecdsa.intermediate().issue({ dnsNames: [HOST] })),
      mintAuthority({
        commonName: 'Stranger',
        keyIdentifiers: null,
        extraExtensions: [{ oid: '2.5.29.14', value: Buffer.from('0500ff', 'hex') }],
      }),
    ],
  },
  {
    name: 'a certificate that does not belong',
    mint: ({ ecdsa }) => [
      ...withChain(ecdsa.intermediate().issue({ dnsNames: [HOST] })),
      mintAuthority({ commonName: 'Stranger' }),
    ],
  },
  {
    name: 'an expired certificate that does not belong',
    mint: ({ ecdsa }) => [
      ...withChain(ecdsa.intermediate().issue({ dnsNames: [HOST] })),
      mintAuthority({ commonName: 'Stranger', notAfter: from }),
    ],
  },
  { name: 'issued by the root itself', mint: ({ ecdsa }) => [ecdsa.issue({ dnsNames: [HOST] })] },
  { name: 'self-signed', mint: () => [selfSigned({ dnsNames: [HOST] })] },
  {
    name: 'unknown root',
    mint: () =>
      withChain(
        mintAuthority({ commonName: 'Stranger' })
          .intermediate()
          .issue({ dnsNames: [HOST] }),
      ),
  },
  {
    name: 'a CA with path length 0 that renewed itself',
    mint: ({ ecdsa }) => {
      const authority = ecdsa.intermediate({ commonName: 'Roll', pathLength: 0 });
      const renewed = authority.intermediate({ commonName: 'Roll', pathLength: 0 });
      return withChain(renewed.issue({ dnsNames: [HOST] }));
    },
  },
  leafScenario(
    'ciphers with CBC and SHA-256 only',
    { key: 'RSA-2048' },
    {
      tls: { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA256@SECLEVEL=0' },
    },
  ),
  leafScenario(
    'ciphers with CCM only',
    {},
    {
      tls: { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-CCM@SECLEVEL=0' },
    },
  ),
  intermediateScenario('unknown critical extension of the intermediate', {
    extraExtensions: [{ oid: '1.3.6.1.4.1.99999.1', critical: true, value: derNull() }],
  }),
  intermediateScenario('intermediate with serial number 0', { serialNumber: 0n }),
];
