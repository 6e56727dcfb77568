import { z } from 'zod';
import type { Purpose } from '../server/pki/certificate-checks.ts';
import { type Certificate, parseCertificate } from '../server/pki/certificate.ts';
import { matchesReference, type ReferenceIdentifier } from '../server/pki/names/reference-identifier.ts';
import { buildPath, type PathResult } from '../server/pki/path.ts';
import type { Profile } from '../server/pki/profile/profile.ts';
import { createTrustStore, type TrustStore } from '../server/pki/trust-store.ts';
import { pemCertificates } from '../server/pki/certificate-bundle.ts';
import { parseIpAddress } from '../server/pki/names/ip-address.ts';
import { PkiError } from '../server/pki/pki-error.ts';
import { hasWildcardOfPublicSuffix } from './vectors-public-suffix.ts';
import { revocationRefusal } from './vectors-revocation.ts';
import { isWaived } from './vectors-skip-list.ts';

/** A test case with its expected answer, independent of the file format. */
export interface VectorCase {
  readonly id: string;
  readonly features: readonly string[];
  readonly expected: Answer;
  /** Whether the case is skipped regardless of the skip list. */
  readonly skipped: boolean;
  judge(options: { readonly now: number; readonly profile: Profile | null }): {
    answer: Answer;
    reason: string;
  };
}

export type Answer = 'accept' | 'reject';

const peerName = z.object({ kind: z.enum(['DNS', 'IP', 'RFC822']), value: z.string() });
const limboCase = z.object({
  id: z.string(),
  features: z.array(z.string()).default([]),
  validation_kind: z.enum(['SERVER', 'CLIENT']),
  trusted_certs: z.array(z.string()),
  untrusted_intermediates: z.array(z.string()),
  peer_certificate: z.string(),
  validation_time: z.string().nullable().default(null),
  extended_key_usage: z.array(z.string()),
  expected_result: z.enum(['SUCCESS', 'FAILURE']),
  expected_peer_name: peerName.nullable().default(null),
  expected_peer_names: z.array(peerName),
  max_chain_depth: z.number().nullable().default(null),
  crls: z.array(z.string()).default([]),
});
const limboFile = z.object({ testcases: z.array(limboCase) });

const betterTlsCase = z.object({
  id: z.number(),
  suite: z.string(),
  certificates: z.array(z.string()),
  hostname: z.string(),
  expected: z.enum(['ACCEPT', 'REJECT']),
  failureIsWarning: z.boolean(),
});
const betterTlsFile = z.object({
  trustRoot: z.string(),
  suites: z.record(z.string(), z.object({ testCases: z.array(betterTlsCase) })),
});

/** Parses an x509-limbo or BetterTLS file; detects the format by its content. @throws Error for any other format. */
export function readVectorCases(text: string): VectorCase[] {
  const content: unknown = JSON.parse(text);
  const limbo = limboFile.safeParse(content);
  if (limbo.success) return limbo.data.testcases.map(fromLimbo);
  const betterTls = betterTlsFile.safeParse(content);
  if (!betterTls.success) throw new Error('this is neither an x509-limbo file nor a BetterTLS export');
  const anchor = Buffer.from(betterTls.data.trustRoot, 'base64');
  const trustStore = createTrustStore([anchor]);
  return Object.values(betterTls.data.suites).flatMap(({ testCases }) =>
    testCases.map((testCase) => fromBetterTls(testCase, trustStore)),
  );
}

/**
 * Returns the validation profile for an x509-limbo case from the first part of its id. Cases that `conflicts_with` links need
 * different profiles, because no profile passes all of them. BetterTLS cases use the profile of TLS clients.
 */
function profileOf(id: string): Profile {
  if (id.startsWith('rfc5280::')) return 'rfc5280';
  return id.startsWith('bettertls::') ? 'tls-client' : 'web-pki';
}

