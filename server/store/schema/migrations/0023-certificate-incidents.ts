import { type Kysely, sql } from 'kysely';

/**
 * Groups the incidents of one certificate, which share their alerts. Of those that are open, the first one leads; the alerts that were
 * sent for the others stay theirs, so nothing is sent again.
 */
export async function groupCertificateIncidents(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('incidents').addColumn('group_id', 'text').execute();
  await db.schema
    .createIndex('incidents_group')
    .on('incidents')
    .columns(['account_id', 'group_id'])
    .where(sql<boolean>`group_id is not null`)
    .execute();
  await db.schema
    .createIndex('incidents_certificate')
    .on('incidents')
    .columns(['account_id', 'fingerprint', 'problem'])
    .where(sql<boolean>`fingerprint != ''`)
    .execute();
  const first = sql`(select min(lead.id) from incidents lead where lead.account_id = incidents.account_id
    and lead.problem = incidents.problem and lead.fingerprint = incidents.fingerprint and lead.ended_at is null)`;
  await sql`update incidents set group_id = ${first}
    where fingerprint != '' and ended_at is null and id != ${first}`.execute(db);
}
