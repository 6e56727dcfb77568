import { type Kysely, sql } from 'kysely';
import { createHash } from 'node:crypto';

const AT_ONCE = 100;

/**
 * Stores a digest of each certificate's names and the start of its validity, so that a search for certificates with the same names need
 * not read `facts`. A certificate that an older program adds afterwards has neither, and counts as the only one with its names.
 */
export async function addCertificateNames(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('certificates').addColumn('names_digest', 'text').execute();
  await db.schema.alterTable('certificates').addColumn('not_before', 'bigint').execute();
  for (let after = ''; ;) {
    const { rows } = await sql<{
      fingerprint: string;
      facts: string;
    }>`select fingerprint, facts from certificates
      where facts is not null and fingerprint > ${after} order by fingerprint limit ${sql.lit(AT_ONCE)}`.execute(
      db,
    );
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const { fingerprint, facts } of rows) {
      const read: unknown = JSON.parse(facts);
      const [sans, subject, notBefore] = ['sans', 'subject', 'notBefore'].map((name): unknown =>
        Reflect.get(Object(read), name),
      );
      const given = Array.isArray(sans) && sans.length > 0 ? sans.map(String) : [String(subject)];
      const names = JSON.stringify([...new Set(given)].toSorted());
      const digest = createHash('sha256').update(names).digest('hex');
      await sql`update certificates set names_digest = ${digest}, not_before = ${Number(notBefore)}
        where fingerprint = ${fingerprint}`.execute(db);
    }
    after = last.fingerprint;
  }
  // Has every column that a search for names reads, because the rows themselves are large.
  await db.schema
    .createIndex('certificates_names')
    .on('certificates')
    .columns(['fingerprint', 'names_digest', 'not_before'])
    .execute();
}
