import type { Transaction } from 'kysely';
import { z } from 'zod';
import { HOUR_MS } from '../../../contract/durations.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import { type Forecast, isForecast } from '../../core/forecast/forecast.ts';
import { type ScoredForecast, scoreOf } from '../../core/forecast/forecast-score.ts';
import { parseFacts } from '../checks/certificates.ts';
import type { Store } from '../db/open-store.ts';
import { storedJsonOrNull } from '../db/stored-json.ts';
import type { Tables } from '../schema/tables.ts';

/** Decoder of a stored forecast. Returns null for the shape of another version. */
export const readForecast = storedJsonOrNull(z.custom<Forecast>(isForecast));

/** How many scored forecasts of an account were right. */
export interface ForecastRecord {
  /** Number of forecasts that were right. */
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

/** Returns the name of a certificate's CA as `renewals.authority` has it. */
export const renewalAuthority = ({ authorityName }: Pick<CertificateFacts, 'authorityName'>): string =>
  authorityName.replaceAll('\0', '').slice(0, 200);

const readScored = storedJsonOrNull(
  z.object({
    at: z.number(),
    outcome: z.enum(['works', 'fails', 'not_known']),
    expectedAt: z.number(),
    expectedBy: z.enum(['ari', 'habit', 'lifetime']),
    causes: z.array(z.string()),
  }),
);

/** Returns the forecast and the certificate that a renewal is recorded for; null unless the certificate has a path to a public root. */
async function recorded(
  trx: Transaction<Tables>,
  { accountId, fingerprint }: { accountId: string; fingerprint: string },
) {
  const row = await trx
    .selectFrom('certificates')
    .leftJoin('forecasts', (join) =>
      join
        .onRef('forecasts.fingerprint', '=', 'certificates.fingerprint')
        .on('forecasts.account_id', '=', accountId),
    )
    .select(['facts', 'names_digest', 'forecast', 'scored'])
    .where('certificates.fingerprint', '=', fingerprint)
    .where('public_root', '=', 1)
    .executeTakeFirst();
  const facts = parseFacts(row?.facts ?? null);
  if (row === undefined || facts === null || row.names_digest === null) return null;
  const forecast = row.forecast === null ? null : readForecast(row.forecast);
  const scored = row.scored === null ? null : readScored(row.scored);
  return {
    facts,
    scored,
    row: {
      account_id: accountId,
      fingerprint,
      names_digest: row.names_digest,
      authority: renewalAuthority(facts),
      not_before: facts.notBefore,
      not_after: facts.notAfter,
      possible: forecast && JSON.stringify(forecast.possible),
      scored: row.scored,
    },
  };
}

/**
 * Records that the account replaced a certificate by one with the same names that was issued later, and scores its forecast. Call it in the
 * transaction of the check that sees the successor. Does nothing if another domain has shown the renewal before.
 */
export async function recordRenewal(
  trx: Transaction<Tables>,
  { accountId, from, after }: { accountId: string; from: string; after: CertificateFacts },
): Promise<void> {
  const old = await recorded(trx, { accountId, fingerprint: from });
  if (old === null || !isRenewal(old.facts, after)) return;
  const renewed = { successor: after.fingerprint, renewed_at: after.notBefore };
  const score = old.scored && scoreOf(old.scored, old.facts, { renewedAt: after.notBefore, after: null });
  const { numInsertedOrUpdatedRows: inserted } = await trx
    .insertInto('renewals')
    .values({ ...old.row, ...renewed, score })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (inserted !== 0n) return;
  // The expiry of the certificate is already recorded. ON CONFLICT DO UPDATE would lock the row even without a change, and could deadlock with a
  // forecast that is being saved: that locks its own row first, for which this transaction may wait later.
  await trx
    .updateTable('renewals')
    .set(renewed)
    .where('account_id', '=', accountId)
    .where('fingerprint', '=', from)
    .where('renewed_at', 'is', null)
    .execute();
}

/** Records which of the certificates that a monitor no longer serves (`gone`) were renewed by those that it did not serve before (`fresh`). */
export async function recordRenewals(
  trx: Transaction<Tables>,
  {
    accountId,
    gone,
    fresh,
  }: { accountId: string; gone: readonly string[]; fresh: readonly CertificateFacts[] },
): Promise<void> {
  for (const from of gone) for (const after of fresh) await recordRenewal(trx, { accountId, from, after });
}

/** Returns whether a certificate has the names of an earlier one. Certificates issued together do not renew each other. */
function isRenewal(before: CertificateFacts, after: CertificateFacts): boolean {
  const isLater = after.notBefore - before.notBefore > HOUR_MS;
  return isLater && new Set(before.sans).symmetricDifference(new Set(after.sans)).size === 0;
}

/**
 * Records that a certificate expired while it was served, and scores its forecast. Does nothing unless a check saw it after its end: a host that is
 * down, or was not checked since, may have another one.
 */
export async function recordExpiry(
  trx: Transaction<Tables>,
  key: { accountId: string; fingerprint: string; notAfter: number },
): Promise<void> {
  const seen = await trx
    .selectFrom('monitors')
    .innerJoin('monitor_states as states', (join) =>
      join
        .onRef('states.account_id', '=', 'monitors.account_id')
        .onRef('states.monitor_id', '=', 'monitors.id'),
    )
    .select('monitors.id')
    .where('monitors.account_id', '=', key.accountId)
    .where('certificate_fingerprint', '=', key.fingerprint)
    .where('shown_at', '>=', key.notAfter)
    .limit(1)
    .executeTakeFirst();
  if (seen === undefined) return;
  const old = await recorded(trx, key);
  if (old === null || old.scored === null) return;
  const score = scoreOf(old.scored, old.facts, { renewedAt: null, after: null });
  await trx
    .insertInto('renewals')
    .values({ ...old.row, score })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Scores renewals that wait for `after`, the first forecast of the new certificate. */
export async function scoreRenewal(
  trx: Transaction<Tables>,
  { accountId, successor, after }: { accountId: string; successor: string; after: Forecast },
): Promise<void> {
  const pending = await trx
    .selectFrom('renewals')
    .select(['fingerprint', 'not_before', 'not_after', 'renewed_at', 'scored'])
    .where('account_id', '=', accountId)
    .where('successor', '=', successor)
    .where('score', 'is', null)
    .where('scored', 'is not', null)
    .execute();
  for (const row of pending) {
    const scored: ScoredForecast | null = row.scored === null ? null : readScored(row.scored);
    const certificate = { notBefore: row.not_before, notAfter: row.not_after };
    const score = scored && scoreOf(scored, certificate, { renewedAt: row.renewed_at, after });
    if (score !== null)
      await trx
        .updateTable('renewals')
        .set({ score })
        .where('account_id', '=', accountId)
        .where('fingerprint', '=', row.fingerprint)
        .execute();
  }
}
