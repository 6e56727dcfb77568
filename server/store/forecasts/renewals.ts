import type { Store } from '../db/open-store.ts';

/** How the forecasts of an account's certificates came out. */
export interface ForecastRecord {
  /** Renewals that came out as foretold. */
  right: number;
  of: number;
}

/** Returns how many forecasts of the account were right; null before the first one that counts. */
export async function forecastRecord({ db }: Store, accountId: string): Promise<ForecastRecord | null> {
  const rows = await db
    .selectFrom('renewals')
    .select(['score', (eb) => eb.fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    .where('score', 'is not', null)
    .groupBy('score')
    .execute();
  const of = rows.reduce((sum, { count }) => sum + count, 0);
  return of === 0 ? null : { right: rows.find(({ score }) => score === 'foretold')?.count ?? 0, of };
}
