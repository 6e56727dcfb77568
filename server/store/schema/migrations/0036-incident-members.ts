import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';
import { createTableOfMonitor, notNull, ofAccount, withDefault } from './0021-initial-schema/columns.ts';

/**
 * Separates incidents from their members, the periods in which monitors have the problem. Incidents that shared alerts become one, with the
 * id of the one that had the alerts. Members keep the ids of the former incidents.
 */
export async function addIncidentMembers(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createMembers(db);
  await sql`insert into incident_members (account_id, monitor_id, id, incident_id, problem, started_at, confirmed_at,
      clearing_since, ended_at, recovered, reports_end, cause, message, facts)
    select account_id, monitor_id, id, ${INCIDENT_ID}, problem, started_at, confirmed_at,
      clearing_since, ended_at, recovered, 0, cause, message, facts from incidents`.execute(db);
  await mergeAlerts(db);
  await replaceIncidents(db, dialect);
  await db.schema
    .createIndex('incident_members_of_monitor')
    .on('incident_members')
    .columns(['account_id', 'monitor_id', 'started_at'])
    .execute();
  await db.schema
    .createIndex('incident_members_of_incident')
    .on('incident_members')
    .columns(['account_id', 'incident_id', 'ended_at'])
    .execute();
  // Two checks at the same time cannot both add a monitor to an incident.
  await db.schema
    .createIndex('incident_members_open')
    .unique()
    .on('incident_members')
    .columns(['account_id', 'incident_id', 'monitor_id'])
    .where(sql<boolean>`ended_at is null`)
    .execute();
  await db.schema
    .createIndex('incidents_subject')
    .on('incidents')
    .columns(['account_id', 'fingerprint', 'problem'])
    .where(sql<boolean>`fingerprint != ''`)
    .execute();
  for (const statement of TRIGGERS[dialect]) await sql.raw(statement).execute(db);
}

/** SQL for the id of the incident of a former incident. If the one that carried the alerts is gone, the first of the others replaces it. */
const INCIDENT_ID = sql<string>`case when group_id is null then id else coalesce(
  (select lead.id from incidents lead where lead.account_id = incidents.account_id and lead.id = incidents.group_id),
  (select min(other.id) from incidents other
    where other.account_id = incidents.account_id and other.group_id = incidents.group_id)) end`;

/** SQL condition for members whose former incident was merged into another one. */
const isMerged = sql<boolean>`member.id != member.incident_id`;

