import type { Transaction } from 'kysely';
import { deadlinesIn, followDeadlines, isRefused, mayChangeDeadlines } from '../../core/check/deadlines.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import type { Verdict } from '../../core/verdict.ts';
import { compileOnce } from '../db/dialect.ts';
import { batches } from '../db/long-lists.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';

/**
 * Writes which certificates of a monitor have dated findings, and which of them the check no longer saw. Reads and writes nothing if
 * the dated findings, the leaves and whether clients refuse them are those of the last check.
 */
export async function writeDeadlines(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  {
    previous,
    verdict,
    certificates,
    now,
  }: {
    previous: Verdict | null;
    verdict: Verdict;
    certificates: readonly { facts: CertificateFacts }[];
    now: number;
  },
): Promise<void> {
  if (!mayChangeDeadlines(previous, verdict)) return;
  const rows = await trx
    .selectFrom('deadlines')
    .select(['fingerprint', 'rule', 'from_at', 'not_after', 'first_seen_at', 'renewed_at'])
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .execute();
  const seen = [...(verdict.lastSeen?.expiring ?? []), ...certificates.map(({ facts }) => facts)];
  const { written, removed } = followDeadlines(
    rows.map((row) => ({
      fingerprint: row.fingerprint,
      rule: row.rule,
      fromAt: row.from_at,
      firstSeenAt: row.first_seen_at,
      renewedAt: row.renewed_at,
    })),
    {
      dated: deadlinesIn(verdict),
      served: new Set(seen.map(({ fingerprint }) => fingerprint)),
      isRefused: isRefused(verdict),
      now,
    },
  );
  for (const { fingerprint, rule } of removed)
    await trx
      .deleteFrom('deadlines')
      .where('account_id', '=', accountId)
      .where('monitor_id', '=', monitorId)
      .where('fingerprint', '=', fingerprint)
      .where('rule', '=', rule)
      .execute();
  const endOf = new Map([
    ...rows.map((row): [string, number] => [row.fingerprint, row.not_after]),
    ...seen.map(({ fingerprint, notAfter }): [string, number] => [fingerprint, notAfter]),
  ]);
  const values = written.map(({ fingerprint, rule, fromAt, firstSeenAt, renewedAt }) => ({
    account_id: accountId,
    monitor_id: monitorId,
    fingerprint,
    rule,
    from_at: fromAt,
    not_after: endOf.get(fingerprint) ?? fromAt,
    first_seen_at: firstSeenAt,
    renewed_at: renewedAt,
  }));
  for (const batch of batches(values))
    await trx
      .insertInto('deadlines')
      .values(batch)
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'monitor_id', 'fingerprint', 'rule']).doUpdateSet((eb) => ({
          from_at: eb.ref('excluded.from_at'),
          first_seen_at: eb.ref('excluded.first_seen_at'),
          renewed_at: eb.ref('excluded.renewed_at'),
        })),
      )
      .execute();
}

/**
 * Returns the fingerprints of the leaves of a verdict that have a path to a public root, sorted. If another address has no path,
 * returns only the shown leaf.
 */
export function publicLeaves({ trusted, leafFingerprint, addresses, path, hasOwnRoot }: Verdict): string[] {
  if (leafFingerprint === null || path.length === 0 || hasOwnRoot) return [];
  const others = trusted ? addresses.map(({ fingerprint }) => fingerprint) : [];
  return [...new Set([leafFingerprint, ...others].filter((one) => one !== null))].toSorted();
}

/** Stores that leaves have a path to a public root, in the order of `publicLeaves`, so that two checks of the same leaves cannot deadlock. */
export async function writePublicLeaves(
  trx: Transaction<Tables>,
  fingerprints: readonly string[],
): Promise<void> {
  for (const fingerprint of fingerprints) await setPublic(trx, { fingerprint });
}

const setPublic = compileOnce((db, { fingerprint }: { fingerprint: string }) =>
  db
    .updateTable('certificates')
    .set({ public_root: 1 })
    .where('fingerprint', '=', fingerprint)
    .where('public_root', 'is', null)
    .compile(),
);
