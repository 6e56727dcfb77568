import type { Kysely } from 'kysely';
import type { DialectName } from '../../../db/dialect.ts';
import { notNull, primaryKey, TYPES, unique } from './columns.ts';

/**
 * Creates the tables of better-auth 1.7 with its plugins for ID tokens, one-time codes and passkeys. Names and types are exactly
 * what it expects, and the one exception to the column types of `columns.ts`.
 */
export async function createIdentityTables(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createUsers(db, dialect);
  await createFactors(db, dialect);
  const time = TYPES[dialect].identityTime;
  await db.schema
    .createTable('verification')
    .addColumn('id', 'text', primaryKey)
    .addColumn('identifier', 'text', notNull)
    .addColumn('value', 'text', notNull)
    .addColumn('expiresAt', time, notNull)
    .addColumn('createdAt', time, notNull)
    .addColumn('updatedAt', time, notNull)
    .execute();
  await db.schema
    .createIndex('verification_identifier_idx')
    .on('verification')
    .column('identifier')
    .execute();

  await db.schema
    .createTable('jwks')
    .addColumn('id', 'text', primaryKey)
    .addColumn('publicKey', 'text', notNull)
    .addColumn('privateKey', 'text', notNull)
    .addColumn('createdAt', time, notNull)
    .addColumn('expiresAt', time)
    .addColumn('alg', 'text')
    .addColumn('crv', 'text')
    .execute();
}

async function createUsers(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { identityTime: time, identityFlag: flag } = TYPES[dialect];
  await db.schema
    .createTable('user')
    .addColumn('id', 'text', primaryKey)
    .addColumn('name', 'text', notNull)
    .addColumn('email', 'text', unique)
    .addColumn('emailVerified', flag, notNull)
    .addColumn('image', 'text')
    .addColumn('twoFactorEnabled', flag)
    // What the sign-up form asked for. The product's own account is created from it, perhaps by a later request.
    .addColumn('company', 'text')
    .addColumn('trial', flag)
    .addColumn('createdAt', time, notNull)
    .addColumn('updatedAt', time, notNull)
    .execute();

  await createTableOfUser(db, 'session')
    .addColumn('expiresAt', time, notNull)
    .addColumn('token', 'text', unique)
    .addColumn('createdAt', time, notNull)
    .addColumn('updatedAt', time, notNull)
    .addColumn('ipAddress', 'text')
    .addColumn('userAgent', 'text')
    .execute();
  await db.schema.createIndex('session_userId_idx').on('session').column('userId').execute();

  await createTableOfUser(db, 'account')
    .addColumn('accountId', 'text', notNull)
    .addColumn('providerId', 'text', notNull)
    .addColumn('accessToken', 'text')
    .addColumn('refreshToken', 'text')
    .addColumn('idToken', 'text')
    .addColumn('accessTokenExpiresAt', time)
    .addColumn('refreshTokenExpiresAt', time)
    .addColumn('scope', 'text')
    .addColumn('password', 'text')
    .addColumn('createdAt', time, notNull)
    .addColumn('updatedAt', time, notNull)
    .execute();
  await db.schema.createIndex('account_userId_idx').on('account').column('userId').execute();
  // Stricter than the library: two concurrent sign-ins would link a provider's account twice, and then neither could sign in.
  await db.schema
    .createIndex('account_providerId_accountId_idx')
    .unique()
    .on('account')
    .columns(['providerId', 'accountId'])
    .execute();
}

async function createFactors(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { identityTime: time, identityFlag: flag } = TYPES[dialect];
  await createTableOfUser(db, 'twoFactor')
    .addColumn('secret', 'text', notNull)
    .addColumn('backupCodes', 'text', notNull)
    .addColumn('verified', flag)
    .addColumn('failedVerificationCount', 'integer')
    .addColumn('lockedUntil', time)
    .execute();
  for (const column of ['secret', 'userId'])
    await db.schema.createIndex(`twoFactor_${column}_idx`).on('twoFactor').column(column).execute();

  await createTableOfUser(db, 'passkey')
    .addColumn('name', 'text')
    .addColumn('publicKey', 'text', notNull)
    .addColumn('credentialID', 'text', notNull)
    .addColumn('counter', 'integer', notNull)
    .addColumn('deviceType', 'text', notNull)
    .addColumn('backedUp', flag, notNull)
    .addColumn('transports', 'text')
    .addColumn('createdAt', time)
    .addColumn('aaguid', 'text')
    .execute();
  await db.schema.createIndex('passkey_userId_idx').on('passkey').column('userId').execute();
  // Stricter than the library: a passkey belongs to one person (WebAuthn level 3 §7.1, step 26).
  await db.schema
    .createIndex('passkey_credentialID_idx')
    .unique()
    .on('passkey')
    .column('credentialID')
    .execute();
}

/** Returns a create-table builder with a foreign key that deletes the rows with their user of better-auth. */
function createTableOfUser(db: Kysely<unknown>, table: string) {
  return db.schema
    .createTable(table)
    .addColumn('id', 'text', primaryKey)
    .addColumn('userId', 'text', (column) => column.notNull().references('user.id').onDelete('cascade'));
}
