import { type Kysely, sql } from 'kysely';
import { storedJson } from '../../db/stored-json.ts';
import { z } from 'zod';

/** Channels and what people choose about them, incidents of every problem, and alerts that belong to one. */
export async function createChannelsAndIncidents(db: Kysely<unknown>): Promise<void> {
  await addSettings(db);
  await createChannels(db);
  await rebuildIncidents(db);
  await rebuildOutbox(db);
  await createOperatorTables(db);
}

async function addSettings(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('alert_settings', 'text').execute();
  await db.schema.alterTable('accounts').addColumn('digest_next_at', 'bigint').execute();
  await db.schema.alterTable('accounts').addColumn('reached_out_at', 'bigint').execute();
  await db.schema
    .alterTable('accounts')
    .addColumn('kind', 'text', (column) => column.notNull().defaultTo('person'))
    .execute();
  await db.schema.alterTable('monitors').addColumn('alert_settings', 'text').execute();
  // Who watches domains already knows that mail arrives.
  await sql`update accounts set reached_out_at = created_at
    where exists (select 1 from monitors where monitors.account_id = accounts.id)`.execute(db);
  await db.schema
    .createIndex('accounts_digest')
    .on('accounts')
    .column('digest_next_at')
    .where(sql<boolean>`digest_next_at is not null`)
    .execute();
}

