import type { Certificate, Profile, RevocationList } from '../server/pki/index.ts';
import { crlAnswer, parseCrl, PkiError } from '../server/pki/index.ts';

interface Circumstances {
  readonly now: number;
  readonly profile: Profile;
}

/**
 * Why a path that holds is refused all the same, null if it is not. Where a case hands over lists, the leaf must be known to
 * be good by one of them, and nothing above it may be revoked: such cases ask for a hard failure.
 */
export function revocationRefusal(
  path: readonly Certificate[],
  pems: readonly string[],
  circumstances: Circumstances,
): string | null {
  if (pems.length === 0) return null;
  const lists = pems.flatMap(readable);
  for (const [index, certificate] of path.slice(0, -1).entries()) {
    const issuer = path[index + 1] ?? certificate;
    const answers = lists.map((crl) => crlAnswer({ ...circumstances, crl, certificate, issuer, url: null }));
    if (answers.some(({ state }) => state === 'revoked')) return 'revoked';
    if (index > 0 || answers.some(({ state }) => state === 'good')) continue;
    const reasons = answers.map((answer) => (answer.state === 'none' ? answer.why : answer.state));
    return `no list that counts (${reasons.join(', ') || 'none can be read'})`;
  }
  return null;
}

function readable(pem: string): RevocationList[] {
  try {
    return [parseCrl(Buffer.from(pem))];
  } catch (error) {
    if (error instanceof PkiError) return [];
    throw error;
  }
}
