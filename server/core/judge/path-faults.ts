import { type Certificate, type PathFailure, publicKeyName, type TrustStore } from '../../pki/index.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import type { Client } from '../../../contract/check-words.ts';
import { certificateName, issuerName } from '../facts.ts';
import { refusingAnchor } from './clients/anchor-rules.ts';
import { connectsTo, severityOf } from './clients/client-rule.ts';
import { refusingAlgorithm } from './clients/field-rules.ts';
import { refusingCritical, refusingMalformed } from './clients/refusals.ts';
import { type ChainFinding, contentKey, type FindingCode, type PathFault } from '../finding.ts';

/**
 * Returns the reasons why no path is valid as findings, except expired intermediates, which have a finding of their own.
 * `named`: the certificates that the failures are about, by fingerprint.
 */
export function pathFaults(
  failures: readonly PathFailure[],
  named: ReadonlyMap<string, Certificate>,
  protocol: Protocol,
  trustStore: TrustStore,
): ChainFinding[] {
  const findings = new Map<string, ChainFinding>();
  for (const failure of failures) {
    const certificate = named.get(failure.fingerprint);
    if (certificate === undefined || (failure.code === 'expired' && failure.role === 'intermediate'))
      continue;
    const facts = factsOf(failure, certificate);
    const code = codeOf(facts);
    const isAnchor = failure.role === 'anchor';
    const refusing = isAnchor
      ? refusingAnchor(failure.code, certificate, trustStore)
      : clientsRefusing(facts, certificate);
    const clients = refusing?.filter(connectsTo(protocol));
    // All may be browsers, which connect over https only.
    if (clients?.length === 0 && isAnchor) continue;
    findings.set(contentKey({ code, facts }), {
      code,
      // Without a verified path, only clients that are known to refuse make it critical.
      severity: isAnchor || code === 'unverifiable' ? severityOf(clients ?? [], protocol) : 'critical',
      fingerprint: certificate.fingerprint,
      facts,
      ...(clients !== undefined && { clients }),
    });
  }
  return [...findings.values()];
}

/** Returns who refuses the certificate; undefined if its finding's code says so. */
function clientsRefusing(facts: PathFault, certificate: Certificate): readonly Client[] | undefined {
  switch (facts.fault) {
    case 'malformed':
      return refusingMalformed(certificate);
    case 'unknown_critical_extension':
      return refusingCritical(certificate);
    case 'unknown_key':
    case 'unknown_signature':
      return refusingAlgorithm(facts.identifier, facts.algorithm);
    default:
      return undefined;
  }
}

function factsOf({ code: fault, role }: PathFailure, certificate: Certificate): PathFault {
  const name = certificateName(certificate);
  const issuer = issuerName(certificate);
  const base = { kind: 'path_fault', evidence: { certificate: name, issuer } } as const;
  const authority = role === 'leaf' ? null : name;
  switch (fault) {
    case 'no_issuer': {
      const canBeFetched = role === 'leaf' && certificate.caIssuersUrls.length > 0;
      return { ...base, fault, issuer, canBeFetched };
    }
    case 'untrusted_root':
      return { ...base, fault, root: name };
    case 'expired':
      return { ...base, fault, authority: name, notAfter: certificate.notAfter };
    case 'self_signed':
      return { ...base, fault };
    case 'weak_key': {
      const { type, bits, curve } = certificate.key;
      return { ...base, fault, authority, key: { type, bits, curve } };
    }
    case 'weak_signature':
      return { ...base, fault, authority, algorithm: certificate.signatureAlgorithm };
    case 'unknown_key': {
      const { algorithm } = certificate.key;
      return { ...base, fault, authority, algorithm: publicKeyName(certificate.key), identifier: algorithm };
    }
    case 'unknown_signature': {
      const { name: algorithm, identifier } = certificate.signature.algorithm;
      return { ...base, fault, authority, algorithm, identifier };
    }
    case 'not_yet_valid':
      return { ...base, fault, authority, notBefore: certificate.notBefore };
    default:
      return { ...base, fault, authority };
  }
}

function codeOf(facts: PathFault): FindingCode {
  switch (facts.fault) {
    case 'no_issuer':
      // A leaf with a URL of its issuer most likely comes from a public authority: report its chain as incomplete, not as
      // untrusted.
      return facts.canBeFetched ? 'incomplete_chain' : 'untrusted_root';
    case 'untrusted_root':
      return 'untrusted_root';
    case 'self_signed':
    case 'weak_key':
    case 'weak_signature':
      return facts.fault;
    case 'unknown_key':
    case 'unknown_signature':
      return 'unverifiable';
    case 'malformed':
      return 'malformed_certificate';
    default:
      return 'path_invalid';
  }
}
