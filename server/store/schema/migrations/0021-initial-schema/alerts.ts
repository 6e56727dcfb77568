import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import {
  createTableOfMonitor,
  deletedWithMonitor,
  notNull,
  ofAccount,
  primaryKey,
  withDefault,
} from './columns.ts';

/** Creates the tables of incidents, channels, alerts, deliveries and their attempts, maintenance windows and operator alarms. */
export async function createAlertTables(db: Kysely<unknown>): Promise<void> {
  await createIncidents(db);
  await createChannels(db);
  await createAlerts(db);
  await createDeliveries(db);

  await db.schema
    .createTable('maintenance_windows')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('id', 'text', notNull)
    .addColumn('monitor_id', 'text')
    .addColumn('starts_at', 'bigint', notNull)
    .addColumn('ends_at', 'bigint', notNull)
    .addColumn('repeats', 'text', notNull)
    .addColumn('note', 'text', notNull)
    .addColumn('created_at', 'bigint', notNull)
    .addPrimaryKeyConstraint('maintenance_windows_key', ['account_id', 'id'])
    .$call((table) => deletedWithMonitor(table, 'maintenance_windows'))
    .execute();
  await db.schema
    .createIndex('maintenance_windows_monitor')
    .on('maintenance_windows')
    .columns(['account_id', 'monitor_id'])
    .execute();

  await db.schema
    .createTable('alarms')
    .addColumn('code', 'text', primaryKey)
    .addColumn('detail', 'text', notNull)
    .addColumn('since', 'bigint', notNull)
    .addColumn('seen_at', 'bigint', notNull)
    .addColumn('told_at', 'bigint')
    .execute();
}

