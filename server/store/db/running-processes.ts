import { type Kysely, sql } from 'kysely';
import { PROGRAM_LEVEL } from '../schema/migrations/index.ts';
import type { Tables } from '../schema/tables.ts';

const NAME = 'certlantern';

/** The `application_name` of our connections, which tells other processes this program's schema level. */
export const APPLICATION_NAME = `${NAME}/${PROGRAM_LEVEL}`;

export interface ProcessesFound {
  connections: number;
  /** Client addresses, for messages. */
  places: string[];
}

/**
 * Counts connections of our processes with a schema level below `level`, except this connection. Names without a level
 * come from versions before levels existed and count as 0.
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
