import {
  derNull,
  ia5String,
  objectIdentifier,
  printableString,
  sequence,
  set,
  tagged,
  tlv,
  utf8String,
} from '../kit/certificates/der-writer.ts';
import { type CertificateOptions, mintAuthority, nameDer } from '../kit/certificates/mint.ts';
import { HOST, leafScenario, type Scenario, withChain } from './scenario.ts';

const SUBJECT_ALT_NAME = '2.5.29.17';
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const NUMERIC_STRING = 0x12;
const T61_STRING = 0x14;
const BMP_STRING = 0x1e;
const UNIVERSAL_STRING = 0x1c;

const attribute = (value: Uint8Array, type = ORGANIZATION) => set(sequence(objectIdentifier(type), value));
const subject = (...values: Uint8Array[]): CertificateOptions => ({
  subjectDer: sequence(...values.map((value) => attribute(value))),
});
const bmp = (text: string) => tlv(BMP_STRING, Buffer.from(text, 'utf16le').swap16());

const names = (...entries: Uint8Array[]): CertificateOptions => ({
  commonName: HOST,
  dnsNames: [],
  extraExtensions: [{ oid: SUBJECT_ALT_NAME, value: sequence(...entries) }],
});
const dns = (text: string) => tagged(2, false, Buffer.from(text, 'latin1'));
const good = dns(HOST);

const ODD_STRINGS: Record<string, Uint8Array> = {
  'PrintableString with &': printableString('Smith & Co'),
  'PrintableString with _': printableString('a_b'),
  'PrintableString with @': printableString('a@b'),
  'PrintableString with *': printableString('*.odd.example'),
  'PrintableString in Latin-1': printableString('Caf\u00e9'),
  'PrintableString with !': printableString('Yes!'),
  'NumericString with a letter': tlv(NUMERIC_STRING, Buffer.from('12a')),
  NumericString: tlv(NUMERIC_STRING, Buffer.from('12')),
  'IA5String in Latin-1': ia5String('Caf\u00e9'),
  'UTF8String in Latin-1': tlv(0x0c, Buffer.from('Caf\u00e9', 'latin1')),
  'T61String in Latin-1': tlv(T61_STRING, Buffer.from('Caf\u00e9', 'latin1')),
  BMPString: bmp('Caf\u00e9'),
  'BMPString of odd length': tlv(BMP_STRING, Buffer.from('abc')),
  UniversalString: tlv(UNIVERSAL_STRING, Buffer.from([0, 0, 0, 65])),
  'an INTEGER as organization': tlv(0x02, Buffer.from([5])),
  'an empty organization': utf8String(''),
};

/** The issuer name of the leaf, and the subject of its issuer, equal only after normalising (RFC 5280 §7.1). */
const DIFFERENT_SPELLINGS: Record<string, Uint8Array> = {
  'in upper case': nameDer({ organization: 'CERTLANTERN TESTS', commonName: 'ODD CA' }),
  'with more white space': nameDer({ organization: 'Certlantern  Tests', commonName: ' Odd CA ' }),
  'as PrintableString': sequence(
    attribute(printableString('Certlantern Tests')),
    attribute(printableString('Odd CA'), COMMON_NAME),
  ),
};

const sanScenario = (name: string, host: string, ...dnsNames: string[]): Scenario =>
  leafScenario(name, { dnsNames }, { host });

