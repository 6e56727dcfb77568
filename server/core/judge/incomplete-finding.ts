import type { Certificate, PathFailure } from '../../pki/index.ts';
import { certificateName, issuerName } from '../facts.ts';
import type { ChainFinding } from '../finding.ts';
import type { Verdict } from '../verdict.ts';

/**
 * Reports a chain that is valid only with certificates that the server did not send. `outdated`: an expired intermediate that it
 * sent instead, or null. `isPublic`: whether the path ends in an anchor of a public root program.
 */
export function incompleteFinding(
  { leaf, sent }: { leaf: Certificate; sent: readonly Certificate[] },
  path: readonly Certificate[],
  outdated: Certificate | null,
  isPublic: boolean,
): ChainFinding {
  const known = new Set(sent.map(({ fingerprint }) => fingerprint));
  const intermediates = path.slice(1, -1).filter(({ fingerprint }) => !known.has(fingerprint));
  const missing = intermediates.map(certificateName);
  const sentNames = [leaf, ...sent].map(certificateName);
  // Clients know the intermediates of public authorities, and fetch the others if the certificate below names a URL.
  const isUnfetchable =
    !isPublic && intermediates.some((one) => path[path.indexOf(one) - 1]?.caIssuersUrls.length === 0);
  const severity = isUnfetchable ? 'critical' : 'warning';
  const why = { ...(!isPublic && { isPrivate: true }), ...(isUnfetchable && { isUnfetchable }) };
  if (outdated !== null)
    return {
      code: 'intermediate_expired',
      severity,
      fingerprint: outdated.fingerprint,
      facts: {
        kind: 'outdated_intermediate',
        name: certificateName(outdated),
        notAfter: outdated.notAfter,
        ...why,
        evidence: { missing, sent: sentNames },
      },
      fixedByChain: true,
    };
  return {
    code: 'incomplete_chain',
    severity,
    fingerprint: leaf.fingerprint,
    facts: { kind: 'missing_intermediates', missing, ...why, evidence: { sent: sentNames } },
    fixedByChain: true,
  };
}

/** Reports that no path is valid yet, while certificates that may complete one are still being fetched. */
export function pendingFinding(leaf: Certificate, failures: readonly PathFailure[]): ChainFinding {
  return {
    code: 'incomplete_chain',
    severity: 'warning',
    fingerprint: leaf.fingerprint,
    facts: {
      kind: 'path_pending',
      issuer: issuerName(leaf),
      isIssuerSent: !failures.some(({ code, role }) => code === 'no_issuer' && role === 'leaf'),
      evidence: { certificate: certificateName(leaf) },
    },
  };
}

/** Returns whether an answer that the verdict depends on is still pending, so that the next check may know more. */
export function isAwaiting({ reached, path, findings, revocation }: Verdict): boolean {
  const isPathPending = findings.some(
    ({ code, severity }) => code === 'incomplete_chain' && severity === 'warning',
  );
  return (
    (reached && path.length === 0 && isPathPending) || revocation.sources.some(({ why }) => why === 'pending')
  );
}
