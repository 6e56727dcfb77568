import { type RawBuilder, sql, type Transaction } from 'kysely';
import { certificateProblem } from '../../core/check/problems.ts';
import { onScheduleUntil } from '../../core/judge/renewal.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import type { Observation } from '../../core/observation.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { DialectName } from '../db/dialect.ts';
import { batches } from '../db/long-lists.ts';
import type { OtherLeavesTable } from '../schema/check-tables.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';

/** The rows of `other_leaves` to add to a monitor and to remove from it. */
export interface LeafChange {
  added: (Pick<OtherLeavesTable, 'fingerprint' | 'problem' | 'on_schedule_until'> & { notAfter: number })[];
  /** Fingerprints of the leaves to remove. */
  removed: string[];
}

/**
 * Returns an SQL expression for queries of `monitors`: the monitor's rows of `other_leaves`, each as in `textOf`; null if it has
 * none.
 */
export function otherLeavesColumn(dialect: DialectName): RawBuilder<string | null> {
  const row = sql`fingerprint || ':' || coalesce(problem, '') || ':' || coalesce(cast(on_schedule_until as text), '')`;
  const joined = dialect === 'postgres' ? sql`string_agg(${row}, ' ')` : sql`group_concat(${row}, ' ')`;
  return sql`(select ${joined} from other_leaves
    where other_leaves.account_id = monitors.account_id and other_leaves.monitor_id = monitors.id)`;
}

/**
 * Returns the changes to `other_leaves` after a check; null if there are none. `current` is the fingerprint in the monitor's own
 * row, `stored` the value of `otherLeavesColumn`. A check that read no certificate changes nothing.
 */
export function changeOfLeaves(
  {
    verdict,
    certificates,
    observation,
  }: { verdict: Verdict; certificates: readonly { facts: CertificateFacts }[]; observation: Observation },
  { current, stored }: { current: string | null; stored: string | null },
): LeafChange | null {
  if (!verdict.reached) return null;
  const served = new Set(verdict.addresses.map(({ fingerprint }) => fingerprint));
  const known = new Set(stored?.split(' '));
  const others = certificates
    .map(({ facts }) => facts)
    .filter(({ fingerprint }) => fingerprint !== current && served.has(fingerprint))
    .map((facts) => ({
      fingerprint: facts.fingerprint,
      notAfter: facts.notAfter,
      problem: certificateProblem(verdict, facts.fingerprint, observation.endpoint.protocol),
      on_schedule_until: onScheduleUntil(verdict, facts),
    }));
  const added = others.filter((leaf) => !known.has(textOf(leaf)));
  const kept = new Set(others.map(textOf));
  const removed = [...known].filter((text) => !kept.has(text)).map((text) => text.split(':')[0] ?? '');
  return added.length + removed.length === 0 ? null : { added, removed };
}

/**
 * Returns the leaves that no address of a monitor serves any more, sorted, and those that it did not serve before: a leaf that another address
 * served already is no successor, even if it has the same names. Returns none if an address failed, because its leaf is not known.
 */
export function renewedLeaves(
  { verdict, certificates }: { verdict: Verdict; certificates: readonly { facts: CertificateFacts }[] },
  before: { certificate_fingerprint: string | null; other_leaves: string | null },
): { gone: string[]; fresh: CertificateFacts[] } {
  const served = new Set(verdict.addresses.map(({ fingerprint }) => fingerprint));
  if (served.has(null)) return { gone: [], fresh: [] };
  const others = before.other_leaves?.split(' ').map((text) => text.split(':')[0] ?? '') ?? [];
  const known = new Set([before.certificate_fingerprint, ...others].filter((one) => one !== null));
  return {
    gone: [...known].filter((fingerprint) => !served.has(fingerprint)).toSorted(),
    fresh: certificates
      .map(({ facts }) => facts)
      .filter(({ fingerprint }) => served.has(fingerprint) && !known.has(fingerprint)),
  };
}

const textOf = ({ fingerprint, problem, on_schedule_until: until }: LeafChange['added'][number]): string =>
  `${fingerprint}:${problem ?? ''}:${until ?? ''}`;

/** Writes the change of a check, in its transaction. Omits certificates that a storage limit kept from being stored. */
export async function writeLeaves(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  { host, port }: { host: string; port: number },
  { added, removed }: LeafChange,
): Promise<void> {
  if (removed.length > 0)
    await trx
      .deleteFrom('other_leaves')
      .where('account_id', '=', accountId)
      .where('monitor_id', '=', monitorId)
      .where('fingerprint', 'in', removed)
      .execute();
  if (added.length === 0) return;
  const stored = await trx
    .selectFrom('certificates')
    .select('fingerprint')
    .where(
      'fingerprint',
      'in',
      added.map(({ fingerprint }) => fingerprint),
    )
    .where('facts', 'is not', null)
    .execute();
  const fingerprints = new Set(stored.map(({ fingerprint }) => fingerprint));
  const rows = added
    .filter(({ fingerprint }) => fingerprints.has(fingerprint))
    .map(({ fingerprint, notAfter, problem, on_schedule_until }) => ({
      account_id: accountId,
      monitor_id: monitorId,
      fingerprint,
      not_after: notAfter,
      host,
      port,
      problem,
      on_schedule_until,
    }));
  for (const batch of batches(rows)) await trx.insertInto('other_leaves').values(batch).execute();
}
