import { generateKeyPairSync } from 'node:crypto';
import { DAY_MS } from '../../../contract/durations.ts';
import { nameConstraints, type RawExtension } from './certificate-extensions.ts';
import { objectIdentifier, sequence, set, tagged, utf8String } from './der-writer.ts';
import {
  type CertificateOptions,
  type KeyPair,
  mintAuthority,
  type MintedAuthority,
  type MintedCertificate,
  mintKey,
  nameDer,
} from './mint.ts';

export const HOSTILE_HOST = 'hostile.certs.test';
const COMMON_NAME = '2.5.4.3';
const MAIL = '1.2.840.113549.1.9.1';
const SUBJECT_ALT_NAME = '2.5.29.17';
const CERTIFICATE_POLICIES = '2.5.29.32';
const POLICY_MAPPINGS = '2.5.29.33';
const POLICY_CONSTRAINTS = '2.5.29.36';
/** NFKC expands it to 18 characters, the longest expansion in Unicode. */
const EXPANDING = '\ufdfa';
/** Combining marks in an order that normalisation has to sort, in quadratic time. */
const UNSORTED_MARKS = '\u0301\u0316';

const alternativeNames = (...names: Uint8Array[]): CertificateOptions => ({
  dnsNames: [],
  extraExtensions: [
    { oid: SUBJECT_ALT_NAME, value: sequence(tagged(2, false, Buffer.from(HOSTILE_HOST)), ...names) },
  ],
});

const directories = (count: number, text: (index: number) => string): Uint8Array[] =>
  times(count, (index) => nameDer({ commonName: text(index) }));

const below =
  (authority: CertificateOptions, leaf: CertificateOptions) =>
  (root: MintedAuthority): MintedCertificate[] =>
    chainOf(root.intermediate(authority).issue({ dnsNames: [HOSTILE_HOST], ...leaf }));

/**
 * The most expensive chains known for each part of judging: names against constraints of each form, normalisation,
 * signatures, path search, policies, parsing. Each chain is leaf first, for the given root. None is larger than 100 kB:
 * OpenSSL accepts no more from a server.
 */
export const HOSTILE_CHAINS: Readonly<Record<string, (root: MintedAuthority) => MintedCertificate[]>> = {
  'expanding directory names × constraints': below(
    { excluded: { directory: directories(500, (index) => EXPANDING.repeat(16) + letters(index)) } },
    alternativeNames(
      ...directories(500, (index) => EXPANDING.repeat(16) + letters(index + 500)).map((name) =>
        tagged(4, true, name),
      ),
    ),
  ),
  'host names × constraints': below(
    { excluded: { dns: times(2_800, (index) => `${letters(index)}.a.example`) } },
    { dnsNames: [HOSTILE_HOST, ...times(2_300, (index) => `${letters(index)}.example.net`)] },
  ),
  'permitted host names × constraints': below(
    { permitted: { dns: [...times(2_800, (index) => `${letters(index)}.a.example`), 'certs.test'] } },
    { dnsNames: [HOSTILE_HOST, ...times(2_300, (index) => `${letters(index)}.certs.test`)] },
  ),
  'mailboxes × constraints': below(
    { excluded: { email: times(2_500, (index) => `${letters(index)}@a.example`) } },
    alternativeNames(
      ...times(2_500, (index) => tagged(1, false, Buffer.from(`${letters(index)}@b.example`))),
    ),
  ),
  'an address of 45 kB × constraints': below(
    { extraExtensions: [uriConstraints(4_500)] },
    alternativeNames(
      tagged(6, false, Buffer.from(`http://${'u'.repeat(200)}@b.example/${'p'.repeat(45_000)}`)),
    ),
  ),
  'mail attributes × constraints': below(
    { excluded: { email: times(2_500, (index) => `${letters(index)}@a.example`) } },
    {
      subjectDer: attributes(
        MAIL,
        times(1_400, (index) => `${letters(index)}@b.example`),
      ),
    },
  ),
  'unsorted marks in the subject': below(
    {},
    { subjectDer: attributes(COMMON_NAME, [`a${UNSORTED_MARKS.repeat(15_000)}`]) },
  ),
  'unsorted marks in many attributes': below(
    {},
    {
      subjectDer: attributes(
        COMMON_NAME,
        times(58, () => `a${UNSORTED_MARKS.repeat(255)}`),
      ),
    },
  ),
  'a name of 4,000 attributes': below(
    {},
    {
      subjectDer: attributes(
        COMMON_NAME,
        times(4_000, () => '\u0001'),
      ),
    },
  ),
  'an issuer of control characters': below(
    { subjectDer: attributes(COMMON_NAME, ['\u0001\u202e'.repeat(10_000)]) },
    {},
  ),
  '5,000 host names': below({}, { dnsNames: times(5_000, (index) => `*.${letters(index)}.ab`) }),
  '14,000 empty names': below({}, alternativeNames(...times(14_000, () => tagged(2, false)))),
  'policies and mappings': below(policies(2_000), policies(1_500)),
  'constraints in eight certificates': (root) => {
    const excluded = { dns: times(500, (index) => `${letters(index)}.a.example`) };
    let authority = root;
    for (let level = 0; level < 8; level++)
      authority = authority.intermediate({ commonName: letters(level), excluded });
    const dnsNames = [HOSTILE_HOST, ...times(2_000, (index) => `${letters(index)}.b.c`)];
    return chainOf(authority.issue({ commonName: null, dnsNames }));
  },
  'constraints on addresses in 80 certificates': (root) => {
    let authority = root;
    for (let level = 0; level < 80; level++)
      authority = authority.intermediate({ commonName: letters(level), excluded: { ip: ['192.0.2.0/24'] } });
    const dnsNames = [HOSTILE_HOST, ...times(5_000, letters)];
    return chainOf(authority.issue({ commonName: null, dnsNames }));
  },
  'a path of 100 intermediates': (root) => {
    let authority = root;
    for (let level = 0; level < 100; level++)
      authority = authority.intermediate({ commonName: letters(level) });
    return chainOf(authority.issue({ dnsNames: [HOSTILE_HOST] }));
  },
  '220 certificates of one name': (root) => {
    // All certificates expire at the same time: a path search tries those that expire last first, and might otherwise try the
    // right one too early.
    const notAfter = Date.now() + 3650 * DAY_MS;
    const authorities = times(220, () =>
      root.intermediate({ commonName: 'a', keyIdentifiers: null, notAfter }),
    );
    const leaf = authorities.at(-1)?.issue({ dnsNames: [HOSTILE_HOST], keyIdentifiers: null });
    return leaf === undefined ? [] : [leaf, ...authorities];
  },
  'mesh of RSA-4096 with a long exponent': mesh(() =>
    generateKeyPairSync('rsa', { modulusLength: 4096, publicExponent: 0xffffffff }),
  ),
  'mesh of sect571r1': mesh(() => generateKeyPairSync('ec', { namedCurve: 'sect571r1' })),
  'mesh of P-521': mesh(() => mintKey('P-521')),
};

