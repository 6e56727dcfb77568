import type { CreateTableBuilder, Kysely } from 'kysely';
import { columnTypes, type DialectName } from '../../db/dialect.ts';

type Columns = Record<string, 'text' | 'instant' | 'flag'>;

/**
 * The tables of better-auth 1.7 with its jwt plugin, exactly as it expects them: names,
 * instants and booleans are its own and the one exception to our column forms. `?` marks a column that may be null.
 */
export async function createIdentityProviderTables(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { identityInstant, identityFlag } = columnTypes(dialect);
  const types = {
    text: 'text',
    instant: identityInstant,
    flag: identityFlag,
  } as const;

  function table(name: string, columns: Columns, unique: readonly string[] = []): CreateTableBuilder<string> {
    let builder: CreateTableBuilder<string> = db.schema
      .createTable(name)
      .addColumn('id', 'text', (column) => column.primaryKey());
    for (const [key, type] of Object.entries(columns)) {
      const column = key.replace('?', '');
      builder = builder.addColumn(column, types[type], (definition) => {
        if (column === 'userId') definition = definition.references('user.id').onDelete('cascade');
        if (unique.includes(column)) definition = definition.unique();
        return key.endsWith('?') ? definition : definition.notNull();
      });
    }
    return builder;
  }

  await table(
    'user',
    {
      name: 'text',
      email: 'text',
      emailVerified: 'flag',
      'image?': 'text',
      createdAt: 'instant',
      updatedAt: 'instant',
    },
    ['email'],
  ).execute();
  await table(
    'session',
    {
      expiresAt: 'instant',
      token: 'text',
      createdAt: 'instant',
      updatedAt: 'instant',
      'ipAddress?': 'text',
      'userAgent?': 'text',
      userId: 'text',
    },
    ['token'],
  ).execute();
  await table('account', {
    accountId: 'text',
    providerId: 'text',
    userId: 'text',
    'accessToken?': 'text',
    'refreshToken?': 'text',
    'idToken?': 'text',
    'accessTokenExpiresAt?': 'instant',
    'refreshTokenExpiresAt?': 'instant',
    'scope?': 'text',
    'password?': 'text',
    createdAt: 'instant',
    updatedAt: 'instant',
  }).execute();
  await table('verification', {
    identifier: 'text',
    value: 'text',
    expiresAt: 'instant',
    createdAt: 'instant',
    updatedAt: 'instant',
  }).execute();
  await table('jwks', {
    publicKey: 'text',
    privateKey: 'text',
    createdAt: 'instant',
    'expiresAt?': 'instant',
    'alg?': 'text',
    'crv?': 'text',
  }).execute();

  for (const [tableName, column] of [
    ['session', 'userId'],
    ['account', 'userId'],
    ['verification', 'identifier'],
  ] as const)
    await db.schema.createIndex(`${tableName}_${column}_idx`).on(tableName).column(column).execute();
}
