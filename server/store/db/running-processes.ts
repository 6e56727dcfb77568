import { type Kysely, sql } from 'kysely';
import { PROGRAM_LEVEL } from '../schema/migrations/index.ts';
import type { Tables } from '../schema/tables.ts';

const NAME = 'certlantern';

/** How every connection of this program names itself to PostgreSQL, so that others see its level. */
export const APPLICATION_NAME = `${NAME}/${PROGRAM_LEVEL}`;

export interface ProcessesFound {
  connections: number;
  /** Network addresses, for people. */
  places: string[];
}

/**
 * Connections of this program's processes of a lower level than `level`, our own aside. One that says no level is of a version that
 * did not know of levels.
 */
export async function oldProcesses(db: Kysely<Tables>, level: number): Promise<ProcessesFound> {
  const { rows } = await sql<{ application_name: string; place: string | null }>`
    select application_name, host(client_addr) as place from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (application_name = ${NAME} or application_name like ${`${NAME}/%`})`.execute(db);
  const old = rows.filter(({ application_name: name }) => levelIn(name) < level);
  const places = new Set(old.map(({ place }) => place ?? 'this machine'));
  return { connections: old.length, places: [...places].toSorted() };
}

function levelIn(applicationName: string): number {
  const level = applicationName.slice(NAME.length + 1);
  return /^\d+$/.test(level) ? Number(level) : 0;
}
