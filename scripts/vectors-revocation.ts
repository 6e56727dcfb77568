import type { Certificate, Profile, RevocationList } from '../server/pki/index.ts';
import {
  crlStatus,
  isSignedBy,
  parseCrl,
  PkiError,
  validityFailure,
  WorkBudget,
} from '../server/pki/index.ts';

interface ValidationContext {
  readonly now: number;
  readonly profile: Profile;
  /** Whether a CRL must show that each certificate of the path is good, and not only the leaf. */
  readonly needsAll: boolean;
  /** Certificates outside the path that may sign a CRL, if a CA of the path issued them. */
  readonly others: readonly Certificate[];
}

/**
 * Returns the reason why revocation rejects a valid path; null if it does not. A case with CRLs (DER or PEM) expects a hard
 * failure: one CRL must show that the leaf is good, and no CRL may revoke a certificate of the path.
 */
export function revocationRefusal(
  path: readonly Certificate[],
  crls: readonly Uint8Array[],
  context: ValidationContext,
): string | null {
  if (crls.length === 0) return null;
  const lists = crls.flatMap(parseReadable);
  const statusesOf = (certificate: Certificate, issuer: Certificate, otherSigners: readonly Certificate[]) =>
    lists.map((crl) => crlStatus({ ...context, crl, certificate, issuer, otherSigners, url: null }));
  for (const [index, certificate] of path.slice(0, -1).entries()) {
    const authorities = path.slice(index + 1);
    const issuer = authorities[0] ?? certificate;
    const issued = context.others.filter(
      (other) =>
        validityFailure(other, context.now) === null &&
        authorities.some(
          (authority) =>
            isSignedBy(other, authority, new WorkBudget()) &&
            statusesOf(other, authority, authorities).every(({ state }) => state !== 'revoked'),
        ),
    );
    const answers = statusesOf(certificate, issuer, [...authorities, ...issued]);
    if (answers.some(({ state }) => state === 'revoked')) return 'revoked';
    if ((index > 0 && !context.needsAll) || answers.some(({ state }) => state === 'good')) continue;
    const reasons = answers.map((answer) => (answer.state === 'none' ? answer.why : answer.state));
    return `no valid CRL (${reasons.join(', ') || 'no CRL could be parsed'})`;
  }
  return null;
}

function parseReadable(bytes: Uint8Array): RevocationList[] {
  try {
    return [parseCrl(bytes)];
  } catch (error) {
    if (error instanceof PkiError) return [];
    throw error;
  }
}
