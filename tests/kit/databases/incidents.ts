import type { Insertable, Kysely } from 'kysely';
import type { IncidentMembersTable, IncidentsTable } from '../../../server/store/schema/alert-tables.ts';
import type { Tables } from '../../../server/store/schema/tables.ts';

/** A member with its incident, which has the same id and no other member. */
type IncidentRow = Omit<Insertable<IncidentMembersTable>, 'incident_id'> &
  Pick<Insertable<IncidentsTable>, 'fingerprint'>;

/** Inserts incidents with one member each, in statements of 500 rows. */
export async function insertIncidents(db: Kysely<Tables>, rows: readonly IncidentRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += 500) {
    const incidents: Insertable<IncidentsTable>[] = [];
    const members: Insertable<IncidentMembersTable>[] = [];
    for (const { fingerprint, ...row } of rows.slice(from, from + 500)) {
      const { account_id, id, problem } = row;
      incidents.push({ account_id, id, problem, fingerprint });
      members.push({ ...row, incident_id: id });
    }
    await db.insertInto('incidents').values(incidents).execute();
    await db.insertInto('incident_members').values(members).execute();
  }
}
