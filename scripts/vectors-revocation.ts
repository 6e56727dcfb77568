import { concludeRevocation } from '../server/core/judge/revocation.ts';
import type { RevocationEvidence } from '../server/core/observation.ts';
import type { Certificate } from '../server/pki/certificate.ts';
import type { Profile } from '../server/pki/profile/profile.ts';
import { parseCrl, type RevocationList } from '../server/pki/revocation/crl.ts';
import { PkiError } from '../server/pki/pki-error.ts';
import { crlSigners } from '../server/pki/revocation/crl-signers.ts';
import { crlStatus } from '../server/pki/revocation/crl-status.ts';
import { WorkBudget } from '../server/pki/work-budget.ts';

interface ValidationContext {
  readonly now: number;
  readonly profile: Profile;
  /** Whether CRLs must show that every certificate of the path is good. If false, only the leaf. */
  readonly needsAll: boolean;
  /** Certificates that the server sends besides the path. They may have signed CRLs. */
  readonly others: readonly Certificate[];
}

/**
 * Returns why revocation rejects a valid path; null if it does not. One of the CRLs (DER or PEM) must show that the leaf is good.
 * Uses the functions of a check, but tries every CRL for every certificate, because the cases do not say from which URL a CRL comes.
 */
export function revocationRefusal(
  path: readonly Certificate[],
  crls: readonly Uint8Array[],
  context: ValidationContext,
): string | null {
  if (crls.length === 0) return null;
  const lists = crls.flatMap(parseReadable);
  for (const [index, certificate] of path.slice(0, -1).entries()) {
    const { state, sources } = statusOf(certificate, path.slice(index + 1), lists, context);
    if (state === 'revoked') return 'revoked';
    if ((index > 0 && !context.needsAll) || state === 'good') continue;
    return `no valid CRL (${sources.map(({ why }) => why).join(', ') || 'no CRL could be parsed'})`;
  }
  return null;
}

function statusOf(
  certificate: Certificate,
  authorities: readonly Certificate[],
  lists: readonly RevocationList[],
  context: ValidationContext,
): ReturnType<typeof concludeRevocation> {
  const { now, others } = context;
  const more = crlSigners({ certificate, authorities, others, now, work: new WorkBudget() });
  const good = more.filter(
    (signer) =>
      statusOf(signer.certificate, signer.authorities, lists, { ...context, others: [] }).state === 'good',
  );
  const signers = [...authorities, ...good.map((signer) => signer.certificate)];
  const evidence = lists.map((crl): RevocationEvidence => {
    const answer = crlStatus({ ...context, crl, certificate, signers, isPublic: false, url: null });
    return { fingerprint: certificate.fingerprint, source: 'crl', url: null, at: now, answer };
  });
  return concludeRevocation(certificate, evidence, null, now);
}

function parseReadable(bytes: Uint8Array): RevocationList[] {
  try {
    return [parseCrl(bytes)];
  } catch (error) {
    if (error instanceof PkiError) return [];
    throw error;
  }
}