async function createChannels(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('channels')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('config', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('confirmed_at', 'bigint')
    .addColumn('confirm_hash', 'text', (column) => column.unique())
    .addColumn('disabled_at', 'bigint')
    .addColumn('disabled_by', 'text')
    .addColumn('failing_since', 'bigint')
    .addColumn('delivered_at', 'bigint')
    .execute();
  await db.schema.createIndex('channels_account').on('channels').column('account_id').execute();
  await db.schema
    .createTable('unsubscriptions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('channel_key', 'text', (column) => column.notNull())
    .addColumn('monitor_id', 'text', (column) => column.references('monitors.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('unsubscriptions_account').on('unsubscriptions').column('account_id').execute();
  await db.schema.createIndex('unsubscriptions_monitor').on('unsubscriptions').column('monitor_id').execute();
  await db.schema
    .createTable('suppressions')
    .addColumn('address', 'text', (column) => column.primaryKey())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('maintenance_windows')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('monitor_id', 'text', (column) => column.references('monitors.id').onDelete('cascade'))
    .addColumn('starts_at', 'bigint', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .addColumn('repeats', 'text', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('maintenance_windows_account')
    .on('maintenance_windows')
    .column('account_id')
    .execute();
  await db.schema
    .createIndex('maintenance_windows_monitor')
    .on('maintenance_windows')
    .column('monitor_id')
    .execute();
  await db.schema
    .createTable('calendar_feeds')
    .addColumn('account_id', 'text', (column) =>
      column.primaryKey().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('read_at', 'bigint')
    .execute();
}

/** Anew, because SQLite cannot take NOT NULL off a column. */
async function rebuildIncidents(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('incidents_of_monitor').execute();
  await db.schema.alterTable('incidents').renameTo('former_incidents').execute();
  await db.schema
    .createTable('incidents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('monitor_id', 'text', (column) =>
      column.notNull().references('monitors.id').onDelete('cascade'),
    )
    .addColumn('problem', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('confirmed_at', 'bigint')
    .addColumn('clearing_since', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('recovered', 'integer', (column) => column.notNull())
    .addColumn('acknowledged_at', 'bigint')
    .addColumn('snoozed_until', 'bigint')
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('facts', 'text', (column) => column.notNull())
    .execute();
  await sql`insert into incidents
    (id, monitor_id, problem, fingerprint, started_at, confirmed_at, ended_at, recovered, cause, message, facts)
    select id, monitor_id, 'down', '', started_at, confirmed_at, ended_at,
      case when ended_at is null then 0 else 1 end, cause, message, '{}'
    from former_incidents`.execute(db);
  // What was told of certificates: an incident each, called after its first alert.
  await sql`insert into incidents
    (id, monitor_id, problem, fingerprint, started_at, confirmed_at, recovered, cause, message, facts)
    select min(id), monitor_id, kind, fingerprint, min(created_at), min(created_at), 0, kind, '', '{}'
    from alerts group by monitor_id, kind, fingerprint`.execute(db);
  await endFormerIncidents(db);
  await db.schema.dropTable('former_incidents').execute();
  await db.schema
    .createIndex('incidents_of_monitor')
    .on('incidents')
    .columns(['monitor_id', 'started_at'])
    .execute();
  await db.schema
    .createIndex('incidents_open')
    .unique()
    .on('incidents')
    .columns(['monitor_id', 'problem', 'fingerprint'])
    .where(sql<boolean>`ended_at is null`)
    .execute();
}

/** Of certificates that nobody shows any more nobody is to hear that they were renewed, months after it. */
async function endFormerIncidents(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string; fingerprint: string; verdict: string | null; told_at: number }>`
    select incidents.id, incidents.fingerprint, monitors.verdict,
      (select max(alerts.created_at) from alerts where alerts.monitor_id = incidents.monitor_id
        and alerts.kind = incidents.problem and alerts.fingerprint = incidents.fingerprint) as told_at
    from incidents join monitors on monitors.id = incidents.monitor_id
    where incidents.ended_at is null and incidents.problem != 'down'`.execute(db);
  for (const { id, fingerprint, verdict, told_at: toldAt } of rows) {
    const seen = verdict === null ? null : readVerdict(verdict).lastSeen;
    const shown = [...(seen?.expiring ?? []), ...(seen?.revoked ?? [])];
    if (seen && !shown.some((certificate) => certificate.fingerprint === fingerprint))
      await sql`update incidents set ended_at = ${toldAt}, recovered = 1 where id = ${id}`.execute(db);
  }
}

/** The part of a verdict, as that version wrote it, that names what is shown. */
const shown = z.array(z.object({ fingerprint: z.string() })).optional();
const readVerdict = storedJson(
  'a verdict',
  z.object({ lastSeen: z.object({ expiring: shown, revoked: shown }).nullable().optional() }),
);

async function rebuildOutbox(db: Kysely<unknown>): Promise<void> {
  for (const index of ['alerts_account', 'deliveries_account', 'deliveries_alert', 'deliveries_due'])
    await db.schema.dropIndex(index).execute();
  for (const table of ['delivery_attempts', 'deliveries', 'alerts'])
    await db.schema.alterTable(table).renameTo(`former_${table}`).execute();
  await db.schema
    .createTable('alerts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('monitor_id', 'text', (column) => column.references('monitors.id').onDelete('cascade'))
    .addColumn('incident_id', 'text', (column) => column.references('incidents.id').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('step', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('severity', 'text', (column) => column.notNull())
    .addColumn('facts', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await copyAlerts(db);
  await db.schema.createIndex('alerts_account').on('alerts').columns(['account_id', 'created_at']).execute();
  await db.schema.createIndex('alerts_monitor').on('alerts').columns(['monitor_id', 'created_at']).execute();
  await db.schema.createIndex('alerts_once').unique().on('alerts').columns(['incident_id', 'step']).execute();
  await db.schema
    .createTable('deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('alert_id', 'text', (column) => column.notNull().references('alerts.id').onDelete('cascade'))
    .addColumn('incident_id', 'text', (column) => column.references('incidents.id').onDelete('cascade'))
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('channel_key', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'text', (column) => column.references('channels.id').onDelete('set null'))
    .addColumn('dedupe_key', 'text', (column) => column.notNull().unique())
    .addColumn('message_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('unanswered', 'integer', (column) => column.notNull())
    .addColumn('next_attempt_at', 'bigint', (column) => column.notNull())
    .addColumn('first_attempt_at', 'bigint')
    .addColumn('lease_token', 'text')
    .addColumn('lease_expires_at', 'bigint')
    .addColumn('claimed_by', 'text')
    .addColumn('settled_at', 'bigint')
    .addColumn('detail', 'text')
    .addColumn('forced', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into deliveries
    (id, account_id, alert_id, incident_id, channel, channel_key, dedupe_key, message_id, state, attempts, unanswered,
     next_attempt_at, first_attempt_at, lease_token, lease_expires_at, claimed_by, settled_at, detail, created_at)
    select former.id, former.account_id, alert_id, alerts.incident_id, channel, channel, dedupe_key, message_id, state,
      attempts, unanswered, next_attempt_at, first_attempt_at, lease_token, lease_expires_at, claimed_by, settled_at,
      detail, former.created_at
    from former_deliveries former join alerts on alerts.id = former.alert_id`.execute(db);
  await db.schema
    .createTable('delivery_attempts')
    .addColumn('delivery_id', 'text', (column) =>
      column.notNull().references('deliveries.id').onDelete('cascade'),
    )
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('outcome', 'text')
    .addColumn('detail', 'text')
    .addPrimaryKeyConstraint('delivery_attempts_once', ['delivery_id', 'attempt'])
    .execute();
  await sql`insert into delivery_attempts (delivery_id, attempt, started_at, finished_at, outcome, detail)
    select delivery_id, attempt, started_at, finished_at, outcome, detail from former_delivery_attempts`.execute(
    db,
  );
  for (const table of ['delivery_attempts', 'deliveries', 'alerts'])
    await db.schema.dropTable(`former_${table}`).execute();
  await db.schema
    .createIndex('deliveries_account')
    .on('deliveries')
    .columns(['account_id', 'created_at'])
    .execute();
  await db.schema.createIndex('deliveries_alert').on('deliveries').column('alert_id').execute();
  await db.schema
    .createIndex('deliveries_incident')
    .on('deliveries')
    .columns(['incident_id', 'channel_key'])
    .execute();
  await db.schema
    .createIndex('deliveries_channel')
    .on('deliveries')
    .columns(['channel_id', 'created_at'])
    .execute();
  await db.schema
    .createIndex('deliveries_leased')
    .on('deliveries')
    .columns(['account_id', 'channel_id'])
    .where(sql<boolean>`lease_token is not null`)
    .execute();
  await db.schema
    .createIndex('deliveries_due')
    .on('deliveries')
    .column('next_attempt_at')
    .where(sql<boolean>`state = 'waiting'`)
    .execute();
}

/** What the columns said of the certificate is part of the facts now. */
async function copyAlerts(db: Kysely<unknown>): Promise<void> {
  const alerts = db as Kysely<{ former_alerts: Record<string, never>; alerts: Record<string, unknown> }>;
  const rows = (await sql`select former.*, incidents.id as incident_id, incidents.started_at
    from former_alerts former
    join incidents on incidents.monitor_id = former.monitor_id and incidents.problem = former.kind
      and incidents.fingerprint = former.fingerprint`.execute(alerts)) as { rows: Record<string, unknown>[] };
  for (const row of rows.rows)
    await alerts
      .insertInto('alerts')
      .values({
        id: row['id'],
        account_id: row['account_id'],
        monitor_id: row['monitor_id'],
        incident_id: row['incident_id'],
        kind: row['kind'],
        step: row['step'],
        fingerprint: row['fingerprint'],
        severity: ['renewal_overdue', 'warning'].includes(String(row['step'])) ? 'warning' : 'critical',
        facts: JSON.stringify({
          certificate: {
            fingerprint: row['fingerprint'],
            notBefore: row['not_before'],
            notAfter: row['not_after'],
            role: row['role'],
            name: row['name'],
          },
          asOf: row['as_of'],
          message: null,
          fix: null,
          successor: null,
          startedAt: row['started_at'],
          endedAt: null,
        }),
        created_at: row['created_at'],
      })
      .execute();
}

async function createOperatorTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('alarms')
    .addColumn('code', 'text', (column) => column.primaryKey())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('told_at', 'bigint')
    .execute();
}
