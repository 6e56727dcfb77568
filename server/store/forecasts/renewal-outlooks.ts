import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { RenewalOutlook } from '../../core/alerting/renewal-conditions.ts';
import { isRenewalCauses, type RenewalCause } from '../../core/forecast/forecast-causes.ts';
import type { Forecast } from '../../core/forecast/forecast.ts';
import type { DialectName } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { storedJsonOrNull } from '../db/stored-json.ts';

const parseCauses = storedJsonOrNull(z.custom<RenewalCause[]>(isRenewalCauses));

/** Returns the causes in `forecasts.causes`; none if they have the shape of another version. */
export const readCauses = (causes: string | null): RenewalCause[] =>
  causes === null ? [] : (parseCauses(causes) ?? []);

/**
 * Returns an SQL expression for queries of `monitors`: JSON of the forecasts of its other leaves, as `readOthers` reads it. Null or an empty
 * list if it has no other leaves.
 */
export function otherRenewalsColumn(dialect: DialectName): RawBuilder<string | null> {
  const [object, list] =
    dialect === 'postgres'
      ? [sql.raw('json_build_object'), sql.raw('json_agg')]
      : [sql.raw('json_object'), sql.raw('json_group_array')];
  return sql`(select cast(${list}(${object}('fingerprint', leaf.fingerprint, 'causes', outlook.causes,
      'expected_at', outlook.expected_at)) as text)
    from other_leaves as leaf left join forecasts as outlook
      on outlook.account_id = leaf.account_id and outlook.fingerprint = leaf.fingerprint
    where leaf.account_id = monitors.account_id and leaf.monitor_id = monitors.id)`;
}

const outlook = z.object({
  fingerprint: z.string(),
  causes: z.string().nullable(),
  expected_at: z.number().nullable(),
});
const readOthers = storedJsonOrNull(z.array(outlook));

const toOutlook = (row: z.infer<typeof outlook>): RenewalOutlook => ({
  fingerprint: row.fingerprint,
  causes: readCauses(row.causes),
  expectedAt: row.expected_at,
});

/**
 * Returns what forecasts say about the certificates that a monitor serves. `causes` and `expected_at` are those of the certificate in its own
 * row, `other_renewals` the value of `otherRenewalsColumn`.
 */
export function renewalOutlooks(row: {
  certificate_fingerprint: string | null;
  causes: string | null;
  expected_at: number | null;
  other_renewals: string | null;
}): RenewalOutlook[] {
  const {
    certificate_fingerprint: fingerprint,
    causes,
    expected_at: expectedAt,
    other_renewals: others,
  } = row;
  return [
    ...(fingerprint === null ? [] : [{ fingerprint, causes: readCauses(causes), expectedAt }]),
    ...(others === null ? [] : (readOthers(others) ?? [])).map(toOutlook),
  ];
}

/** What lists show of the forecast of a renewal. `expectedAt` in ms UTC. */
export interface NextRenewal {
  outcome: Forecast['outcome'];
  line: string | null;
  expectedAt: number;
}

/** Returns the forecasts that were made for the certificates, by fingerprint. */
export async function nextRenewals(
  { db }: Store,
  { accountId, fingerprints }: { accountId: string; fingerprints: readonly string[] },
): Promise<Map<string, NextRenewal>> {
  const rows = await db
    .selectFrom('forecasts')
    .select(['fingerprint', 'outcome', 'line', 'expected_at'])
    .where('account_id', '=', accountId)
    .where('fingerprint', 'in', fingerprints)
    .execute();
  return new Map(
    rows.flatMap(({ fingerprint, outcome, line, expected_at: expectedAt }) =>
      outcome === null || expectedAt === null ? [] : [[fingerprint, { outcome, line, expectedAt }]],
    ),
  );
}