function chainOf(leaf: MintedCertificate): MintedCertificate[] {
  return [leaf, ...leaf.chain];
}

/**
 * Makes nine CA certificates with the same name: three versions of each of three CAs, each signed by the next. A path search has
 * to try every certificate as the issuer of every other.
 */
function mesh(makeKey: () => KeyPair): (root: MintedAuthority) => MintedCertificate[] {
  return (root) => {
    const subjectDer = nameDer({ commonName: 'Mesh' });
    const keys = times(3, makeKey);
    const authorities = keys.flatMap((key, index) => {
      const signer = keys[index + 1];
      const issuer = signer === undefined ? root : mintAuthority({ subjectDer, key: signer });
      return times(3, () => issuer.intermediate({ subjectDer, key }));
    });
    const [lowest] = authorities;
    if (lowest === undefined) throw new Error('no authorities');
    return [lowest.issue({ dnsNames: [HOSTILE_HOST] }), ...authorities];
  };
}

function policies(count: number): CertificateOptions {
  const identifiers = times(count, (index) => objectIdentifier(`1.2.${index + 1}`));
  const extensions: RawExtension[] = [
    { oid: CERTIFICATE_POLICIES, value: sequence(...identifiers.map((one) => sequence(one))) },
    { oid: POLICY_MAPPINGS, value: sequence(...identifiers.map((one) => sequence(one, one))) },
    { oid: POLICY_CONSTRAINTS, critical: true, value: sequence(tagged(0, false, Buffer.of(0))) },
  ];
  return { extraExtensions: extensions };
}

function uriConstraints(count: number): RawExtension {
  const { oid } = nameConstraints({ dns: ['a.example'] }, {});
  const bases = times(count, (index) => sequence(tagged(6, false, Buffer.from(`${letters(index)}.a`))));
  return { oid, critical: true, value: sequence(tagged(1, true, ...bases)) };
}

function attributes(type: string, values: readonly string[]): Buffer {
  return sequence(...values.map((value) => set(sequence(objectIdentifier(type), utf8String(value)))));
}

function times<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Returns a different word for each number. */
function letters(index: number): string {
  return index.toString(36).padStart(3, 'x');
}
