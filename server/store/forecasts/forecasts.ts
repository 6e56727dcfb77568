import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { DAY_MS, WEEK_MS } from '../../../contract/durations.ts';
import { type Forecast, isForecast } from '../../core/forecast/forecast.ts';
import { compileOnce, lockedOrSkipped } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { storedJsonOrNull } from '../db/stored-json.ts';
import { isActive } from '../monitors/check-due.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';

/** Identifies a forecast: a certificate that domains of an account serve. */
export interface ForecastKey {
  accountId: string;
  fingerprint: string;
}

/** A forecast that a worker makes. */
export interface ClaimedForecast extends ForecastKey {
  /** Until when no other worker claims the forecast, ms UTC. It is also the token of the claim. */
  leaseEndsAt: number;
  /** The last forecast; null if there is none. */
  previous: Forecast | null;
}

export const readForecast = storedJsonOrNull(z.custom<Forecast>(isForecast));

/**
 * Makes a forecast due if there is none for a certificate with a path to a public root. Call it near the end of the
 * transaction of a check that found such a path: it may wait for another check of the same certificate.
 */
export async function registerForecast(
  trx: Transaction<Tables>,
  { accountId, fingerprint, now }: ForecastKey & { now: number },
): Promise<void> {
  await insertMissing(trx, { accountId, fingerprint, now });
}

const insertMissing = compileOnce((db, { accountId, fingerprint, now }: ForecastKey & { now: number }) =>
  db
    .insertInto('forecasts')
    .values({ account_id: accountId, fingerprint, next_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .compile(),
);

/** Returns when the first forecast is due, ms UTC; null if there is none. */
export async function firstForecastAt({ db }: Store): Promise<number | null> {
  const [first] = await firstDue(db, {});
  return first?.at ?? null;
}

const firstDue = compileOnce((db) =>
  db.selectFrom('forecasts').select('next_at as at').orderBy('next_at').limit(1).compile(),
);

/**
 * Claims forecasts that are due, longest due first, until `leaseEndsAt` (ms UTC). If no active domain serves the certificate, postpones the
 * forecast by a day instead.
 */
export async function claimDueForecasts(
  store: Store,
  { now, limit, leaseEndsAt }: { now: number; limit: number; leaseEndsAt: number },
): Promise<ClaimedForecast[]> {
  const isServed = sql<number>`case when exists (select 1 from monitors
    where monitors.account_id = forecasts.account_id and monitors.certificate_fingerprint = forecasts.fingerprint
      and ${isActive}) then 1 else 0 end`;
  const claimed = await store.db
    .with('due', (db) =>
      lockedOrSkipped(
        store.dialect,
        db
          .selectFrom('forecasts')
          .select(['account_id', 'fingerprint'])
          .where('next_at', '<=', now)
          .orderBy('next_at')
          .limit(limit),
      ),
    )
    .updateTable('forecasts')
    .set({ next_at: sql<number>`case when ${isServed} = 1 then ${leaseEndsAt} else ${now + DAY_MS} end` })
    .where((eb) =>
      eb(
        eb.refTuple('forecasts.account_id', 'forecasts.fingerprint'),
        'in',
        eb
          .selectFrom('due')
          .select(['due.account_id', 'due.fingerprint'])
          .$asTuple('account_id', 'fingerprint'),
      ),
    )
    .returning(['account_id', 'fingerprint', 'forecast', 'next_at'])
    .execute();
  return claimed
    .filter(({ next_at: nextAt }) => nextAt === leaseEndsAt)
    .map((row) => ({
      accountId: row.account_id,
      fingerprint: row.fingerprint,
      leaseEndsAt,
      previous: row.forecast === null ? null : readForecast(row.forecast),
    }));
}

/** Ends a claim without a new forecast: it is due again at `nextAt` (ms UTC). Does nothing if the claim was lost. */
export async function releaseForecast(store: Store, claim: ClaimedForecast, nextAt: number): Promise<void> {
  await ofClaim(store.db, claim).set({ next_at: nextAt }).execute();
}

const ofClaim = (db: Kysely<Tables>, { accountId, fingerprint, leaseEndsAt }: ClaimedForecast) =>
  db
    .updateTable('forecasts')
    .where('account_id', '=', accountId)
    .where('fingerprint', '=', fingerprint)
    .where('next_at', '=', leaseEndsAt);

/** Returns the forecast for the current certificate of a monitor; null if there is none. */
export async function forecastOf(
  { db }: Store,
  { accountId, monitorId }: MonitorKey,
): Promise<Forecast | null> {
  const row = await db
    .selectFrom('monitors')
    .innerJoin('forecasts', (join) =>
      join
        .onRef('forecasts.account_id', '=', 'monitors.account_id')
        .onRef('forecasts.fingerprint', '=', 'monitors.certificate_fingerprint'),
    )
    .select('forecast')
    .where('monitors.account_id', '=', accountId)
    .where('monitors.id', '=', monitorId)
    .executeTakeFirst();
  return row?.forecast ? readForecast(row.forecast) : null;
}

/** SQL condition for rows of `monitor_listing`: the domain is not paused, and the next renewal of its certificate will fail. */
export const renewalFails = (accountId: string) => sql<boolean>`phase <> 0 and certificate_fingerprint in (
  select fingerprint from forecasts where account_id = ${accountId} and outcome = 'fails')`;

/**
 * Adds missing forecasts and deletes those of certificates that are no monitor's current one, unless one was due or made within a week: two
 * servers of a domain may answer in turns. Returns the number of deleted rows.
 */
export async function sweepForecasts(store: Store, now: number): Promise<number> {
  await sql`insert into forecasts (account_id, fingerprint, next_at)
    select distinct account_id, certificate_fingerprint, ${sql.lit(now)} from monitors
    where certificate_fingerprint in (select fingerprint from certificates where public_root = 1)
    on conflict do nothing`.execute(store.db);
  const deleted = await store.db
    .deleteFrom('forecasts')
    .where((eb) => eb.or([eb('made_at', 'is', null), eb('made_at', '<', now - WEEK_MS)]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('monitors')
            .select('monitors.id')
            .whereRef('monitors.account_id', '=', 'forecasts.account_id')
            .whereRef('monitors.certificate_fingerprint', '=', 'forecasts.fingerprint'),
        ),
      ),
    )
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** Deletes all forecasts, because the operator turned them off. Their alerts end with the next checks. */
export async function forgetForecasts({ db }: Store): Promise<void> {
  await db.deleteFrom('forecasts').execute();
}

/** Forecasts are made at least every two weeks. */
const MAX_INTERVAL_MS = 16 * DAY_MS;

/** Makes forecasts due that are planned more than 16 days ahead, because a clock ran ahead. Returns their number. */
export async function correctForecastTimes({ db }: Store, now: number): Promise<number> {
  const result = await db
    .updateTable('forecasts')
    .set({ next_at: now })
    .where('next_at', '>', now + MAX_INTERVAL_MS)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