/** Servers whose certificates have odd names. */
export const NAME_SCENARIOS: readonly Scenario[] = [
  ...Object.entries(ODD_STRINGS).map(([name, value]) => leafScenario(`subject: ${name}`, subject(value))),
  ...Object.entries(ODD_STRINGS).map(([name, value]): Scenario => ({
    name: `issuer: ${name}`,
    mint: ({ ecdsa }) => withChain(ecdsa.intermediate(subject(value)).issue({ dnsNames: [HOST] })),
  })),
  ...Object.entries(DIFFERENT_SPELLINGS).map(([name, issuerDer]): Scenario => ({
    name: `issuer name ${name}`,
    mint: ({ ecdsa }) =>
      withChain(ecdsa.intermediate({ commonName: 'Odd CA' }).issue({ dnsNames: [HOST], issuerDer })),
  })),
  {
    name: 'issuer name that differs',
    mint: ({ ecdsa }) =>
      withChain(
        ecdsa
          .intermediate({ commonName: 'Odd CA' })
          .issue({ dnsNames: [HOST], issuerDer: nameDer({ commonName: 'Other CA' }) }),
      ),
  },
  {
    name: 'intermediate with an empty subject',
    mint: ({ ecdsa }) =>
      withChain(ecdsa.intermediate({ subjectDer: sequence() }).issue({ dnsNames: [HOST] })),
  },
  leafScenario('empty subject, SAN not critical', { ...names(good), subjectDer: sequence() }),
  leafScenario('empty subject, SAN critical', {
    subjectDer: sequence(),
    dnsNames: [],
    extraExtensions: [{ oid: SUBJECT_ALT_NAME, critical: true, value: sequence(good) }],
  }),
  leafScenario('common name only', { dnsNames: [], commonName: HOST }),
  leafScenario('another common name', { commonName: 'other.example' }),
  leafScenario('a common name of 65 characters', { commonName: 'a'.repeat(65) }),
  leafScenario('an organization of 200 characters', { organization: 'a'.repeat(200) }),
  leafScenario('the country “Germany”', { country: 'Germany' }),
  leafScenario('two attributes in one RDN', {
    subjectDer: sequence(
      set(
        sequence(objectIdentifier(ORGANIZATION), utf8String('A')),
        sequence(objectIdentifier(COMMON_NAME), utf8String('B')),
      ),
    ),
  }),
  leafScenario('an RDN without attributes', { subjectDer: sequence(set()) }),

  sanScenario('trailing dot', HOST, `${HOST}.`),
  sanScenario('trailing dot beside the name', HOST, `${HOST}.`, HOST),
  sanScenario('upper case', HOST, HOST.toUpperCase()),
  sanScenario('wildcard', 'a.odd.example', '*.odd.example'),
  sanScenario('wildcard of two labels', 'a.b.odd.example', '*.odd.example'),
  sanScenario('wildcard for the parent itself', HOST, '*.odd.example'),
  sanScenario('wildcard below a top-level domain', HOST, '*.example'),
  sanScenario('partial wildcard at the end', 'foobar.odd.example', 'foo*.odd.example'),
  sanScenario('partial wildcard at the start', 'foobar.odd.example', '*bar.odd.example'),
  sanScenario('partial wildcard in the middle', 'foobar.odd.example', 'f*r.odd.example'),
  ...[
    ['shop.co.uk', '*.co.uk'],
    ['shop.co.uk', '*.CO.UK'],
    ['shop.co.uk', '*.co.uk.'],
    ['shop.com.au', '*.com.au'],
    ['www.museum.ck', '*.museum.ck'],
    ['www.chuo.kawasaki.jp', '*.chuo.kawasaki.jp'],
    ['www.city.kawasaki.jp', '*.city.kawasaki.jp'],
    ['shop.xn--55qx5d.cn', '*.xn--55qx5d.cn'],
    ['name.github.io', '*.github.io'],
    ['name.blogspot.com', '*.blogspot.com'],
    ['www.shop.co.uk', '*.shop.co.uk'],
  ].map(([host = '', name = '']) => sanScenario(`suffix: ${name} for ${host}`, host, name)),
  sanScenario('suffix: *.co.uk and shop.co.uk for shop.co.uk', 'shop.co.uk', '*.co.uk', 'shop.co.uk'),
  sanScenario('suffix: *.co.uk and other.co.uk for shop.co.uk', 'shop.co.uk', '*.co.uk', 'other.co.uk'),
  sanScenario('suffix: other.example alone for shop.co.uk', 'shop.co.uk', 'other.example'),
  sanScenario('wildcard in the second label', 'a.b.odd.example', 'a.*.odd.example'),
  sanScenario('two wildcards', 'a.b.odd.example', '*.*.odd.example'),
  sanScenario('wildcard alone', HOST, '*'),
  sanScenario('wildcard with a trailing dot', 'a.odd.example', '*.odd.example.'),
  sanScenario('underscore', 'a_b.odd.example', 'a_b.odd.example'),
  sanScenario('wildcard for a name with an underscore', 'a_b.odd.example', '*.odd.example'),
  sanScenario('punycode', 'xn--mnchen-3ya.odd.example', 'xn--mnchen-3ya.odd.example'),
  sanScenario('wildcard for punycode', 'xn--mnchen-3ya.odd.example', '*.odd.example'),
  sanScenario('name with a leading dot', HOST, `.${HOST}`, HOST),
  sanScenario('name with a space beside the name', HOST, 'a b.example', HOST),
  sanScenario('empty name beside the name', HOST, '', HOST),
  sanScenario('address as a dNSName', '127.0.0.1', '127.0.0.1'),
  sanScenario('an invalid name beside the name', HOST, '-bad-.example', HOST),
  sanScenario('a name with a port beside the name', HOST, `${HOST}:443`, HOST),
  sanScenario('a URL beside the name', HOST, `https://${HOST}/`, HOST),
  sanScenario('a label of 64 characters beside the name', HOST, `${'a'.repeat(64)}.example`, HOST),
  sanScenario(
    'a hundred names',
    HOST,
    ...Array.from({ length: 100 }, (_, index) => `n${index}.example`),
    HOST,
  ),
  sanScenario('another name', HOST, 'other.example'),
  leafScenario('Latin-1 in a name beside the name', names(dns('m\u00fcnchen.example'), good)),
  leafScenario('NUL in a name', names(dns(`${HOST}\0.other.example`))),
  leafScenario('NUL in a name beside the name', names(dns('a\0b.example'), good)),
  leafScenario('address', { dnsNames: [], ipAddresses: ['127.0.0.1'] }, { host: '127.0.0.1' }),
  leafScenario('another address', { dnsNames: [], ipAddresses: ['127.0.0.2'] }, { host: '127.0.0.1' }),
  leafScenario(
    'address of three bytes beside the name',
    names(tagged(7, false, Buffer.from([1, 2, 3])), good),
  ),
  leafScenario('email address beside the name', names(tagged(1, false, Buffer.from('a@b.example')), good)),
  leafScenario(
    'malformed email address beside the name',
    names(tagged(1, false, Buffer.from('\u00fc', 'latin1')), good),
  ),
  leafScenario('URI beside the name', names(tagged(6, false, Buffer.from('https://a.example/')), good)),
  leafScenario('malformed URI beside the name', names(tagged(6, false, Buffer.from('no uri')), good)),
  leafScenario('directory name beside the name', names(tagged(4, true, nameDer({ commonName: 'A' })), good)),
  leafScenario(
    'otherName beside the name',
    names(
      tagged(0, true, objectIdentifier('1.3.6.1.4.1.311.20.2.3'), tagged(0, true, utf8String('a@b'))),
      good,
    ),
  ),
  leafScenario('malformed otherName beside the name', names(tagged(0, true, derNull()), good)),
  leafScenario(
    'URI with a trailing dot beside the name',
    names(tagged(6, false, Buffer.from('https://a.example./')), good),
  ),
  leafScenario(
    'URI with a malformed escape beside the name',
    names(tagged(6, false, Buffer.from('https://%zz/')), good),
  ),
  leafScenario('registeredID beside the name', names(tagged(8, false, Buffer.from([42, 3])), good)),
  leafScenario('an unknown form beside the name', names(tagged(9, false, Buffer.from('x')), good)),
  leafScenario('x400Address beside the name', names(tagged(3, true), good)),
  leafScenario('empty directory name beside the name', names(tagged(4, true, sequence()), good)),
  leafScenario('directory name that is none beside the name', names(tagged(4, true, derNull()), good)),
  leafScenario(
    'ediPartyName beside the name',
    names(tagged(5, true, tagged(1, true, utf8String('party'))), good),
  ),
  leafScenario('empty email address beside the name', names(tagged(1, false), good)),
  leafScenario('empty URI beside the name', names(tagged(6, false), good)),
  leafScenario('empty registeredID beside the name', names(tagged(8, false), good)),
  leafScenario('empty address beside the name', names(tagged(7, false), good)),
  leafScenario(
    'registeredID with a huge arc beside the name',
    names(tagged(8, false, Buffer.from('2affffffffffffffffffff7f', 'hex')), good),
  ),
  leafScenario('UTF-8 in a name beside the name', names(dns('m\u00c3\u00bcnchen.example'), good)),
  leafScenario('NULL among the names', names(derNull(), good)),
  leafScenario('a name with a constructed tag', names(tagged(2, true, tlv(0x16, Buffer.from(HOST))))),
  leafScenario(
    'address in the IPv6 form of IPv4',
    {
      dnsNames: [],
      ipAddresses: ['::ffff:127.0.0.1'],
    },
    { host: '127.0.0.1' },
  ),
  sanScenario('label ending with a hyphen', 'a-.odd.example', 'a-.odd.example'),
  sanScenario('wildcard for a label ending with a hyphen', 'a-.odd.example', '*.odd.example'),
  sanScenario('two hyphens at the third place', 'ab--c.odd.example', 'ab--c.odd.example'),
  sanScenario('a label of 63 characters', `${'a'.repeat(63)}.odd.example`, `${'a'.repeat(63)}.odd.example`),
  sanScenario('a name of one label', 'odd', 'odd'),
  sanScenario('wildcard in punycode', 'xn--a.odd.example', 'xn--*.odd.example'),
  leafScenario(
    'the name in Latin-1 only',
    { ...names(dns('m\u00fcnchen.odd.example')) },
    { host: 'xn--mnchen-3ya.odd.example' },
  ),
  leafScenario(
    'the name in UTF-8 only',
    { ...names(dns('m\u00c3\u00bcnchen.odd.example')) },
    { host: 'xn--mnchen-3ya.odd.example' },
  ),
  leafScenario('an attribute with a BIT STRING', {
    subjectDer: sequence(attribute(tlv(0x03, Buffer.from([0, 1])), '2.5.4.45')),
  }),
  leafScenario('an attribute with a SEQUENCE', { subjectDer: sequence(attribute(sequence(), '2.5.4.16')) }),
  leafScenario('an attribute without a value', {
    subjectDer: sequence(set(sequence(objectIdentifier(ORGANIZATION)))),
  }),
  leafScenario('an attribute with two values', {
    subjectDer: sequence(set(sequence(objectIdentifier(ORGANIZATION), utf8String('A'), utf8String('B')))),
  }),
  leafScenario('VisibleString as organization', subject(tlv(0x1a, Buffer.from('A')))),
  leafScenario('GeneralString as organization', subject(tlv(0x1b, Buffer.from('A')))),
  leafScenario('NULL as organization', subject(derNull())),
  leafScenario('emailAddress as UTF8String', {
    subjectDer: sequence(attribute(utf8String('a@b.example'), '1.2.840.113549.1.9.1')),
  }),
  {
    name: 'a further certificate with a PrintableString with @',
    mint: ({ ecdsa }) => [
      ...withChain(ecdsa.intermediate().issue({ dnsNames: [HOST] })),
      mintAuthority(subject(printableString('a@b'))),
    ],
  },
  leafScenario('an email address only', names(tagged(1, false, Buffer.from('a@b.example')))),
];
