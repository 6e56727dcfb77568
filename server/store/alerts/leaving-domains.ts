import { sql, type Transaction } from 'kysely';
import type { KnownIncident } from '../../core/index.ts';
import { isActive, makeDueBy } from '../monitors/check-due.ts';
import type { MonitorKey } from '../monitors/monitor-change.ts';
import type { Tables } from '../schema/tables.ts';

/** Counts the open incidents about a certificate on other active domains. */
export async function countOtherOpen(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  { problem, fingerprint }: Pick<KnownIncident, 'problem' | 'fingerprint'>,
): Promise<number> {
  const { open } = await trx
    .selectFrom('incidents')
    .innerJoin('monitors', (join) =>
      join
        .onRef('monitors.account_id', '=', 'incidents.account_id')
        .onRef('monitors.id', '=', 'incidents.monitor_id'),
    )
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .where('incidents.account_id', '=', accountId)
    .where('incidents.fingerprint', '=', fingerprint)
    .where('incidents.problem', '=', problem)
    .where('incidents.ended_at', 'is', null)
    .where('incidents.monitor_id', '!=', monitorId)
    .where(isActive)
    .executeTakeFirstOrThrow();
  return open;
}

/**
 * Call this before deleting incidents. Moves their alerts to another incident of the same certificate, so that these are not sent again,
 * and are still sent if they wait.
 */
export async function handOverAlerts(
  trx: Transaction<Tables>,
  accountId: string,
  incidentIds: readonly string[],
): Promise<void> {
  if (incidentIds.length === 0) return;
  const members = await trx
    .selectFrom('incidents')
    .select(['id', 'monitor_id'])
    .select((eb) => eb.ref('group_id').$notNull().as('group_id'))
    .where('account_id', '=', accountId)
    .where('group_id', 'in', incidentIds)
    .where('id', 'not in', incidentIds)
    .orderBy((eb) => eb.case().when('ended_at', 'is', null).then(0).else(1).end())
    .orderBy('started_at')
    .execute();
  for (const [former, [heir]] of Map.groupBy(members, ({ group_id: id }) => id)) {
    if (heir === undefined) continue;
    const own = trx
      .selectFrom('alerts')
      .select('step')
      .where('account_id', '=', accountId)
      .where('incident_id', '=', heir.id);
    const given = await trx
      .updateTable('alerts')
      .set({ incident_id: heir.id, monitor_id: heir.monitor_id })
      .where('account_id', '=', accountId)
      .where('incident_id', '=', former)
      .where('step', 'not in', own)
      .returning('id')
      .execute();
    if (given.length > 0)
      await trx
        .updateTable('deliveries')
        .set({ incident_id: heir.id })
        .where('account_id', '=', accountId)
        .where(
          'alert_id',
          'in',
          given.map(({ id }) => id),
        )
        .execute();
    await trx
      .updateTable('incidents')
      .set((eb) => ({ group_id: eb.case().when('id', '=', heir.id).then(null).else(heir.id).end() }))
      .where('account_id', '=', accountId)
      .where('group_id', '=', former)
      .execute();
  }
}

/**
 * Call this before monitors are removed, or after they were paused. Their checks cannot report the end of a certificate's problem any
 * more, so the domain that changed last is checked again and reports it. Publish the signal `due` after the transaction.
 */
export async function passOnEnds(
  trx: Transaction<Tables>,
  accountId: string,
  monitorIds: readonly string[],
): Promise<void> {
  const lead = sql<string>`coalesce(group_id, id)`;
  const last = await trx
    .selectFrom('incidents')
    .select(['monitor_id', 'problem', 'fingerprint', lead.as('lead')])
    .where('account_id', '=', accountId)
    .where('monitor_id', 'in', monitorIds)
    .where('ended_at', 'is', null)
    .where('fingerprint', '!=', '')
    .execute();
  for (const { monitor_id: monitorId, problem, fingerprint, lead: group } of last) {
    if ((await countOtherOpen(trx, { accountId, monitorId }, { problem, fingerprint })) > 0) continue;
    const changed = await trx
      .selectFrom('incidents')
      .innerJoin('monitors', (join) =>
        join
          .onRef('monitors.account_id', '=', 'incidents.account_id')
          .onRef('monitors.id', '=', 'incidents.monitor_id'),
      )
      .select(['incidents.id', 'monitor_id'])
      .select((eb) => eb.ref('ended_at').$notNull().as('endedAt'))
      .where('incidents.account_id', '=', accountId)
      .where((eb) => eb.or([eb('incidents.id', '=', group), eb('group_id', '=', group)]))
      .where('monitor_id', 'not in', monitorIds)
      .where('recovered', '=', 1)
      .where('ended_at', 'is not', null)
      .where(isActive)
      .orderBy('ended_at', 'desc')
      .executeTakeFirst();
    if (changed === undefined) continue;
    await trx
      .updateTable('incidents')
      .set({ ended_at: null, recovered: 0, clearing_since: changed.endedAt })
      .where('account_id', '=', accountId)
      .where('id', '=', changed.id)
      .execute();
    await makeDueBy(trx, { accountId, monitorId: changed.monitor_id, at: changed.endedAt });
  }
}
