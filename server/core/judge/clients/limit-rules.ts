import type { Certificate } from '../../../pki/certificate.ts';
import type { GeneralName } from '../../../pki/names/general-name.ts';
import type { HandshakeObservation } from '../../observation.ts';
import type { ClientRule } from './client-rule.ts';

/** The leaf, and what the server sent with it. */
export type SentMessage = Pick<HandshakeObservation, 'tlsVersion' | 'presentedChain' | 'staple'> & {
  certificate: Certificate;
};

/** Returns the size of the body of the message Certificate in bytes (RFC 8446 §4.4.2, RFC 5246 §7.4.2). */
function messageBytes({ tlsVersion, presentedChain, staple }: SentMessage): number {
  const hasExtensions = tlsVersion === 'TLSv1.3';
  // Observations that older versions stored may lack the staple.
  const stapleBytes = (staple as Uint8Array | null | undefined)?.length ?? 0;
  const beside = hasExtensions ? 4 + (stapleBytes === 0 ? 0 : 8 + stapleBytes) : 3;
  return presentedChain.reduce((sum, { length }) => sum + length + (hasExtensions ? 5 : 3), beside);
}

/** Rules about the number and the size of the certificates that a server sends. */
export const SIZE_RULES = [
  {
    code: 'large_chain',
    why: 'the server sends too many or too large certificates; Java accepts 10 and 32 kB, GnuTLS 16, older Go 64 kB',
    fix: 'Remove the certificates that are not needed from the file that your server sends, or have smaller ones issued.',
    clients: ['java'],
    source: 'measured; maxInboundServerCertChainLen in SSLConfiguration.java of OpenJDK',
    applies: ({ presentedChain }) => presentedChain.length > 10,
  },
  {
    code: 'large_chain',
    clients: ['java'],
    source: 'measured; maxHandshakeMessageSize in SSLConfiguration.java of OpenJDK',
    applies: (message) => messageBytes(message) > 32_768,
  },
  {
    code: 'large_chain',
    clients: ['gnutls'],
    source: 'measured; DEFAULT_MAX_VERIFY_DEPTH in gnutls_int.h',
    applies: ({ presentedChain }) => presentedChain.length > 16,
  },
  {
    code: 'large_chain',
    clients: ['go'],
    acceptingSince: { go: '1.23' },
    source: 'measured with Go 1.19; maxHandshakeCertificateMsg in crypto/tls allows 256 kB since 1.23',
    applies: (message) => messageBytes(message) > 65_536,
  },
] as const satisfies readonly ClientRule<SentMessage>[];

/** A valid path, leaf first, anchor last. */
interface Path {
  certificate: Certificate;
  path: readonly Certificate[];
}

/** Numbers of alternative names or constraints by form. */
type Counts = Readonly<Record<GeneralName['kind'] | 'all', number>>;

function countsOf(names: readonly GeneralName[]): Counts {
  const counts = { dns: 0, email: 0, uri: 0, ip: 0, directory: 0, unsupported: 0, all: names.length };
  for (const { kind } of names) counts[kind]++;
  return counts;
}

interface CountedNames {
  names: Counts;
  /** Number of attributes of the subject. */
  attributes: number;
  /** Name constraints; null if there are none. */
  constraints: Counts | null;
}

const counted = new WeakMap<Certificate, CountedNames>();

/** Counts the names of a certificate. Memoized, because each certificate of a path is compared with all others, up to 100. */
function countNames(certificate: Certificate): CountedNames {
  const known = counted.get(certificate);
  if (known !== undefined) return known;
  const { subject, subjectAltNames, nameConstraints } = certificate;
  const counts = {
    names: countsOf(subjectAltNames.all),
    attributes: subject.relativeNames.flat().length,
    constraints: nameConstraints && countsOf([...nameConstraints.permitted, ...nameConstraints.excluded]),
  };
  counted.set(certificate, counts);
  return counts;
}

