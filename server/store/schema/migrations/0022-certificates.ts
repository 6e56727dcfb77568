import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';

const UPDATE = `update monitor_listing set certificate_fingerprint = new.certificate_fingerprint
    where account_id = new.account_id and monitor_id = new.id`;

const TRIGGERS: Record<DialectName, string[]> = {
  sqlite: [
    `create trigger monitor_recertified after update of certificate_fingerprint on monitors
      when old.certificate_fingerprint is not new.certificate_fingerprint begin ${UPDATE}; end`,
  ],
  postgres: [
    `create function monitor_recertified() returns trigger language plpgsql as $$ begin
      ${UPDATE};
      return null;
    end $$`,
    `create trigger monitor_recertified after update of certificate_fingerprint on monitors
      for each row when (old.certificate_fingerprint is distinct from new.certificate_fingerprint)
      execute function monitor_recertified()`,
  ],
};

/** Lists certificates, and lets the domains of one share its alerts. */
export async function addCertificates(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await addCertificateListing(db, dialect);
  await groupCertificateIncidents(db);
}

/** Lists the certificate of each monitor, so that an account's certificates can be listed and counted from one index. */
async function addCertificateListing(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema.alterTable('monitor_listing').addColumn('certificate_fingerprint', 'text').execute();
  await sql`update monitor_listing set certificate_fingerprint = (
      select monitors.certificate_fingerprint from monitors
      where monitors.account_id = monitor_listing.account_id and monitors.id = monitor_listing.monitor_id)
    where not_after is not null`.execute(db);
  await db.schema
    .createIndex('monitor_listing_certificates')
    .on('monitor_listing')
    .columns(['account_id', 'certificate_fingerprint', 'host', 'port', 'not_after', 'monitor_id'])
    .where(sql<boolean>`certificate_fingerprint is not null`)
    .execute();
  for (const statement of TRIGGERS[dialect]) await sql.raw(statement).execute(db);
}

/**
 * Groups the incidents of one certificate, which share their alerts. Of those that are open, the first one leads; the alerts that were
 * sent for the others stay theirs, so nothing is sent again.
 */
async function groupCertificateIncidents(db: Kysely<unknown>): Promise<void> {
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
