import { type Kysely, sql } from 'kysely';

/** Lanes for due checks: by how many monitors an account has, so that a large one does not make the others wait. */
export async function createLanes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('monitors')
    .addColumn('lane', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  // As `laneOf` puts them, had they been added in this order; whoever is in lane 0 stays there.
  await sql`
    with ranked as (
      select account_id, id, row_number() over (partition by account_id order by created_at, id) as place from monitors
    )
    update monitors set lane = case
        when ranked.place < 16 then 1 when ranked.place < 64 then 2 when ranked.place < 256 then 3
        when ranked.place < 1024 then 4 when ranked.place < 4096 then 5 else 6 end
    from ranked
    where ranked.account_id = monitors.account_id and ranked.id = monitors.id and ranked.place >= 4`.execute(
    db,
  );
  await db.schema.dropIndex('monitors_due').execute();
  await db.schema
    .createIndex('monitors_due')
    .on('monitors')
    .columns(['lane', 'next_check_at'])
    .where(sql<boolean>`active = 1`)
    .execute();
}
