import type { Kysely } from 'kysely';
import type { DialectName } from '../../../db/dialect.ts';
import { createTableOfMonitor, hotRows, notNull, smallRows, withDefault } from './columns.ts';

/** Creates the tables with the results of checks. */
export async function createCheckTables(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createTableOfMonitor(db, 'monitor_states')
    .addColumn('verdict_id', 'text')
    .addColumn('moment', 'text')
    .addColumn('evidence_id', 'text')
    .addColumn('shown_id', 'text')
    .addColumn('shown_at', 'bigint')
    .addColumn('run_number', 'integer', notNull)
    .addColumn('run_last_at', 'bigint', notNull)
    .addColumn('run_checks', 'integer', notNull)
    .addColumn('samples', 'text')
    .addColumn('hour_at', 'bigint')
    .addColumn('hour', 'text')
    .addColumn('unkept_at', 'bigint')
    .addColumn('unkept_limit', 'text')
    .addPrimaryKeyConstraint('monitor_states_key', ['account_id', 'monitor_id'])
    .modifyEnd(hotRows(dialect))
    .execute();

  await createTableOfMonitor(db, 'check_runs')
    .addColumn('number', 'integer', notNull)
    .addColumn('first_at', 'bigint', notNull)
    .addColumn('last_at', 'bigint')
    .addColumn('checks', 'integer', notNull)
    .addColumn('reached', 'integer', notNull)
    .addColumn('uptime', 'text')
    .addColumn('down_message', 'text')
    .addColumn('verdict_id', 'text', notNull)
    .addColumn('evidence_id', 'text', notNull)
    .addPrimaryKeyConstraint('check_runs_key', ['account_id', 'monitor_id', 'number'])
    .modifyEnd(smallRows(dialect))
    .execute();

  await createTableOfMonitor(db, 'monitor_days')
    .addColumn('day_at', 'bigint', notNull)
    .addColumn('checks', 'integer', notNull)
    .addColumn('up', 'integer', notNull)
    .addColumn('down', 'integer', notNull)
    .addColumn('unknown', 'integer', notNull)
    .addColumn('answered', 'integer', notNull)
    .addColumn('response_sum', 'bigint', notNull)
    .addColumn('response_max', 'integer', notNull)
    .addColumn('hours', 'text', notNull)
    .addPrimaryKeyConstraint('monitor_days_key', ['account_id', 'monitor_id', 'day_at'])
    .modifyEnd(smallRows(dialect))
    .execute();

  await createTableOfMonitor(db, 'evidence')
    .addColumn('id', 'text', notNull)
    .addColumn('first_seen_at', 'bigint', notNull)
    .addColumn('observation', 'text', notNull)
    .addPrimaryKeyConstraint('evidence_key', ['account_id', 'monitor_id', 'id'])
    .execute();

  await createTableOfMonitor(db, 'verdicts')
    .addColumn('id', 'text', notNull)
    .addColumn('judged_at', 'bigint', notNull)
    .addColumn('leaf_fingerprint', 'text')
    .addColumn('verdict', 'text', notNull)
    .addPrimaryKeyConstraint('verdicts_key', ['account_id', 'monitor_id', 'id'])
    .execute();

  await createTableOfMonitor(db, 'monitor_certificates')
    .addColumn('id', 'text', notNull)
    .addColumn('fingerprint', 'text', (column) => column.notNull().references('certificates.fingerprint'))
    .addColumn('role', 'text', notNull)
    .addColumn('first_seen_at', 'bigint', notNull)
    .addColumn('last_seen_at', 'bigint', notNull)
    .addColumn('shown', 'integer', notNull)
    .addColumn('kept', 'integer', withDefault(1))
    .addPrimaryKeyConstraint('monitor_certificates_once', ['account_id', 'monitor_id', 'fingerprint'])
    .modifyEnd(smallRows(dialect))
    .execute();
  // Finds all monitors, of any account, that have seen a certificate.
  await db.schema
    .createIndex('monitor_certificates_fingerprint')
    .on('monitor_certificates')
    .column('fingerprint')
    .execute();
}
