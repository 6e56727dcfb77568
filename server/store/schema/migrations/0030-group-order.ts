import { type Kysely, sql } from 'kysely';

/** Orders the incidents of a certificate by their start in its index, so that the first one is found without reading the others. */
export async function orderCertificateIncidents(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('incidents_certificate').execute();
  await db.schema
    .createIndex('incidents_certificate')
    .on('incidents')
    .columns(['account_id', 'fingerprint', 'problem', 'started_at', 'id'])
    .where(sql<boolean>`fingerprint != ''`)
    .execute();
}
