import { type Kysely, sql } from 'kysely';

/** Entitlements, subscriptions, pausing, mail to accounts, feedback. */
export async function createPlansAndMails(db: Kysely<unknown>): Promise<void> {
  await extendAccounts(db);
  await extendMonitors(db);
  await createPayments(db);
  await createMails(db);
}

async function extendAccounts(db: Kysely<unknown>): Promise<void> {
  const accounts = () => db.schema.alterTable('accounts');
  // SQLite adds one column at a time.
  await accounts()
    .addColumn('plan_status', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await accounts()
    .addColumn('plan_source', 'text', (column) => column.notNull().defaultTo('none'))
    .execute();
  for (const instant of ['plan_ends_at', 'trial_ends_at', 'granted_at', 'grant_ends_at', 'disabled_at'])
    await accounts().addColumn(instant, 'bigint').execute();
  // Premium could only be given by hand so far.
  await sql`update accounts set granted_at = created_at, plan_status = 'active', plan_source = 'grant'
            where plan = 'premium'`.execute(db);
  await db.schema
    .createIndex('accounts_plan_end')
    .on('accounts')
    .column('plan_ends_at')
    .where(sql<boolean>`plan_ends_at is not null`)
    .execute();
  await db.schema
    .createIndex('accounts_paddle')
    .unique()
    .on('accounts')
    .column('paddle_id')
    .where(sql<boolean>`paddle_id <> ''`)
    .execute();

  for (const name of ['user_agent', 'address'])
    await db.schema
      .alterTable('sessions')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
      .execute();
}

async function extendMonitors(db: Kysely<unknown>): Promise<void> {
  const monitors = () => db.schema.alterTable('monitors');
  await monitors()
    .addColumn('active', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await monitors().addColumn('paused_by', 'text').execute();
  await monitors().addColumn('paused_at', 'bigint').execute();
  await db.schema.dropIndex('monitors_due').execute();
  await db.schema
    .createIndex('monitors_due')
    .on('monitors')
    .column('next_check_at')
    .where(sql<boolean>`active = 1`)
    .execute();
  // Counting by state reads this index alone.
  await db.schema.dropIndex('monitors_soonest').execute();
  await db.schema
    .createIndex('monitors_soonest')
    .on('monitors')
    .columns(['account_id', 'not_after', 'id', 'revoked', 'last_checked_at', 'paused_by'])
    .execute();
}

async function createPayments(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('subscriptions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('customer_id', 'text', (column) => column.notNull())
    .addColumn('price_id', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('period_starts_at', 'bigint')
    .addColumn('period_ends_at', 'bigint')
    .addColumn('cancels_at', 'bigint')
    .addColumn('past_due_since', 'bigint')
    .addColumn('refunded_at', 'bigint')
    .addColumn('refund_told_at', 'bigint')
    .addColumn('told_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('subscriptions_account').on('subscriptions').column('account_id').execute();

  await db.schema
    .createTable('payment_events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.references('accounts.id').onDelete('cascade'))
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('occurred_at', 'bigint', (column) => column.notNull())
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('refund_of', 'text')
    .addColumn('refund_at', 'bigint')
    .addColumn('refunded', 'integer')
    .execute();
  await db.schema
    .createIndex('payment_events_early_refund')
    .on('payment_events')
    .column('refund_of')
    .where(sql<boolean>`refund_of is not null`)
    .execute();
  await db.schema.createIndex('payment_events_account').on('payment_events').column('account_id').execute();
  await db.schema.createIndex('payment_events_age').on('payment_events').column('received_at').execute();

  await db.schema
    .createTable('trials')
    .addColumn('address_hash', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.references('accounts.id').onDelete('set null'))
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('account_deleted_at', 'bigint')
    .execute();
  await db.schema.createIndex('trials_account').on('trials').column('account_id').execute();
}

async function createMails(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('mails')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.references('accounts.id').onDelete('cascade'))
    .addColumn('recipient', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('data', 'text')
    .addColumn('message_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('unanswered', 'integer', (column) => column.notNull())
    .addColumn('next_attempt_at', 'bigint', (column) => column.notNull())
    .addColumn('first_attempt_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('lease_token', 'text')
    .addColumn('lease_expires_at', 'bigint')
    .addColumn('claimed_by', 'text')
    .addColumn('settled_at', 'bigint')
    .addColumn('detail', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('mails_account').on('mails').columns(['account_id', 'created_at']).execute();
  await db.schema
    .createIndex('mails_due')
    .on('mails')
    .column('next_attempt_at')
    .where(sql<boolean>`state = 'waiting'`)
    .execute();

  await db.schema
    .createTable('feedback')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('premium', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('feedback_account').on('feedback').column('account_id').execute();
}
