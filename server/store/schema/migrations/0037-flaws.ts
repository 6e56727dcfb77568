import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';
import { rewriteTrigger } from './0033-certificate-issuers.ts';

/** Cases of the codes `trouble` and `fault` in the triggers that maintain `monitor_listing`, and what follows each. */
const CASES = [
  [
    "when new.problem = 'refused' then 1",
    "when new.problem = 'flawed' then 1 when new.problem = 'overdue' then 3",
  ],
  [
    "when new.problem = 'refused' then 5",
    "when new.problem = 'flawed' then 7 when new.problem = 'overdue' then 6",
  ],
];

/**
 * Lists monitors with a finding that asks for a fix, the values `flawed` and `overdue` of `problem`, with those that need attention.
 * Stores until when short-lived certificates of other addresses are on schedule. The next check of each monitor writes these values.
 */
export async function listFlawed(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await sql`alter table other_leaves add column on_schedule_until bigint`.execute(db);
  for (const trigger of ['monitor_listed', 'monitor_relisted'])
    await rewriteTrigger(db, { dialect, trigger }, (text) =>
      CASES.reduce((whole, [known = '', added]) => whole.replace(known, `${known} ${added}`), text),
    );
}
