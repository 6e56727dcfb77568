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

/** Lists the certificate of each monitor, so that an account's certificates can be listed and counted from one index. */
export async function addCertificateListing(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
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
