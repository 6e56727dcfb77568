import { type Kysely, sql } from 'kysely';

/**
 * Lets a monitor show the icon of its site only after it has read a certificate there itself. Monitors that have read one
 * keep their icon.
 */
export async function addOwnIcons(db: Kysely<unknown>): Promise<void> {
  await sql`alter table monitors add column icon_fetched integer not null default 0`.execute(db);
  await sql`update monitors set icon_fetched = 1 where last_read_at is not null
    and target not like '{"connect_to"%'`.execute(db);
}
