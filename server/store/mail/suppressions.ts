import type { Kysely, Transaction } from 'kysely';
import type { SuppressionsTable } from '../schema/alert-tables.ts';
import type { Tables } from '../schema/tables.ts';

/** Whether an address refused mail for good: nothing but the links with which its owner comes back is sent there. */
export async function isSuppressed(db: Kysely<Tables>, address: string): Promise<boolean> {
  return (await suppressionOf(db, address)) !== null;
}

/** Those of `addresses` that refused mail for good, each with the words of its server. */
export async function refusalsAmong(
  db: Kysely<Tables>,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (addresses.length === 0) return new Map();
  const rows = await db
    .selectFrom('suppressions')
    .select(['address', 'detail'])
    .where('address', 'in', addresses.map(keyOf))
    .execute();
  const details = new Map(rows.map(({ address, detail }) => [address, detail]));
  return new Map(
    addresses.flatMap((address): [string, string][] => {
      const detail = details.get(keyOf(address));
      return detail === undefined ? [] : [[address, detail]];
    }),
  );
}

/** Why and since when; `detail` in the words of the server that refused. Null where mail may go. */
async function suppressionOf(db: Kysely<Tables>, address: string): Promise<SuppressionsTable | null> {
  const row = await db
    .selectFrom('suppressions')
    .selectAll()
    .where('address', '=', keyOf(address))
    .executeTakeFirst();
  return row ?? null;
}

/** Ends mail to an address, in the transaction that learned of it. Publish the signal `account` after it. */
export async function suppress(
  trx: Transaction<Tables>,
  { address, reason, detail, now }: Omit<SuppressionsTable, 'since'> & { now: number },
): Promise<void> {
  await trx
    .insertInto('suppressions')
    .values({ address: keyOf(address), reason, detail, since: now })
    .onConflict((conflict) => conflict.column('address').doUpdateSet({ reason, detail }))
    .execute();
}

/** Mail may go there again: its owner asked for it, or was seen to read it. */
export async function liftSuppression(trx: Transaction<Tables>, address: string): Promise<void> {
  await trx.deleteFrom('suppressions').where('address', '=', keyOf(address)).execute();
}

/**
 * A link was taken by the server that had refused mail before. Where mail was taken and came back later, being taken says nothing:
 * that ends when the link is used.
 */
export async function liftRefusal(trx: Transaction<Tables>, address: string): Promise<void> {
  await trx
    .deleteFrom('suppressions')
    .where('address', '=', keyOf(address))
    .where('reason', '=', 'refused')
    .execute();
}

function keyOf(address: string): string {
  return address.toLowerCase();
}
