import { type Kysely, sql } from 'kysely';
import { columnTypes, type DialectName } from '../../db/dialect.ts';

/** Instants are bigint (ms UTC), booleans integer 0 or 1, JSON text: forms that both databases have. */
export async function createFirstTables(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createAccountTables(db);
  await createCertificates(db, dialect);
  await createMonitorTables(db);
  await createOutbox(db);
  await db.schema
    .createTable('rate_limits')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('window_ends_at', 'bigint', (column) => column.notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .execute();
}

async function createAccountTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('email_verified', 'integer', (column) => column.notNull())
    .addColumn('full_name', 'text', (column) => column.notNull())
    .addColumn('photo_url', 'text')
    .addColumn('paddle_id', 'text', (column) => column.notNull())
    .addColumn('company_name', 'text', (column) => column.notNull())
    .addColumn('plan', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('identities')
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('email_verified', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('identities_key', ['issuer', 'subject'])
    .execute();
  await db.schema.createIndex('identities_account').on('identities').column('account_id').execute();

  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('access_hash', 'text', (column) => column.notNull())
    .addColumn('access_expires_at', 'bigint', (column) => column.notNull())
    .addColumn('refresh_hash', 'text', (column) => column.notNull())
    .addColumn('previous_refresh_hash', 'text')
    .addColumn('rotated_at', 'bigint')
    .addColumn('refresh_idle_expires_at', 'bigint', (column) => column.notNull())
    .addColumn('refresh_expires_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('sessions_account').on('sessions').column('account_id').execute();
}

async function createCertificates(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema
    .createTable('certificates')
    .addColumn('fingerprint', 'text', (column) => column.primaryKey())
    .addColumn('der', columnTypes(dialect).bytes, (column) => column.notNull())
    .addColumn('facts', 'text')
    .addColumn('first_seen_at', 'bigint', (column) => column.notNull())
    .execute();
}

async function createMonitorTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('monitors')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('check_every_minutes', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('next_check_at', 'bigint', (column) => column.notNull())
    .addColumn('last_checked_at', 'bigint')
    .addColumn('check_requested_at', 'bigint')
    .addColumn('lease_token', 'text')
    .addColumn('lease_expires_at', 'bigint')
    .addColumn('claimed_by', 'text')
    .addColumn('certificate_fingerprint', 'text', (column) => column.references('certificates.fingerprint'))
    .addColumn('not_after', 'bigint')
    .addColumn('revoked', 'integer', (column) => column.notNull())
    .addColumn('last_read_at', 'bigint')
    .addColumn('unreachable_since', 'bigint')
    .addColumn('verdict', 'text')
    .addColumn('verdict_id', 'text')
    .addColumn('problem', 'text')
    .addColumn('problem_message', 'text')
    .addUniqueConstraint('monitors_endpoint', ['account_id', 'host', 'port'])
    .execute();
  const monitorIndexes: Record<string, string[]> = {
    monitors_newest: ['account_id', 'created_at', 'id'],
    monitors_soonest: ['account_id', 'not_after', 'id', 'revoked', 'last_checked_at'],
    monitors_due: ['next_check_at'],
    monitors_certificate: ['certificate_fingerprint'],
  };
  for (const [name, columns] of Object.entries(monitorIndexes))
    await db.schema.createIndex(name).on('monitors').columns(columns).execute();
  await db.schema
    .createIndex('monitors_problem')
    .on('monitors')
    .columns(['account_id', 'host'])
    .where(sql<boolean>`problem is not null`)
    .execute();

  await db.schema
    .createTable('verdicts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('monitor_id', 'text', (column) =>
      column.notNull().references('monitors.id').onDelete('cascade'),
    )
    .addColumn('judged_at', 'bigint', (column) => column.notNull())
    .addColumn('leaf_fingerprint', 'text')
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('verdict', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('verdicts_monitor')
    .on('verdicts')
    .columns(['monitor_id', 'judged_at'])
    .execute();

  await db.schema
    .createTable('checks')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('monitor_id', 'text', (column) =>
      column.notNull().references('monitors.id').onDelete('cascade'),
    )
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint', (column) => column.notNull())
    .addColumn('reached', 'integer', (column) => column.notNull())
    .addColumn('observation', 'text', (column) => column.notNull())
    .addColumn('verdict_id', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('checks_monitor').on('checks').columns(['monitor_id', 'finished_at']).execute();
  await db.schema.createIndex('checks_age').on('checks').column('finished_at').execute();

  await db.schema
    .createTable('monitor_certificates')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('monitor_id', 'text', (column) =>
      column.notNull().references('monitors.id').onDelete('cascade'),
    )
    .addColumn('fingerprint', 'text', (column) => column.notNull().references('certificates.fingerprint'))
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('first_seen_at', 'bigint', (column) => column.notNull())
    .addColumn('last_seen_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('monitor_certificates_key', ['monitor_id', 'fingerprint'])
    .execute();
  await db.schema
    .createIndex('monitor_certificates_fingerprint')
    .on('monitor_certificates')
    .column('fingerprint')
    .execute();
}

async function createOutbox(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('alerts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('monitor_id', 'text', (column) =>
      column.notNull().references('monitors.id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('step', 'text', (column) => column.notNull())
    .addColumn('not_before', 'bigint', (column) => column.notNull())
    .addColumn('not_after', 'bigint', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('as_of', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('alerts_key', ['monitor_id', 'kind', 'fingerprint', 'step'])
    .execute();
  await db.schema.createIndex('alerts_account').on('alerts').column('account_id').execute();

  await db.schema
    .createTable('deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('alert_id', 'text', (column) => column.notNull().references('alerts.id').onDelete('cascade'))
    .addColumn('channel', 'text', (column) => column.notNull())
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
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('deliveries_account')
    .on('deliveries')
    .columns(['account_id', 'created_at'])
    .execute();
  await db.schema.createIndex('deliveries_alert').on('deliveries').column('alert_id').execute();
  await db.schema
    .createIndex('deliveries_due')
    .on('deliveries')
    .column('next_attempt_at')
    .where(sql<boolean>`state = 'waiting'`)
    .execute();

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
    .addPrimaryKeyConstraint('delivery_attempts_key', ['delivery_id', 'attempt'])
    .execute();
}
