import type { Insertable } from 'kysely';
import type { Forecast } from '../../../server/core/forecast/forecast.ts';
import type { ForecastsTable, RenewalsTable } from '../../../server/store/schema/check-tables.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** Returns a forecast of a renewal that CAA forbids, made at `at` (ms UTC). */
export function sampleForecast(at: number, change: Partial<Forecast> = {}): Forecast {
  return {
    at,
    outcome: 'fails',
    expectedAt: at + 20 * DAY_MS,
    expectedBy: 'lifetime',
    method: null,
    possible: [],
    first: { at, possible: [], accounts: [] },
    checks: [
      { code: 'caa', state: 'fails', methods: [], names: ['www.example.org'], reason: 'issuer', values: {} },
    ],
    ...change,
  };
}

/** Returns a row of `forecasts`: CAA forbids the renewal that is expected at `expectedAt` (ms UTC). */
export function failingRow(row: {
  accountId: string;
  fingerprint: string;
  expectedAt: number;
}): Insertable<ForecastsTable> {
  return {
    account_id: row.accountId,
    fingerprint: row.fingerprint,
    next_at: row.expectedAt,
    outcome: 'fails',
    line: 'Next renewal will fail: CAA forbids Let’s Encrypt',
    expected_at: row.expectedAt,
  };
}

/** Returns a row of `renewals`, of a certificate that was renewed after 60 of 90 days. */
export function renewalRow(
  accountId: string,
  change: Partial<Insertable<RenewalsTable>> = {},
): Insertable<RenewalsTable> {
  return {
    account_id: accountId,
    fingerprint: 'f'.repeat(64),
    successor: 'e'.repeat(64),
    names_digest: 'd'.repeat(64),
    authority: 'Fjord Authority',
    not_before: 0,
    not_after: 90 * DAY_MS,
    renewed_at: 60 * DAY_MS,
    possible: '["http-01"]',
    scored: null,
    score: 'foretold',
    ...change,
  };
}