/** Returns the most comparisons that the name constraints of one certificate take for the names of one below it. */
function mostComparisons(
  { path }: Path,
  comparisons: (below: CountedNames, constraints: Counts) => number,
): number {
  const all = path.map(countNames);
  let most = 0;
  for (const [index, { constraints }] of all.entries()) {
    if (constraints === null) continue;
    for (const below of all.slice(0, index)) most = Math.max(most, comparisons(below, constraints));
  }
  return most;
}

const sumOf = (counts: Counts, kinds: readonly GeneralName['kind'][]): number =>
  kinds.reduce((sum, kind) => sum + counts[kind], 0);

const FORMS_OF_CHROMIUM = ['email', 'dns', 'directory', 'ip'] as const;
const FORMS_OF_GO = ['email', 'dns', 'uri', 'ip'] as const;

/** The most comparisons that OpenSSL, Chromium and GnuTLS make for two certificates. */
const MOST_COMPARISONS = 2 ** 20;
/** The most comparisons that Go made before 1.26. */
const MOST_COMPARISONS_OF_GO = 250_000;

/** The largest certificate that Firefox reads, in bytes. */
const FIREFOX_CERTIFICATE_BYTES = 65_535;

/** Rules about the whole path of a leaf. */
export const PATH_RULES = [
  {
    code: 'long_path',
    why: 'there are too many intermediate certificates; Firefox accepts 6, Chrome 19, Go 99',
    fix: 'Get a certificate from an authority that is closer to its root.',
    clients: ['firefox'],
    source: 'measured; MAX_SUBCA_COUNT in pkixbuild.cpp of mozilla::pkix',
    applies: ({ path }) => path.length - 2 > 6,
  },
  {
    code: 'long_path',
    clients: ['chromium'],
    source: 'measured; kPathBuilderIterationLimit in cert_verify_proc_builtin.cc',
    applies: ({ path }) => path.length - 2 > 19,
  },
  {
    code: 'long_path',
    clients: ['go'],
    source: 'measured; maxChainSignatureChecks in verify.go',
    applies: ({ path }) => path.length - 2 > 99,
  },
  {
    code: 'large_certificate',
    why: 'it or an intermediate certificate is larger than 64 kB',
    fix: 'Have a smaller certificate issued, for instance one with fewer names.',
    clients: ['firefox'],
    source: 'measured; Input::Init in Input.h of mozilla::pkix',
    applies: ({ path }) =>
      path.some(
        ({ der }, index) =>
          der.length > FIREFOX_CERTIFICATE_BYTES && (index === 0 || index < path.length - 1),
      ),
  },
  {
    code: 'many_constraints',
    why: 'its names and the name constraints of its authority take too many comparisons',
    fix: 'Have a certificate with fewer names issued, or ask your authority for an intermediate with fewer constraints.',
    clients: ['openssl'],
    source: 'measured; NAME_CHECK_MAX in v3_ncons.c',
    applies: (path) =>
      mostComparisons(path, ({ names, attributes }, { all }) => (attributes + names.all) * all) >
      MOST_COMPARISONS,
  },
  {
    code: 'many_constraints',
    clients: ['chromium'],
    source: 'measured; kMaxChecks in name_constraints.cc of BoringSSL, which counts no URIs',
    applies: (path) =>
      mostComparisons(
        path,
        ({ names }, constraints) => sumOf(names, FORMS_OF_CHROMIUM) * sumOf(constraints, FORMS_OF_CHROMIUM),
      ) > MOST_COMPARISONS,
  },
  {
    code: 'many_constraints',
    clients: ['gnutls'],
    source: 'measured; MAX_NC_CHECKS in name_constraints.c of GnuTLS 3.8.9',
    applies: (path) => mostComparisons(path, ({ names }, { all }) => names.all * all) > MOST_COMPARISONS,
  },
  {
    code: 'many_constraints',
    clients: ['go'],
    acceptingSince: { go: '1.26' },
    source: 'measured with Go 1.19; constraints.go of Go 1.26 has no such limit',
    applies: (path) =>
      mostComparisons(path, ({ names }, constraints) =>
        FORMS_OF_GO.reduce((sum, form) => sum + names[form] * constraints[form], 0),
      ) > MOST_COMPARISONS_OF_GO,
  },
] as const satisfies readonly ClientRule<Path>[];
