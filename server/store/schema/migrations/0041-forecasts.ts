import { type Kysely, sql } from 'kysely';
import { notNull, ofAccount } from './0021-initial-schema/columns.ts';

/**
 * Creates the tables for forecasts of renewals: one row per account and certificate with a public root that a domain serves, and one per
 * certificate that was renewed. An older program writes neither; the daily sweep of this version adds missing forecasts.
 */
export async function addForecasts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('forecasts')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('fingerprint', 'text', notNull)
    .addColumn('next_at', 'bigint', notNull)
    .addColumn('made_at', 'bigint')
    .addColumn('outcome', 'text')
    .addColumn('line', 'text')
    .addColumn('expected_at', 'bigint')
    .addColumn('forecast', 'text')
    .addColumn('causes', 'text')
    .addColumn('scored', 'text')
    .addPrimaryKeyConstraint('forecasts_key', ['account_id', 'fingerprint'])
    .execute();
  await db.schema.createIndex('forecasts_due').on('forecasts').column('next_at').execute();
  // Few renewals fail, so lists and counts read this index instead of all forecasts of an account.
  await sql`create index forecasts_failing on forecasts (account_id, fingerprint) where outcome = 'fails'`.execute(
    db,
  );
  await db.schema
    .createTable('renewals')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('fingerprint', 'text', notNull)
    .addColumn('successor', 'text')
    .addColumn('names_digest', 'text', notNull)
    .addColumn('authority', 'text', notNull)
    .addColumn('not_before', 'bigint', notNull)
    .addColumn('not_after', 'bigint', notNull)
    .addColumn('renewed_at', 'bigint')
    .addColumn('possible', 'text')
    .addColumn('scored', 'text')
    .addColumn('score', 'text')
    .addPrimaryKeyConstraint('renewals_key', ['account_id', 'fingerprint'])
    .execute();
  for (const [name, ...columns] of [
    ['names', 'names_digest', 'not_before'],
    ['authorities', 'authority', 'not_before'],
    ['successors', 'successor', 'score'],
    ['scores', 'score'],
  ])
    await db.schema
      .createIndex(`renewals_${name}`)
      .on('renewals')
      .columns(['account_id', ...columns])
      .execute();
  await sql`insert into forecasts (account_id, fingerprint, next_at)
    select distinct account_id, certificate_fingerprint, 0 from monitors
    where certificate_fingerprint in (select fingerprint from certificates where public_root = 1)`.execute(
    db,
  );
}
