import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';
import { createTableOfMonitor, notNull, smallRows } from './0021-initial-schema/columns.ts';

/**
 * Creates a table of the certificates that a rule with a date concerns, with the time when they were replaced. Stores which certificates
 * have a path to a public root. An older program writes neither. The next check by this version adds what is missing; a renewal that only
 * an older program saw counts from the next renewal on.
 */
export async function addDeadlines(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await createTableOfMonitor(db, 'deadlines')
    .addColumn('fingerprint', 'text', notNull)
    .addColumn('rule', 'text', notNull)
    .addColumn('from_at', 'bigint', notNull)
    .addColumn('not_after', 'bigint', notNull)
    .addColumn('first_seen_at', 'bigint', notNull)
    .addColumn('renewed_at', 'bigint')
    .addPrimaryKeyConstraint('deadlines_key', ['account_id', 'monitor_id', 'fingerprint', 'rule'])
    .modifyEnd(smallRows(dialect))
    .execute();
  // Has all columns that the page of deadlines reads, so that it need not read the table. They are in the order in which the page groups rows.
  await db.schema
    .createIndex('deadlines_rules')
    .on('deadlines')
    .columns([
      'account_id',
      'rule',
      'fingerprint',
      'from_at',
      'not_after',
      'first_seen_at',
      'renewed_at',
      'monitor_id',
    ])
    .execute();
  await sql`alter table certificates add column public_root integer`.execute(db);
  await fill(db);
  // The rows of certificates are large, so the page reads this index instead.
  await db.schema
    .createIndex('certificates_lifetimes')
    .on('certificates')
    .columns(['fingerprint', 'not_before'])
    .where(sql<boolean>`public_root = 1`)
    .execute();
}

const AT_ONCE = 200;

/** Reads from the verdicts of the last checks which leaves have a path to a public root. */
async function fill(db: Kysely<unknown>): Promise<void> {
  for (let after = { account_id: '', id: '' }; ;) {
    const { rows } = await sql<{ account_id: string; id: string; verdict: string }>`
      select monitors.account_id, monitors.id, verdict from monitors
      inner join monitor_states on monitor_states.account_id = monitors.account_id
        and monitor_states.monitor_id = monitors.id
      inner join verdicts on verdicts.account_id = monitors.account_id and verdicts.monitor_id = monitors.id
        and verdicts.id = monitor_states.verdict_id
      where (monitors.account_id, monitors.id) > (${after.account_id}, ${after.id})
      order by monitors.account_id, monitors.id limit ${sql.lit(AT_ONCE)}`.execute(db);
    const last = rows.at(-1);
    if (last === undefined) break;
    const leaves = [...new Set(rows.map(({ verdict }) => publicLeafIn(verdict)))].filter(
      (one) => one !== null,
    );
    if (leaves.length > 0)
      await sql`update certificates set public_root = 1 where fingerprint in (${sql.join(leaves)})`.execute(
        db,
      );
    after = last;
  }
}

/** Returns the leaf that a verdict shows if its path ends at a public root; else null, also for a damaged verdict. */
function publicLeafIn(verdict: string): string | null {
  try {
    const { leafFingerprint, path, hasOwnRoot } = Object(JSON.parse(verdict)) as Record<string, unknown>;
    const isPublic = Array.isArray(path) && path.length > 0 && hasOwnRoot === false;
    return isPublic && typeof leafFingerprint === 'string' ? leafFingerprint : null;
  } catch {
    return null;
  }
}
