import type { Kysely } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';
import { rewriteTrigger } from './0033-certificate-issuers.ts';

/** Cases of the codes `trouble` and `fault` in the triggers that maintain `monitor_listing`, and what follows each. */
const CASES = [
  ["when new.problem = 'untrusted' then 1", "when new.problem = 'refused' then 1"],
  ["when new.uptime = 'down' then 3", "when new.problem = 'refused' then 5"],
];

/**
 * Lists monitors whose certificate is trusted but refused by some clients, the value `refused` of `problem`, with those that need
 * attention. Monitors get this value with their next check, so no row changes here.
 */
export async function listRefused(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  for (const trigger of ['monitor_listed', 'monitor_relisted'])
    await rewriteTrigger(db, { dialect, trigger }, (text) =>
      CASES.reduce((whole, [known = '', added]) => whole.replace(known, `${known} ${added}`), text),
    );
}
