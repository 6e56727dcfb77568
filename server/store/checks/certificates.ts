import { sql, type Transaction } from 'kysely';
import type { CertificateFacts } from '../../core/index.ts';
import { bytes } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { storedJson } from '../db/stored-json.ts';
import { z } from 'zod';

export interface SeenCertificate {
  fingerprint: string;
  /** null: it is not to be stored. */
  der: Uint8Array | null;
  /** null: it could not be read. */
  facts: CertificateFacts | null;
}

/** In the column `der`: a limit kept the bytes from being stored, or took them away. */
const NOT_KEPT = new Uint8Array();
const isKept = sql<boolean>`length(certificates.der) > 0`;

/** 1 where the DER is stored; for queries that join `certificates`. */
export const derIsKept = sql<number>`case when ${isKept} then 1 else 0 end`;

/** The DER of these certificates in this order; null when one of them is not known, or is no longer kept. */
export async function certificateDers(
  store: Store,
  fingerprints: readonly string[],
): Promise<Uint8Array[] | null> {
  if (fingerprints.length === 0) return [];
  const rows = await store.db
    .selectFrom('certificates')
    .select(['fingerprint', 'der'])
    .where('fingerprint', 'in', fingerprints)
    .where(isKept)
    .execute();
  const known = new Map(rows.map(({ fingerprint, der }) => [fingerprint, bytes(der)]));
  const ders = fingerprints.flatMap((fingerprint) => known.get(fingerprint) ?? []);
  return ders.length === fingerprints.length ? ders : null;
}

/** Which of these certificates are stored, with their DER. */
export async function keptFingerprints(
  trx: Transaction<Tables>,
  fingerprints: readonly string[],
): Promise<Set<string>> {
  if (fingerprints.length === 0) return new Set();
  const rows = await trx
    .selectFrom('certificates')
    .select('fingerprint')
    .where('fingerprint', 'in', fingerprints)
    .where(isKept)
    .execute();
  return new Set(rows.map(({ fingerprint }) => fingerprint));
}

/** Adds certificates, and the DER to those of which it was not kept. */
export async function addCertificates(
  trx: Transaction<Tables>,
  added: readonly SeenCertificate[],
  now: number,
): Promise<void> {
  if (added.length === 0) return;
  await trx
    .insertInto('certificates')
    .values(
      added
        .map(({ fingerprint, der, facts }) => ({
          fingerprint,
          der: der ?? NOT_KEPT,
          facts: facts && JSON.stringify(facts),
          first_seen_at: now,
        }))
        // In one order everywhere: two checks that meet the same new certificates must not wait for each other in a ring.
        .toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1)),
    )
    .onConflict((conflict) =>
      conflict
        .column('fingerprint')
        .doUpdateSet((eb) => ({ der: eb.ref('excluded.der'), facts: eb.ref('excluded.facts') }))
        .where(sql<boolean>`length(certificates.der) = 0 and length(excluded.der) > 0`),
    )
    .execute();
}

/** Takes the DER away from those of these certificates that no monitor keeps. */
export async function dropUnkeptDers(
  trx: Transaction<Tables>,
  fingerprints: readonly string[],
): Promise<void> {
  await trx
    .updateTable('certificates')
    .set({ der: NOT_KEPT })
    .where('fingerprint', 'in', fingerprints)
    .where((eb) => {
      const keeping = eb
        .selectFrom('monitor_certificates')
        .select('monitor_certificates.id')
        .whereRef('monitor_certificates.fingerprint', '=', 'certificates.fingerprint')
        .where('kept', '=', 1);
      return eb.not(eb.exists(keeping));
    })
    .execute();
}

/** Facts of a certificate as they are stored. */
export const FACTS = z.object({
  fingerprint: z.string(),
  serialNumber: z.string(),
  issuer: z.string(),
  subject: z.string(),
  notBefore: z.number(),
  notAfter: z.number(),
  authorityName: z.string(),
  authorityFullDn: z.string(),
  authorityUrl: z.string().nullable(),
  sans: z.array(z.string()),
});
const readFacts = storedJson('facts of a certificate', FACTS);

export function parseFacts(facts: string | null): CertificateFacts | null {
  return facts === null ? null : readFacts(facts);
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
    // Without a row in the history: the leaf of a check of which nothing else was stored.
    const current = eb
      .selectFrom('monitors')
      .select('monitors.id')
      .whereRef('monitors.certificate_fingerprint', '=', 'certificates.fingerprint');
    return eb.and([eb.not(eb.exists(shown)), eb.not(eb.exists(current))]);
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