async function createIncidents(db: Kysely<unknown>): Promise<void> {
  await createTableOfMonitor(db, 'incidents')
    .addColumn('id', 'text', notNull)
    .addColumn('problem', 'text', notNull)
    .addColumn('fingerprint', 'text', notNull)
    .addColumn('started_at', 'bigint', notNull)
    .addColumn('confirmed_at', 'bigint')
    .addColumn('clearing_since', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('recovered', 'integer', notNull)
    .addColumn('acknowledged_at', 'bigint')
    .addColumn('snoozed_until', 'bigint')
    .addColumn('cause', 'text', notNull)
    .addColumn('message', 'text', notNull)
    .addColumn('facts', 'text', notNull)
    .addPrimaryKeyConstraint('incidents_key', ['account_id', 'id'])
    .execute();
  await db.schema
    .createIndex('incidents_of_monitor')
    .on('incidents')
    .columns(['account_id', 'monitor_id', 'started_at'])
    .execute();
  // A problem has at most one open incident: two checks at the same time cannot both open one.
  await db.schema
    .createIndex('incidents_open')
    .unique()
    .on('incidents')
    .columns(['account_id', 'monitor_id', 'problem', 'fingerprint'])
    .where(sql<boolean>`ended_at is null`)
    .execute();
}

async function createChannels(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('channels')
    .addColumn('id', 'text', primaryKey)
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('kind', 'text', notNull)
    .addColumn('name', 'text', notNull)
    .addColumn('config', 'text', notNull)
    .addColumn('created_at', 'bigint', notNull)
    .addColumn('confirmed_at', 'bigint')
    .addColumn('confirm_hash', 'text', (column) => column.unique())
    .addColumn('disabled_at', 'bigint')
    .addColumn('disabled_by', 'text')
    .addColumn('failing_since', 'bigint')
    .addColumn('delivered_at', 'bigint')
    .execute();
  await db.schema.createIndex('channels_account').on('channels').column('account_id').execute();
}

async function createAlerts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('alerts')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('id', 'text', notNull)
    .addColumn('monitor_id', 'text')
    .addColumn('incident_id', 'text')
    .addColumn('kind', 'text', notNull)
    .addColumn('step', 'text', notNull)
    .addColumn('fingerprint', 'text', notNull)
    .addColumn('severity', 'text', notNull)
    .addColumn('facts', 'text', notNull)
    .addColumn('created_at', 'bigint', notNull)
    .addPrimaryKeyConstraint('alerts_key', ['account_id', 'id'])
    .$call((table) => deletedWithMonitor(table, 'alerts'))
    .$call((table) => deletedWithIncident(table, 'alerts'))
    .execute();
  await db.schema.createIndex('alerts_account').on('alerts').columns(['account_id', 'created_at']).execute();
  await db.schema
    .createIndex('alerts_monitor')
    .on('alerts')
    .columns(['account_id', 'monitor_id', 'created_at'])
    .execute();
  // Each step of an incident has at most one alert.
  await db.schema
    .createIndex('alerts_once')
    .unique()
    .on('alerts')
    .columns(['account_id', 'incident_id', 'step'])
    .execute();
}

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deliveries')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('id', 'text', notNull)
    .addColumn('alert_id', 'text', notNull)
    .addColumn('incident_id', 'text')
    .addColumn('channel', 'text', notNull)
    .addColumn('channel_key', 'text', notNull)
    .addColumn('channel_id', 'text', (column) => column.references('channels.id').onDelete('set null'))
    .addColumn('dedupe_key', 'text', notNull)
    .addColumn('message_id', 'text', notNull)
    .addColumn('state', 'text', notNull)
    .addColumn('attempts', 'integer', notNull)
    .addColumn('unanswered', 'integer', notNull)
    .addColumn('next_attempt_at', 'bigint', notNull)
    .addColumn('first_attempt_at', 'bigint')
    .addColumn('lease_token', 'text')
    .addColumn('lease_expires_at', 'bigint')
    .addColumn('claimed_by', 'text')
    .addColumn('settled_at', 'bigint')
    .addColumn('detail', 'text')
    .addColumn('forced', 'integer', withDefault(0))
    .addColumn('created_at', 'bigint', notNull)
    .addPrimaryKeyConstraint('deliveries_key', ['account_id', 'id'])
    .addUniqueConstraint('deliveries_once', ['account_id', 'dedupe_key'])
    .addForeignKeyConstraint(
      'deliveries_account_id_alert_id_fkey',
      ['account_id', 'alert_id'],
      'alerts',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .$call((table) => deletedWithIncident(table, 'deliveries'))
    .execute();
  await createDeliveryIndexes(db);

  await db.schema
    .createTable('delivery_attempts')
    .addColumn('account_id', 'text', notNull)
    .addColumn('delivery_id', 'text', notNull)
    .addColumn('attempt', 'integer', notNull)
    .addColumn('started_at', 'bigint', notNull)
    .addColumn('finished_at', 'bigint')
    .addColumn('outcome', 'text')
    .addColumn('detail', 'text')
    .addPrimaryKeyConstraint('delivery_attempts_key', ['account_id', 'delivery_id', 'attempt'])
    .addForeignKeyConstraint(
      'delivery_attempts_account_id_delivery_id_fkey',
      ['account_id', 'delivery_id'],
      'deliveries',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
}

async function createDeliveryIndexes(db: Kysely<unknown>): Promise<void> {
  const onDeliveries = (name: string) => db.schema.createIndex(`deliveries_${name}`).on('deliveries');
  await onDeliveries('account').columns(['account_id', 'created_at']).execute();
  await onDeliveries('alert').columns(['account_id', 'alert_id']).execute();
  // Messages of one incident to one channel are sent in order.
  await onDeliveries('incident').columns(['account_id', 'incident_id', 'channel_key']).execute();
  await onDeliveries('channel').columns(['channel_id', 'created_at']).execute();
  // Workers claim due deliveries of all accounts, settle a delivery by its id alone, and limit parallel ones per account.
  await onDeliveries('due')
    .column('next_attempt_at')
    .where(sql<boolean>`state = 'waiting'`)
    .execute();
  await onDeliveries('id').column('id').execute();
  await onDeliveries('leased')
    .columns(['account_id', 'channel_id'])
    .where(sql<boolean>`lease_token is not null`)
    .execute();
}

/** Adds the foreign key that deletes a row with its incident. */
function deletedWithIncident<C extends string>(
  builder: CreateTableBuilder<string, C | 'account_id' | 'incident_id'>,
  table: string,
): CreateTableBuilder<string, C | 'account_id' | 'incident_id'> {
  return builder.addForeignKeyConstraint(
    `${table}_account_id_incident_id_fkey`,
    ['account_id', 'incident_id'],
    'incidents',
    ['account_id', 'id'],
    (key) => key.onDelete('cascade'),
  );
}
