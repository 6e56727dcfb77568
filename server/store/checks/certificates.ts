import { type RawBuilder, sql, type Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import { issuerLine, UNKNOWN_ISSUER } from '../../../contract/check-words.ts';
import { sortName } from '../../core/endpoint.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import { type DialectName, plainBytes } from '../db/dialect.ts';
import { batches } from '../db/long-lists.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { storedJson } from '../db/stored-json.ts';
import { z } from 'zod';

export interface SeenCertificate {
  fingerprint: string;
  /** DER of the certificate; null if it must not be stored. */
  der: Uint8Array | null;
  /** Facts of the certificate; null if it could not be parsed. */
  facts: CertificateFacts | null;
}

/** Value of the column `der` if a storage limit prevented storing the DER or caused its deletion. */
const NOT_KEPT = new Uint8Array();
const isKept = sql<boolean>`length(certificates.der) > 0`;

/** SQL expression for queries that join `certificates`: 1 if the DER is stored, else 0. */
export const derIsKept = sql<number>`case when ${isKept} then 1 else 0 end`;

/**
 * Returns an SQL expression for one of the facts in a row of `certificates`. It does not read the other facts, which may include
 * 2,000 names. On PostgreSQL it removes NUL characters, which texts cannot contain there.
 */
export function storedFact<Fact extends keyof CertificateFacts>(
  dialect: DialectName,
  fact: Fact,
): RawBuilder<CertificateFacts[Fact] | null> {
  return dialect === 'postgres'
    ? sql`(case when position('\\u0000' in certificates.facts) = 0 then certificates.facts
        else ${withoutNul} end)::json ->> ${sql.lit(fact)}`
    : sql`certificates.facts ->> ${sql.lit(fact)}`;
}

/**
 * Matches `\u0000` after an even number of backslashes. After an odd number, the backslash of `\u0000` is itself escaped text.
 */
const withoutNul = sql`regexp_replace(certificates.facts, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u0000', '\\1', 'g')`;

/** Returns the DER of these certificates in this order; null if one of them is unknown or not stored. */
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
  const known = new Map(rows.map(({ fingerprint, der }) => [fingerprint, plainBytes(der)]));
  const ders = fingerprints.flatMap((fingerprint) => known.get(fingerprint) ?? []);
  return ders.length === fingerprints.length ? ders : null;
}

/** Returns which of these certificates are stored with their DER. */
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

/** Inserts certificates. Adds DER and facts to known certificates without DER. */
export async function addCertificates(
  trx: Transaction<Tables>,
  added: readonly SeenCertificate[],
  now: number,
): Promise<void> {
  const rows = added
    .map(({ fingerprint, der, facts }) => ({
      fingerprint,
      der: der ?? NOT_KEPT,
      facts: facts && JSON.stringify(facts),
      first_seen_at: now,
      names_digest: facts && namesDigest(facts),
      not_before: facts && facts.notBefore,
      issuer_line: facts && lowerIssuer(facts),
      sort_name: facts && sortName((facts.subject || (facts.sans[0] ?? '')).toLowerCase()),
    }))
    // Insert in one fixed order, so that two checks that add the same certificates cannot deadlock.
    .toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1));
  for (const batch of batches(rows))
    await trx
      .insertInto('certificates')
      .values(batch)
      .onConflict((conflict) =>
        conflict
          .column('fingerprint')
          .doUpdateSet((eb) => ({
            der: eb.ref('excluded.der'),
            facts: eb.ref('excluded.facts'),
            names_digest: eb.ref('excluded.names_digest'),
            not_before: eb.ref('excluded.not_before'),
            issuer_line: eb.ref('excluded.issuer_line'),
            sort_name: eb.ref('excluded.sort_name'),
          }))
          .where(sql<boolean>`length(certificates.der) = 0 and length(excluded.der) > 0`),
      )
      .execute();
}

/** Returns a digest of a certificate's set of names, or of its subject if it has no names. Equal sets have equal digests. */
function namesDigest({ sans, subject }: CertificateFacts): string {
  const names = sans.length === 0 ? [subject] : [...new Set(sans)].toSorted();
  return createHash('sha256').update(JSON.stringify(names)).digest('hex');
}

/**
 * Returns the issuer in lower case, for sorting, without NUL and cut to 200 characters: PostgreSQL limits texts and index
 * entries.
 */
export function lowerIssuer({ authorityName, issuer }: CertificateFacts): string {
  const line = issuerLine(authorityName, issuer) ?? UNKNOWN_ISSUER;
  return line.replaceAll('\0', '').toLowerCase().slice(0, 200);
}

/** Deletes the DER of the given certificates that no monitor keeps. */
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

/**
 * Schema of the stored facts of a certificate. A new field needs a default, because rows of known certificates are not updated.
 */
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

/** Deletes certificates that no monitor has in its history or as its current leaf. Returns their number. */
export async function pruneOrphanCertificates(store: Store): Promise<number> {
  return inTransaction(store, (trx) => deleteUnwatchedCertificates(trx, null));
}

/** Deletes the given certificates (null: all) that no monitor has in its history or as its current leaf. Returns their number. */
export async function deleteUnwatchedCertificates(
  trx: Transaction<Tables>,
  fingerprints: readonly string[] | null,
): Promise<number> {
  if (fingerprints?.length === 0) return 0;
  const { numDeletedRows } = await trx
    .deleteFrom('certificates')
    .where((eb) => {
      const history = eb
        .selectFrom('monitor_certificates')
        .select('monitor_certificates.id')
        .whereRef('monitor_certificates.fingerprint', '=', 'certificates.fingerprint');
      // Also search the current leaves: if the evidence of a check was not stored, the history does not include its leaf.
      const current = eb
        .selectFrom('monitors')
        .select('monitors.id')
        .whereRef('monitors.certificate_fingerprint', '=', 'certificates.fingerprint');
      const other = eb
        .selectFrom('other_leaves')
        .select('monitor_id')
        .whereRef('other_leaves.fingerprint', '=', 'certificates.fingerprint');
      return eb.and([history, current, other].map((watched) => eb.not(eb.exists(watched))));
    })
    .$if(fingerprints !== null, (query) => query.where('fingerprint', 'in', fingerprints ?? []))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
