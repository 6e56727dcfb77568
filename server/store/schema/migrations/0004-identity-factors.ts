import type { CreateTableBuilder, Kysely } from 'kysely';
import { columnTypes, type DialectName } from '../../db/dialect.ts';

/** The tables of better-auth's plugins for one-time codes and passkeys, exactly as they expect them (see 0002). */
export async function createIdentityFactors(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { identityInstant, identityFlag } = columnTypes(dialect);
  const ofUser = (name: string): CreateTableBuilder<string> =>
    db.schema
      .createTable(name)
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('userId', 'text', (column) => column.notNull().references('user.id').onDelete('cascade'));

  await db.schema.alterTable('user').addColumn('twoFactorEnabled', identityFlag).execute();
  await ofUser('twoFactor')
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('backupCodes', 'text', (column) => column.notNull())
    .addColumn('verified', identityFlag)
    .addColumn('failedVerificationCount', 'integer')
    .addColumn('lockedUntil', identityInstant)
    .execute();
  await ofUser('passkey')
    .addColumn('name', 'text')
    .addColumn('publicKey', 'text', (column) => column.notNull())
    .addColumn('credentialID', 'text', (column) => column.notNull())
    .addColumn('counter', 'integer', (column) => column.notNull())
    .addColumn('deviceType', 'text', (column) => column.notNull())
    .addColumn('backedUp', identityFlag, (column) => column.notNull())
    .addColumn('transports', 'text')
    .addColumn('createdAt', identityInstant)
    .addColumn('aaguid', 'text')
    .execute();

  for (const [table, column] of [
    ['twoFactor', 'secret'],
    ['twoFactor', 'userId'],
    ['passkey', 'userId'],
  ] as const)
    await db.schema.createIndex(`${table}_${column}_idx`).on(table).column(column).execute();
  // Stricter than the library: a passkey belongs to one person (WebAuthn level 3 §7.1, step 26).
  await db.schema
    .createIndex('passkey_credentialID_idx')
    .unique()
    .on('passkey')
    .column('credentialID')
    .execute();
  // So does the account at another provider: two sign-ins at once would link it twice, and none would be let in again.
  await db.schema
    .createIndex('account_providerId_accountId_idx')
    .unique()
    .on('account')
    .columns(['providerId', 'accountId'])
    .execute();
}
