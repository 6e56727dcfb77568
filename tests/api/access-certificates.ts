import { randomUUID } from 'node:crypto';
import { certificateFacts } from '../../server/core/facts.ts';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { addCertificates } from '../../server/store/checks/certificates.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';

const issuer = mintAuthority();
const minted = new Map<string, ReturnType<typeof mintTwo>>();

/** Mints two certificates for the domain of a caller, the current one first. */
function mintTwo(name: string) {
  const [current, former] = [0, 1].map(() => issuer.issue({ dnsNames: [`${name}.example.com`] })) as [
    ...[MintedCertificate, MintedCertificate],
  ];
  const seen = [current, former].map(({ der }) => {
    const certificate = certificateFacts(parseCertificate(der));
    return { fingerprint: certificate.fingerprint, der, facts: certificate };
  });
  const [certificate = '', formerCertificate = ''] = seen.map(({ fingerprint }) => fingerprint);
  return { seen, things: { certificate, certificatePem: current.certificatePem, formerCertificate } };
}

/** Returns the two certificates of a caller, minted at the first call, and what the caller knows of them. */
export function certificatesOf(name: string) {
  const known = minted.get(name) ?? mintTwo(name);
  minted.set(name, known);
  return known;
}

/** Writes the history of a domain that changed from the second of these certificates to the first. */
export async function giveCertificates(
  store: Store,
  {
    accountId,
    monitorId,
    certificates,
    now,
  }: {
    accountId: string;
    monitorId: string;
    certificates: Parameters<typeof addCertificates>[1];
    now: number;
  },
): Promise<void> {
  await store.db.transaction().execute((trx) => addCertificates(trx, certificates, now));
  const seenAt = certificates.map((_, index) => now - index);
  await store.db
    .insertInto('monitor_certificates')
    .values(
      certificates.map(({ fingerprint }, index) => ({
        account_id: accountId,
        monitor_id: monitorId,
        id: randomUUID(),
        fingerprint,
        role: 'leaf' as const,
        first_seen_at: seenAt[index] ?? now,
        last_seen_at: seenAt[index] ?? now,
        shown: 0,
      })),
    )
    .execute();
  await store.db
    .updateTable('monitors')
    .set({ certificate_fingerprint: certificates[0]?.fingerprint ?? null })
    .where('id', '=', monitorId)
    .execute();
}
