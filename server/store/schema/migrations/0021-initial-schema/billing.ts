import { type Kysely, sql } from 'kysely';
import { notNull, ofAccount, primaryKey } from './columns.ts';

/** Creates the tables of subscriptions, of the payment provider's events, and of trials. */
export async function createBillingTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('subscriptions')
    .addColumn('id', 'text', primaryKey)
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('customer_id', 'text', notNull)
    .addColumn('price_id', 'text', notNull)
    .addColumn('status', 'text', notNull)
    .addColumn('period_starts_at', 'bigint')
    .addColumn('period_ends_at', 'bigint')
    .addColumn('cancels_at', 'bigint')
    .addColumn('past_due_since', 'bigint')
    .addColumn('refunded_at', 'bigint')
    .addColumn('refund_told_at', 'bigint')
    .addColumn('told_at', 'bigint', notNull)
    .addColumn('created_at', 'bigint', notNull)
    .execute();
  await db.schema.createIndex('subscriptions_account').on('subscriptions').column('account_id').execute();

  await createPaymentEvents(db);

  // A row outlives its account, so that nobody gets a second trial by deleting the account.
  await db.schema
    .createTable('trials')
    .addColumn('address_hash', 'text', primaryKey)
    .addColumn('account_id', 'text', (column) => column.references('accounts.id').onDelete('set null'))
    .addColumn('started_at', 'bigint', notNull)
    .addColumn('account_deleted_at', 'bigint')
    .execute();
  await db.schema.createIndex('trials_account').on('trials').column('account_id').execute();
}

async function createPaymentEvents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('payment_events')
    .addColumn('id', 'text', primaryKey)
    .addColumn('account_id', 'text', (column) => column.references('accounts.id').onDelete('cascade'))
    .addColumn('type', 'text', notNull)
    .addColumn('occurred_at', 'bigint', notNull)
    .addColumn('received_at', 'bigint', notNull)
    .addColumn('outcome', 'text', notNull)
    .addColumn('refund_of', 'text')
    .addColumn('refund_at', 'bigint')
    .addColumn('refunded', 'integer')
    .execute();
  await db.schema.createIndex('payment_events_account').on('payment_events').column('account_id').execute();
  // Upkeep deletes old events.
  await db.schema.createIndex('payment_events_age').on('payment_events').column('received_at').execute();
  // Finds the refunds that arrived before their subscription.
  await db.schema
    .createIndex('payment_events_early_refund')
    .on('payment_events')
    .column('refund_of')
    .where(sql<boolean>`refund_of is not null`)
    .execute();
}
