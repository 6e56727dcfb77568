import { sql } from 'kysely';
import { levelOf } from './migrations/index.ts';
import type { Store } from '../db/open-store.ts';

/** The number of the newest migration that the database has, also where that is newer than this program; 0 without any. */
export async function schemaLevel({ db }: Store): Promise<number> {
  const { rows } = await sql<{ name: string | null }>`select max(name) as name from kysely_migration`.execute(
    db,
  );
  const newest = rows[0]?.name ?? null;
  return newest === null ? 0 : levelOf(newest);
}
