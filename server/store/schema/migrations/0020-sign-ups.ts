import type { Kysely } from 'kysely';
import { columnTypes, type DialectName } from '../../db/dialect.ts';

/** Adds what a sign-up asked for, from which the account is made even where the call that makes it failed at first. */
export async function createSignUps(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { identityFlag } = columnTypes(dialect);
  await db.schema.alterTable('user').addColumn('company', 'text').execute();
  await db.schema.alterTable('user').addColumn('trial', identityFlag).execute();
}
