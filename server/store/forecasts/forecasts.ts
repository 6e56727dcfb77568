import { type Kysely, sql, type Transaction } from 'kysely';
import { DAY_MS, WEEK_MS } from '../../../contract/durations.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import type { Forecast } from '../../core/forecast/forecast.ts';
import { isScored, scoredPart } from '../../core/forecast/forecast-score.ts';
import { forecastLine } from '../../core/forecast/forecast-words.ts';
import { followCauses, type RenewalCause } from '../../core/forecast/forecast-causes.ts';
import { compileOnce, forecastOfMonitor, locked, lockedOrSkipped } from '../db/dialect.ts';
import { batches } from '../db/long-lists.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { consumeRateLimit } from '../operations/rate-limits.ts';
import { isActive, makeDueBy } from '../monitors/check-due.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import { readCauses } from './renewal-outlooks.ts';
import { readForecast, recordExpiry, scoreRenewal } from './renewals.ts';

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

/**
 * Makes forecasts due for those certificates that have none. They have a path to a public root and are sorted, so that two checks cannot
 * deadlock. Call it near the end of the transaction of the check that found them: it may wait for another check of the same certificate.
 */
export async function registerForecasts(
  trx: Transaction<Tables>,
  { accountId, fingerprints, now }: { accountId: string; fingerprints: readonly string[]; now: number },
): Promise<void> {
  for (const fingerprint of fingerprints) await insertMissing(trx, { accountId, fingerprint, now });
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
  const key = { accountId: sql.ref('forecasts.account_id'), fingerprint: sql.ref('forecasts.fingerprint') };
  const isServed = sql<number>`case when exists (select 1 from monitors
    where monitors.account_id = forecasts.account_id and monitors.id in ${servingIds(key)}
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
    .set({
      next_at: sql<number>`case when ${isServed} = 1 then cast(${leaseEndsAt} as bigint) else cast(${now + DAY_MS} as bigint) end`,
    })
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

/** Returns the key in `rate_limits` under which the names in an account's forecasts are counted. */
export const forecastQuotaKey = (accountId: string): string => `forecast names:${accountId}`;

/** Maximum number of names that the forecasts of an account look up per day, and of a certificate at once. */
const NAMES_PER_DAY = 2_000;
const NAMES_AT_ONCE = 100;

/** Counts the names that a forecast looks up. Returns null if the limit permits them, else the time in ms until the account may look up names again. */
export async function countForecastNames(
  store: Store,
  { accountId, names, now }: { accountId: string; names: number; now: number },
): Promise<number | null> {
  const answer = await consumeRateLimit(store, {
    key: forecastQuotaKey(accountId),
    limit: NAMES_PER_DAY,
    windowMs: DAY_MS,
    now,
    weight: Math.min(names, NAMES_AT_ONCE),
  });
  return answer.allowed ? null : answer.retryAfterMs;
}

/** Ends a claim without a new forecast: it is due again at `nextAt` (ms UTC). Does nothing if the claim was lost. */
export async function releaseForecast(store: Store, claim: ClaimedForecast, nextAt: number): Promise<void> {
  await ofClaim(store.db, claim).set({ next_at: nextAt }).execute();
}

/** A forecast to store. */
export interface MadeForecast {
  forecast: Forecast;
  facts: Pick<CertificateFacts, 'notBefore' | 'notAfter'>;
  /** When the next one is due, ms UTC. */
  nextAt: number;
  now: number;
}

/** Maximum number of monitors that are made due and updated on pages when the forecast of their certificate changes. */
const MAX_CONCERNED = 500;

/**
 * Stores a forecast with the causes to raise alerts about, and scores the forecast of the certificate before, if this is the first one. If the causes
 * changed, makes the monitors of the certificate due: their checks raise or end alerts. Returns false and changes nothing if the claim was lost.
 */
export async function saveForecast(
  store: Store,
  claim: ClaimedForecast,
  made: MadeForecast,
): Promise<boolean> {
  const { accountId, fingerprint, previous } = claim;
  const { forecast, facts, nextAt, now } = made;
  const line = forecastLine(forecast);
  const changed = await inTransaction(store, async (trx) => {
    const before = await locked(store.dialect, selectClaimed(trx, claim)).executeTakeFirst();
    if (before === undefined) return null;
    const known = readCauses(before.causes);
    const followed = followCauses(known, forecast, previous);
    const causes = followed.length === 0 ? null : JSON.stringify(followed);
    const { at, outcome, expectedAt } = forecast;
    const scored = isScored(forecast, facts) ? JSON.stringify(scoredPart(forecast)) : before.scored;
    await ofClaim(trx, claim)
      .set({ next_at: nextAt, made_at: at, outcome, line, expected_at: expectedAt })
      .set({ forecast: JSON.stringify(forecast), causes, scored })
      .execute();
    if (previous === null) await scoreRenewal(trx, { accountId, successor: fingerprint, after: forecast });
    const { notAfter } = facts;
    if (notAfter <= now) await recordExpiry(trx, { accountId, fingerprint, notAfter });
    return {
      isShown: before.line !== line || before.outcome !== outcome || before.expected_at !== expectedAt,
      isAlerted: new Set(keysOf(known)).symmetricDifference(new Set(keysOf(followed))).size > 0,
    };
  });
  if (changed === null) return false;
  if (changed.isShown || changed.isAlerted) await announceForecast(store, claim, changed, now);
  return true;
}

/** SQL for the ids of an account's monitors that serve a certificate, at all of their addresses or at some. */
export const servingIds = ({
  accountId,
  fingerprint,
}: {
  accountId: unknown;
  fingerprint: unknown;
}) => sql<string>`(
  select id from monitors where account_id = ${accountId} and certificate_fingerprint = ${fingerprint}
  union all
  select monitor_id from other_leaves where account_id = ${accountId} and fingerprint = ${fingerprint})`;

const keysOf = (causes: readonly RenewalCause[]): string[] => causes.map(({ key }) => key);

const selectClaimed = (db: Kysely<Tables>, { accountId, fingerprint, leaseEndsAt }: ClaimedForecast) =>
  db
    .selectFrom('forecasts')
    .select(['causes', 'scored', 'line', 'outcome', 'expected_at'])
    .where('account_id', '=', accountId)
    .where('fingerprint', '=', fingerprint)
    .where('next_at', '=', leaseEndsAt);

/**
 * Tells pages that the forecast of monitors changed. Makes the monitors due in a transaction of its own: a check that has locked its monitor may be
 * waiting for the row of the forecast.
 */
async function announceForecast(
  store: Store,
  { accountId, fingerprint }: ForecastKey,
  { isAlerted }: { isAlerted: boolean },
  now: number,
): Promise<void> {
  const monitors = await store.db
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', 'in', servingIds({ accountId, fingerprint }))
    .where(isActive)
    .limit(MAX_CONCERNED)
    .execute();
  const ids = monitors.map(({ id }) => id);
  if (isAlerted) {
    for (const batch of batches(ids))
      await inTransaction(store, (trx) => makeDueBy(trx, { accountId, monitorId: batch, at: now }));
    store.signals.publish({ topic: 'due' });
  }
  for (const monitorId of ids)
    store.signals.publish({ topic: 'domain', accountId, monitorId, change: 'changed' });
}

const ofClaim = (db: Kysely<Tables>, { accountId, fingerprint, leaseEndsAt }: ClaimedForecast) =>
  db
    .updateTable('forecasts')
    .where('account_id', '=', accountId)
    .where('fingerprint', '=', fingerprint)
    .where('next_at', '=', leaseEndsAt);

/** Returns the forecast for the current certificate of a monitor; `pending` until the first one; null if none will be made. */
export async function forecastOf(
  { db }: Pick<Store, 'db'>,
  { accountId, monitorId }: MonitorKey,
): Promise<Forecast | 'pending' | null> {
  const row = await db
    .selectFrom('monitors')
    .innerJoin('forecasts', forecastOfMonitor)
    .select('forecast')
    .where('monitors.account_id', '=', accountId)
    .where('monitors.id', '=', monitorId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return row.forecast === null ? 'pending' : readForecast(row.forecast);
}

/** SQL for the fingerprints of the certificates whose next renewal will fail. */
export const failingRenewals = (accountId: string) => sql`(
  select fingerprint from forecasts where account_id = ${accountId} and outcome = 'fails')`;

/**
 * SQL conditions for rows of `monitor_listing`, of which one holds if the domain is not paused and the next renewal of one of its certificates
 * will fail.
 */
export const renewalFails = (accountId: string) => [
  sql<boolean>`(phase <> 0 and certificate_fingerprint in ${failingRenewals(accountId)})`,
  sql<boolean>`(phase <> 0 and monitor_id in (select monitor_id from other_leaves
    where account_id = ${accountId} and fingerprint in ${failingRenewals(accountId)}))`,
];

/**
 * Adds missing forecasts and deletes those of certificates that no monitor serves now, unless they were made within a week: the servers of a domain
 * may take turns with different certificates. Returns the number of deleted rows.
 */
export async function sweepForecasts(store: Store, now: number): Promise<number> {
  await sql`insert into forecasts (account_id, fingerprint, next_at)
    select account_id, fingerprint, ${sql.lit(now)} from served_certificates as served
    where fingerprint in (select fingerprint from certificates where public_root = 1)
      and not exists (select 1 from forecasts
        where forecasts.account_id = served.account_id and forecasts.fingerprint = served.fingerprint)
    order by account_id, fingerprint
    on conflict do nothing`.execute(store.db);
  const deleted = await store.db
    .deleteFrom('forecasts')
    .where((eb) => eb.or([eb('made_at', 'is', null), eb('made_at', '<', now - WEEK_MS)]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('served_certificates')
            .select('domains')
            .whereRef('served_certificates.account_id', '=', 'forecasts.account_id')
            .whereRef('served_certificates.fingerprint', '=', 'forecasts.fingerprint'),
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
