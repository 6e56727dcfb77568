import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../../db/dialect.ts';
import { notNull, ofAccount, primaryKey, TYPES, unique, withDefault } from './columns.ts';

/** Creates the tables of accounts and of how people and programs sign in to them. */
export async function createAccountTables(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createAccounts(db);
  await createSignInTables(db);
  await createCallTables(db);
  await db.schema
    .createTable('authorities')
    .addColumn('id', 'text', primaryKey)
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('fingerprint', 'text', notNull)
    .addColumn('der', TYPES[dialect].bytes, notNull)
    .addColumn('facts', 'text', notNull)
    .addColumn('created_at', 'bigint', notNull)
    .addUniqueConstraint('authorities_once', ['account_id', 'fingerprint'])
    .execute();

  await db.schema
    .createTable('feedback')
    .addColumn('id', 'text', primaryKey)
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('title', 'text', notNull)
    .addColumn('message', 'text', notNull)
    .addColumn('premium', 'integer', notNull)
    .addColumn('created_at', 'bigint', notNull)
    .execute();
  await db.schema.createIndex('feedback_account').on('feedback').column('account_id').execute();
}

async function createAccounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', primaryKey)
    .addColumn('kind', 'text', withDefault('person'))
    .addColumn('email', 'text', unique)
    .addColumn('email_verified', 'integer', notNull)
    .addColumn('full_name', 'text', notNull)
    .addColumn('photo_url', 'text')
    .addColumn('company_name', 'text', notNull)
    .addColumn('paddle_id', 'text', notNull)
    .addColumn('plan', 'text', notNull)
    .addColumn('plan_status', 'text', withDefault(''))
    .addColumn('plan_source', 'text', withDefault('none'))
    .addColumn('plan_ends_at', 'bigint')
    .addColumn('trial_ends_at', 'bigint')
    .addColumn('granted_at', 'bigint')
    .addColumn('grant_ends_at', 'bigint')
    .addColumn('disabled_at', 'bigint')
    .addColumn('time_zone', 'text')
    .addColumn('alert_settings', 'text')
    .addColumn('digest_next_at', 'bigint')
    .addColumn('reached_out_at', 'bigint')
    .addColumn('old_links_until', 'bigint')
    .addColumn('created_at', 'bigint', notNull)
    .execute();
  // A customer of the payment provider belongs to one account. Accounts that never paid have an empty customer id.
  await db.schema
    .createIndex('accounts_paddle')
    .unique()
    .on('accounts')
    .column('paddle_id')
    .where(sql<boolean>`paddle_id <> ''`)
    .execute();
  // The worker finds plans that ended and digests that are due. Few accounts have either.
  await db.schema
    .createIndex('accounts_plan_end')
    .on('accounts')
    .column('plan_ends_at')
    .where(sql<boolean>`plan_ends_at is not null`)
    .execute();
  await db.schema
    .createIndex('accounts_digest')
    .on('accounts')
    .column('digest_next_at')
    .where(sql<boolean>`digest_next_at is not null`)
    .execute();
}

async function createSignInTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('identities')
    .addColumn('issuer', 'text', notNull)
    .addColumn('subject', 'text', notNull)
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('email_verified', 'integer', notNull)
    .addColumn('created_at', 'bigint', notNull)
    .addPrimaryKeyConstraint('identities_key', ['issuer', 'subject'])
    .execute();
  await db.schema.createIndex('identities_account').on('identities').column('account_id').execute();

  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', primaryKey)
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('access_hash', 'text', notNull)
    .addColumn('access_expires_at', 'bigint', notNull)
    .addColumn('refresh_hash', 'text', notNull)
    .addColumn('previous_refresh_hash', 'text')
    .addColumn('rotated_at', 'bigint')
    .addColumn('refresh_idle_expires_at', 'bigint', notNull)
    .addColumn('refresh_expires_at', 'bigint', notNull)
    .addColumn('user_agent', 'text', withDefault(''))
    .addColumn('address', 'text', withDefault(''))
    .addColumn('created_at', 'bigint', notNull)
    .execute();
  await db.schema.createIndex('sessions_account').on('sessions').column('account_id').execute();
}

/** Creates the tables of personal tokens, idempotency keys and rate limits. */
async function createCallTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('api_tokens')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('id', 'text', notNull)
    .addColumn('token_hash', 'text', unique)
    .addColumn('prefix', 'text', notNull)
    .addColumn('name', 'text', notNull)
    .addColumn('scopes', 'text', notNull)
    .addColumn('created_at', 'bigint', notNull)
    .addColumn('last_used_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addPrimaryKeyConstraint('api_tokens_key', ['account_id', 'id'])
    .execute();

  await db.schema
    .createTable('idempotency_keys')
    .addColumn('account_id', 'text', ofAccount)
    .addColumn('key_hash', 'text', notNull)
    .addColumn('request_hash', 'text', notNull)
    .addColumn('attempt', 'text', notNull)
    .addColumn('lease_expires_at', 'bigint', notNull)
    .addColumn('status', 'integer')
    .addColumn('content_type', 'text')
    .addColumn('body', 'text')
    .addColumn('created_at', 'bigint', notNull)
    .addPrimaryKeyConstraint('idempotency_keys_key', ['account_id', 'key_hash'])
    .execute();
  // Upkeep deletes old answers of all accounts.
  await db.schema
    .createIndex('idempotency_keys_created')
    .on('idempotency_keys')
    .column('created_at')
    .execute();

  await db.schema
    .createTable('rate_limits')
    .addColumn('key', 'text', primaryKey)
    .addColumn('window_ends_at', 'bigint', notNull)
    .addColumn('count', 'integer', notNull)
    .execute();
}
