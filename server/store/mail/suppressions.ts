import type { Kysely, Transaction } from 'kysely';
import type { SuppressionsTable } from '../schema/alert-tables.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Returns whether an address is suppressed because it permanently refused or bounced mail. Only mails with secret links and mails
 * to the operator are still sent to it.
 */
export async function isSuppressed(db: Kysely<Tables>, address: string): Promise<boolean> {
  return (await suppressionOf(db, address)) !== null;
}

/** Returns the suppressed addresses among `addresses`, each with the reply of its mail server or the bounce. */
export async function findSuppressed(
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

/** Returns the suppression of an address, or null if there is none. `detail` is the reply of the server or the bounce. */
async function suppressionOf(db: Kysely<Tables>, address: string): Promise<SuppressionsTable | null> {
  const row = await db
    .selectFrom('suppressions')
    .selectAll()
    .where('address', '=', keyOf(address))
    .executeTakeFirst();
  return row ?? null;
}

/** Suppresses an address in the caller's transaction. Publish the signal `account` after the commit. */
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

/** Lifts the suppression of an address, whether it was refused or bounced. */
export async function liftSuppression(trx: Transaction<Tables>, address: string): Promise<void> {
  await trx.deleteFrom('suppressions').where('address', '=', keyOf(address)).execute();
}

/**
 * Lifts a suppression after the server accepted a mail with a link, if the reason was a refusal. After a bounce it stays until
 * the link is used, because servers that bounce mail accept it first.
 */
export async function liftRefusedSuppression(trx: Transaction<Tables>, address: string): Promise<void> {
  await trx
    .deleteFrom('suppressions')
    .where('address', '=', keyOf(address))
    .where('reason', '=', 'refused')
    .execute();
}

function keyOf(address: string): string {
  return address.toLowerCase();
}