async function createMembers(db: Kysely<unknown>): Promise<void> {
  await createTableOfMonitor(db, 'incident_members')
    .addColumn('id', 'text', notNull)
    .addColumn('incident_id', 'text', notNull)
    .addColumn('problem', 'text', notNull)
    .addColumn('started_at', 'bigint', notNull)
    .addColumn('confirmed_at', 'bigint')
    .addColumn('clearing_since', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('recovered', 'integer', notNull)
    .addColumn('reports_end', 'integer', withDefault(0))
    .addColumn('cause', 'text', notNull)
    .addColumn('message', 'text', notNull)
    .addColumn('facts', 'text', notNull)
    .addPrimaryKeyConstraint('incident_members_key', ['account_id', 'id'])
    .addForeignKeyConstraint(
      'incident_members_account_id_incident_id_fkey',
      ['account_id', 'incident_id'],
      'incidents',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
}

/**
 * Gives the alerts of merged incidents to the incident. An incident has one alert for each step, so of several with the same step, which
 * an old version sent for each domain, it gets one that was sent. The others keep their domain and belong to no incident.
 */
async function mergeAlerts(db: Kysely<unknown>): Promise<void> {
  const isOfAlert = sql`member.account_id = alerts.account_id and member.id = alerts.incident_id`;
  const wasSent = sql`exists (select 1 from deliveries where deliveries.account_id = alerts.account_id
    and deliveries.alert_id = alerts.id and deliveries.state in ('waiting', 'delivered'))`;
  const repeated = sql`select account_id, id from (
    select alerts.account_id, alerts.id, row_number() over (
      partition by alerts.account_id, member.incident_id, alerts.step
      order by case when ${wasSent} then 0 else 1 end, case when ${isMerged} then 1 else 0 end, alerts.created_at, alerts.id) as place
    from alerts inner join incident_members member on ${isOfAlert}) ranked where place > 1`;
  await sql`update alerts set incident_id = null where (account_id, id) in (${repeated})`.execute(db);
  await sql`update deliveries set incident_id = null, dedupe_key = 'merged:' || id, lease_token = null, lease_expires_at = null,
      settled_at = coalesce(settled_at, next_attempt_at), state = case when state = 'waiting' then 'superseded' else state end
    where incident_id is not null and exists (select 1 from alerts where alerts.account_id = deliveries.account_id
      and alerts.id = deliveries.alert_id and alerts.incident_id is null)`.execute(db);
  await sql`update alerts set incident_id = (select member.incident_id from incident_members member where ${isOfAlert})
    where exists (select 1 from incident_members member where ${isOfAlert} and ${isMerged})`.execute(db);
  const isOfDelivery = sql`member.account_id = deliveries.account_id and member.id = deliveries.incident_id`;
  await sql`update deliveries set (incident_id, dedupe_key) = (
      select alerts.incident_id, alerts.incident_id || ':' || alerts.step || ':' || deliveries.channel_key
      from alerts where alerts.account_id = deliveries.account_id and alerts.id = deliveries.alert_id)
    where exists (select 1 from incident_members member where ${isOfDelivery} and ${isMerged})`.execute(db);
}

/**
 * Replaces the table of incidents by one without what is now in the members, because SQLite cannot drop a column with a foreign key
 * (sqlite.org/lang_altertable.html, §7). Foreign keys are off in SQLite's migrations; PostgreSQL gets them anew.
 */
async function replaceIncidents(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema
    .createTable('incidents_of_subjects')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('id', 'text', notNull)
    .addColumn('problem', 'text', notNull)
    .addColumn('fingerprint', 'text', notNull)
    .addColumn('acknowledged_at', 'bigint')
    .addColumn('snoozed_until', 'bigint')
    .addPrimaryKeyConstraint('incidents_of_subjects_key', ['account_id', 'id'])
    .execute();
  // The previous version acknowledged and snoozed all open incidents of a group at once, so only later ones differ.
  const latest = (
    column: string,
  ) => sql`coalesce(max(case when incidents.ended_at is null then ${sql.ref(column)} end),
    case when count(*) = count(incidents.ended_at) then max(${sql.ref(column)}) end)`;
  await sql`insert into incidents_of_subjects (account_id, id, problem, fingerprint, acknowledged_at, snoozed_until)
    select incidents.account_id, member.incident_id, min(incidents.problem), min(incidents.fingerprint),
      ${latest('acknowledged_at')}, ${latest('snoozed_until')}
    from incidents inner join incident_members member
      on member.account_id = incidents.account_id and member.id = incidents.id
    group by incidents.account_id, member.incident_id`.execute(db);
  const referring = ['alerts', 'deliveries', 'incident_members'];
  const foreignKey = (table: string) => `${table}_account_id_incident_id_fkey`;
  if (dialect === 'postgres')
    for (const table of referring)
      await db.schema.alterTable(table).dropConstraint(foreignKey(table)).execute();
  await db.schema.dropTable('incidents').execute();
  await db.schema.alterTable('incidents_of_subjects').renameTo('incidents').execute();
  if (dialect === 'postgres')
    for (const table of referring)
      await db.schema
        .alterTable(table)
        .addForeignKeyConstraint(
          foreignKey(table),
          ['account_id', 'incident_id'],
          'incidents',
          ['account_id', 'id'],
          (key) => key.onDelete('cascade'),
        )
        .execute();
}

const IS_EMPTY = `account_id = old.account_id and id = old.incident_id and not exists (select 1 from incident_members
    where incident_members.account_id = old.account_id and incident_members.incident_id = old.incident_id)`;

/** Delete an incident with its last member. On PostgreSQL its row is locked first, because two members may be deleted at once. */
const TRIGGERS: Record<DialectName, string[]> = {
  sqlite: [
    `create trigger incident_emptied after delete on incident_members
      begin delete from incidents where ${IS_EMPTY}; end`,
  ],
  postgres: [
    `create function incident_emptied() returns trigger language plpgsql as $$ begin
      perform 1 from incidents where account_id = old.account_id and id = old.incident_id for update;
      delete from incidents where ${IS_EMPTY};
      return null;
    end $$`,
    `create trigger incident_emptied after delete on incident_members
      for each row execute function incident_emptied()`,
  ],
};
