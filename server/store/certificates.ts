import type { Transaction } from 'kysely';
import type { CertificateFacts } from '../core/index.ts';
import { bytes } from './dialect.ts';
import type { Store } from './open-store.ts';
import type { Tables } from './tables.ts';
import { inTransaction } from './transaction.ts';

export interface SeenCertificate {
  fingerprint: string;
  der: Uint8Array;
  /** null: it could not be read. */
  facts: CertificateFacts | null;
}

/** The certificate as it was served; null when it is not known. Fingerprints are SHA-256, lower-case hex. */
export async function certificateDer(store: Store, fingerprint: string): Promise<Uint8Array | null> {
  const row = await store.db
    .selectFrom('certificates')
    .select('der')
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  return row ? bytes(row.der) : null;
}

/** These certificates in this order; null when one of them is not known. */
export async function certificateDers(
  store: Store,
  fingerprints: readonly string[],
): Promise<Uint8Array[] | null> {
  if (fingerprints.length === 0) return [];
  const rows = await store.db
    .selectFrom('certificates')
    .select(['fingerprint', 'der'])
    .where('fingerprint', 'in', fingerprints)
    .execute();
  const known = new Map(rows.map(({ fingerprint, der }) => [fingerprint, bytes(der)]));
  const ders = fingerprints.flatMap((fingerprint) => known.get(fingerprint) ?? []);
  return ders.length === fingerprints.length ? ders : null;
}

/** Keeps each certificate once. Most checks see nothing new: then no DER is sent. */
export async function keepCertificates(
  trx: Transaction<Tables>,
  seen: readonly SeenCertificate[],
  now: number,
): Promise<void> {
  if (seen.length === 0) return;
  const fingerprints = seen.map(({ fingerprint }) => fingerprint);
  const known = await trx
    .selectFrom('certificates')
    .select('fingerprint')
    .where('fingerprint', 'in', fingerprints)
    .execute();
  const missing = seen.filter(({ fingerprint }) => !known.some((row) => row.fingerprint === fingerprint));
  if (missing.length === 0) return;
  await trx
    .insertInto('certificates')
    .values(
      missing
        .map(({ fingerprint, der, facts }) => ({
          fingerprint,
          der,
          facts: facts && JSON.stringify(facts),
          first_seen_at: now,
        }))
        // In one order everywhere: two checks that meet the same new certificates must not wait for each other in a ring.
        .toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1)),
    )
    .onConflict((conflict) => conflict.column('fingerprint').doNothing())
    .execute();
}

export function parseFacts(facts: string | null): CertificateFacts | null {
  return facts === null ? null : (JSON.parse(facts) as CertificateFacts);
}

/** Removes certificates that no monitor has shown any more; returns how many. */
export async function pruneOrphanCertificates(store: Store): Promise<number> {
  return inTransaction(store, (trx) => deleteUnwatched(trx, null));
}

/** Of these certificates (null: of all) deletes those that no monitor has shown; returns how many. */
export async function deleteUnwatched(
  trx: Transaction<Tables>,
  fingerprints: readonly string[] | null,
): Promise<number> {
  const orphans = trx.deleteFrom('certificates').where((eb) => {
    const shown = eb
      .selectFrom('monitor_certificates')
      .select('monitor_certificates.id')
      .whereRef('monitor_certificates.fingerprint', '=', 'certificates.fingerprint');
    return eb.not(eb.exists(shown));
  });
  let deleted = 0n;
  for (const batch of fingerprints === null ? [null] : batches(fingerprints)) {
    const query = batch === null ? orphans : orphans.where('fingerprint', 'in', batch);
    deleted += (await query.executeTakeFirst()).numDeletedRows;
  }
  return Number(deleted);
}

/** Databases bound the number of a statement's parameters. */
function batches(fingerprints: readonly string[]): string[][] {
  const size = 500;
  return Array.from({ length: Math.ceil(fingerprints.length / size) }, (_, index) =>
    fingerprints.slice(index * size, (index + 1) * size),
  );
}
