import type { Store } from '../db/open-store.ts';
import type { Uptime } from '../../core/check/uptime.ts';
import { type CheckedEndpoint, identityOf } from '../../core/target.ts';

/** A domain's values for the Prometheus endpoint. Timestamps are in ms UTC. */
export interface DomainMetrics extends CheckedEndpoint {
  id: string;
  /** True if paused by the owner, by the plan, or until the owner confirms the domain. */
  isPaused: boolean;
  /** End of validity of the last leaf seen, ms UTC; null if no leaf was seen yet. */
  notAfter: number | null;
  revoked: boolean;
  /** Whether the last check trusted the certificate; null if that check read no certificate. */
  trusted: boolean | null;
  uptime: Uptime | null;
  responseMs: number | null;
  lastCheckedAt: number | null;
}

const PAGE_SIZE = 1_000;

/** Returns at most `max` domains of the account, ordered by id. Reads only columns of `monitors` and parses no verdict. */
export async function readDomainMetrics(
  store: Store,
  { accountId, max }: { accountId: string; max: number },
): Promise<DomainMetrics[]> {
  const domains: DomainMetrics[] = [];
  for (let after = ''; domains.length < max;) {
    const limit = Math.min(PAGE_SIZE, max - domains.length);
    const rows = await store.db
      .selectFrom('monitors')
      .select(['id', 'host', 'port', 'target', 'protocol', 'not_after', 'revoked', 'problem'])
      .select(['uptime', 'response_ms', 'last_checked_at', 'paused_by'])
      .where('account_id', '=', accountId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    for (const row of rows)
      domains.push({
        id: row.id,
        ...identityOf(row),
        isPaused: row.paused_by !== null,
        notAfter: row.not_after,
        revoked: row.revoked === 1,
        trusted: row.not_after === null || row.problem === 'unreachable' ? null : row.problem !== 'untrusted',
        uptime: row.uptime,
        responseMs: row.response_ms,
        lastCheckedAt: row.last_checked_at,
      });
    const last = rows.at(-1);
    if (!last || rows.length < limit) break;
    after = last.id;
  }
  return domains;
}
