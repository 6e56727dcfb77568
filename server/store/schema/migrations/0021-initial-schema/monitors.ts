import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../../db/dialect.ts';
import { hotRows, notNull, ofAccount, primaryKey, TYPES, withDefault } from './columns.ts';

/** Creates the tables of monitors, of the certificates and icons that accounts share, and of preview checks. */
export async function createMonitorTables(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { bytes } = TYPES[dialect];
  await db.schema
    .createTable('certificates')
    .addColumn('fingerprint', 'text', primaryKey)
    .addColumn('der', bytes, notNull)
    .addColumn('facts', 'text')
    .addColumn('first_seen_at', 'bigint', notNull)
    .execute();

  await createMonitors(db, dialect);

  await db.schema
    .createTable('favicons')
    .addColumn('host', 'text', notNull)
    .addColumn('port', 'integer', notNull)
    .addColumn('content_type', 'text')
    .addColumn('content', bytes)
    .addColumn('version', 'text')
    .addColumn('next_fetch_at', 'bigint', notNull)
    .addPrimaryKeyConstraint('favicons_key', ['host', 'port'])
    .execute();
  await db.schema.createIndex('favicons_due').on('favicons').column('next_fetch_at').execute();

  await db.schema
    .createTable('glances')
    .addColumn('id', 'text', primaryKey)
    .addColumn('host', 'text', notNull)
    .addColumn('port', 'integer', notNull)
    .addColumn('protocol', 'text', withDefault('tls'))
    .addColumn('created_at', 'bigint', notNull)
    .addColumn('lease_expires_at', 'bigint')
    .addColumn('answer', 'text')
    .execute();
  // The oldest one is claimed first, and old ones are deleted.
  await db.schema.createIndex('glances_age').on('glances').column('created_at').execute();
}

/**
 * Creates the table of monitors. Its key begins with the account, as in every table that grows with monitors or time, so that
 * accounts can be sharded.
 */
async function createMonitors(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema
    .createTable('monitors')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('id', 'text', notNull)
    .addColumn('host', 'text', notNull)
    .addColumn('port', 'integer', notNull)
    .addColumn('protocol', 'text', withDefault('tls'))
    .addColumn('check_every_minutes', 'integer', notNull)
    .addColumn('created_at', 'bigint', notNull)
    .addColumn('active', 'integer', withDefault(1))
    .addColumn('paused_by', 'text')
    .addColumn('paused_at', 'bigint')
    .addColumn('lane', 'integer', withDefault(0))
    .addColumn('next_check_at', 'bigint', notNull)
    .addColumn('last_checked_at', 'bigint')
    .addColumn('checked', 'integer', withDefault(0))
    .addColumn('check_requested_at', 'bigint')
    .addColumn('lease_token', 'text')
    .addColumn('lease_expires_at', 'bigint')
    .addColumn('claimed_by', 'text')
    .addColumn('claim_asked', 'integer', withDefault(0))
    .addColumn('certificate_fingerprint', 'text', (column) => column.references('certificates.fingerprint'))
    .addColumn('not_after', 'bigint')
    .addColumn('on_schedule_until', 'bigint')
    .addColumn('revoked', 'integer', notNull)
    .addColumn('last_read_at', 'bigint')
    .addColumn('unreachable_since', 'bigint')
    .addColumn('problem', 'text')
    .addColumn('problem_message', 'text')
    .addColumn('uptime', 'text')
    .addColumn('uptime_since', 'bigint')
    .addColumn('suspected_since', 'bigint')
    .addColumn('down_since', 'bigint')
    .addColumn('down_seen_at', 'bigint')
    .addColumn('response_ms', 'integer')
    .addColumn('recent_checks', 'text', withDefault(''))
    .addColumn('notes', 'text', withDefault(''))
    .addColumn('tags', 'text', withDefault('[]'))
    .addColumn('search_text', 'text', withDefault(''))
    .addColumn('alert_settings', 'text')
    .addPrimaryKeyConstraint('monitors_key', ['account_id', 'id'])
    .addUniqueConstraint('monitors_once', ['account_id', 'host', 'port'])
    .modifyEnd(hotRows(dialect))
    .execute();
  // The worker claims due monitors of all accounts, lane by lane.
  await db.schema
    .createIndex('monitors_due')
    .on('monitors')
    .columns(['lane', 'next_check_at'])
    .where(sql<boolean>`active = 1`)
    .execute();
  // A check also serves the monitors of other accounts that watch the same endpoint.
  await db.schema.createIndex('monitors_site').on('monitors').columns(['host', 'port']).execute();
  // Upkeep deletes certificates that no monitor refers to.
  await db.schema
    .createIndex('monitors_certificate')
    .on('monitors')
    .column('certificate_fingerprint')
    .execute();
}