function fromLimbo(testCase: z.infer<typeof limboCase>): VectorCase {
  return {
    id: testCase.id,
    features: testCase.features,
    expected: testCase.expected_result === 'SUCCESS' ? 'accept' : 'reject',
    skipped: false,
    judge: ({ now, profile }) =>
      toAnswer(() => {
        const [leafDer] = pemCertificates(testCase.peer_certificate);
        if (leafDer === undefined) throw new PkiError('pem', 'no certificate');
        const leaf = parseCertificate(leafDer);
        const anchors = parseReadable(testCase.trusted_certs.flatMap((text) => pemCertificates(text)));
        const name = testCase.expected_peer_name;
        if (!testCase.expected_peer_names.every((one) => hasName(leaf, one)))
          return 'the certificate lacks an expected peer name';
        const caseNow = testCase.validation_time === null ? now : Date.parse(testCase.validation_time);
        const caseProfile = profile ?? profileOf(testCase.id);
        const result = buildPath({
          leaf,
          intermediates: parseReadable(
            testCase.untrusted_intermediates.flatMap((text) => pemCertificates(text)),
          ),
          trustStore: createTrustStore(anchors.map(({ der }) => der)),
          now: caseNow,
          reference: name === null ? undefined : referenceTo(name.value),
          maxDepth: testCase.max_chain_depth ?? undefined,
          extendedKeyUsage: purposeOf(testCase),
          profile: caseProfile,
        });
        if (!result.ok && !isWaived(testCase.id, result.failures)) return result;
        if (caseProfile === 'web-pki' && hasWildcardOfPublicSuffix(leaf))
          return 'a wildcard below a public suffix';
        if (!result.ok) return null;
        const context = { now: caseNow, profile: caseProfile, needsAll: false, others: [] };
        const crls = testCase.crls.map((pem) => Buffer.from(pem));
        return revocationRefusal(result.path, crls, context) ?? result;
      }),
  };
}

function purposeOf(testCase: z.infer<typeof limboCase>): Purpose {
  const [first] = testCase.extended_key_usage;
  if (first === 'serverAuth' || first === 'clientAuth') return first;
  return testCase.validation_kind === 'CLIENT' ? 'clientAuth' : 'serverAuth';
}

function hasName(leaf: Certificate, { kind, value }: z.infer<typeof peerName>): boolean {
  if (kind === 'RFC822') return leaf.subjectAltNames.emailAddresses.includes(value);
  return matchesReference(leaf, referenceTo(value));
}

function fromBetterTls(testCase: z.infer<typeof betterTlsCase>, trustStore: TrustStore): VectorCase {
  return {
    id: `${testCase.suite}::${testCase.id}`,
    features: [],
    expected: testCase.expected === 'ACCEPT' ? 'accept' : 'reject',
    // Skips cases in which clients may differ: BetterTLS does not count them either.
    skipped: testCase.failureIsWarning,
    judge: ({ now, profile }) =>
      toAnswer(() => {
        const [leafDer, ...others] = testCase.certificates.map((base64) => Buffer.from(base64, 'base64'));
        return buildPath({
          leaf: parseCertificate(leafDer ?? new Uint8Array()),
          intermediates: parseReadable(others),
          trustStore,
          now,
          reference: referenceTo(testCase.hostname),
          profile: profile ?? 'tls-client',
        });
      }),
  };
}

function referenceTo(name: string): ReferenceIdentifier {
  return parseIpAddress(name) === null
    ? { kind: 'dns', name: name.toLowerCase() }
    : { kind: 'ip', address: name };
}

/** Parses certificates. Skips those that cannot be parsed. */
export function parseReadable(ders: readonly Uint8Array[]): Certificate[] {
  return ders.flatMap((der) => {
    try {
      return [parseCertificate(der)];
    } catch (error) {
      if (error instanceof PkiError) return [];
      throw error;
    }
  });
}

/** Converts the result of `judge` to an answer. A string is the reason for a rejection; null means acceptance. */
export function toAnswer(judge: () => PathResult | string | null): { answer: Answer; reason: string } {
  try {
    const result = judge();
    if (result === null) return { answer: 'accept', reason: 'no fault was found' };
    if (typeof result === 'string') return { answer: 'reject', reason: result };
    if (result.ok) return { answer: 'accept', reason: `a valid path of ${result.path.length} certificates` };
    const reasons = result.failures.map(
      ({ code, role, rule }) => `${role} ${code}${rule === null ? '' : ` ${rule}`}`,
    );
    return {
      answer: 'reject',
      reason: [...reasons.slice(0, 5), ...(result.budgetExhausted ? ['budget'] : [])].join('; '),
    };
  } catch (error) {
    if (error instanceof PkiError)
      return { answer: 'reject', reason: `the leaf cannot be parsed: ${error.message}` };
    throw error;
  }
}
