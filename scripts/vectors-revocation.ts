import type { Certificate, Profile, RevocationList } from '../server/pki/index.ts';
import { crlStatus, parseCrl, PkiError } from '../server/pki/index.ts';

interface ValidationContext {
  readonly now: number;
  readonly profile: Profile;
}

/**
 * Returns the reason why revocation rejects a valid path; null if it does not. A case with CRLs expects a hard failure:
 * one CRL must show that the leaf is good, and no CRL may revoke a certificate of the path.
 */
export function revocationRefusal(
  path: readonly Certificate[],
  pems: readonly string[],
  context: ValidationContext,
): string | null {
  if (pems.length === 0) return null;
  const lists = pems.flatMap(parseReadable);
  for (const [index, certificate] of path.slice(0, -1).entries()) {
    const issuer = path[index + 1] ?? certificate;
    const answers = lists.map((crl) => crlStatus({ ...context, crl, certificate, issuer, url: null }));
    if (answers.some(({ state }) => state === 'revoked')) return 'revoked';
    if (index > 0 || answers.some(({ state }) => state === 'good')) continue;
    const reasons = answers.map((answer) => (answer.state === 'none' ? answer.why : answer.state));
    return `no valid CRL (${reasons.join(', ') || 'no CRL could be parsed'})`;
  }
  return null;
}

function parseReadable(pem: string): RevocationList[] {
  try {
    return [parseCrl(Buffer.from(pem))];
  } catch (error) {
    if (error instanceof PkiError) return [];
    throw error;
  }
}
