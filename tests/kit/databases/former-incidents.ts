import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../../server/store/schema/tables.ts';
import type { DatabaseName } from './database.ts';

/**
 * A row of the incidents table as it was before the migration `0036-incident-members`, with one row for each domain.
 * `group_id` is the id of the incident that has the alerts.
 */
export interface FormerIncident {
  account_id: string;
  id: string;
  monitor_id: string;
  group_id: string | null;
  problem: string;
  fingerprint: string;
  ended_at: number | null;
  acknowledged_at: number | null;
  snoozed_until: number | null;
}

const COLUMNS =
  sql.raw(`account_id, monitor_id, id, problem, fingerprint, started_at, confirmed_at, clearing_since, ended_at,
  recovered, acknowledged_at, snoozed_until, cause, message, facts, group_id`);

/** Reverts the migration `0036-incident-members`, so that the incidents are stored as the version before it did. */
export async function restoreFormerIncidents(db: Kysely<Tables>, name: DatabaseName): Promise<void> {
  const isPostgres = name === 'postgres';
  await db.connection().execute(async (connection) => {
    const run = (statement: string) => sql.raw(statement).execute(connection);
    if (!isPostgres) await run('pragma foreign_keys = off');
    await run(`create table former (account_id text not null, monitor_id text not null, id text not null,
      problem text not null, fingerprint text not null, started_at bigint not null, confirmed_at bigint, clearing_since bigint,
      ended_at bigint, recovered integer not null, acknowledged_at bigint, snoozed_until bigint, cause text not null,
      message text not null, facts text not null, group_id text, primary key (account_id, id),
      foreign key (account_id, monitor_id) references monitors (account_id, id) on delete cascade)`);
    await sql`insert into former (${COLUMNS}) select member.account_id, monitor_id, member.id, member.problem, fingerprint,
        started_at, confirmed_at, clearing_since, ended_at, recovered, acknowledged_at, snoozed_until, cause, message, facts,
        case when incident_id != member.id then incident_id end
      from incident_members member inner join incidents
        on incidents.account_id = member.account_id and incidents.id = member.incident_id`.execute(
      connection,
    );
    await run(`drop table incident_members`);
    if (isPostgres) await run('drop function incident_emptied');
    await run(`drop table incidents${isPostgres ? ' cascade' : ''}`);
    await run('alter table former rename to incidents');
    if (isPostgres)
      for (const table of ['alerts', 'deliveries'])
        await run(`alter table ${table} add constraint ${table}_account_id_incident_id_fkey foreign key (account_id, incident_id)
          references incidents (account_id, id) on delete cascade`);
    else await run('pragma foreign_keys = on');
    await run(`delete from kysely_migration where name = '0036-incident-members'`);
  });
}
