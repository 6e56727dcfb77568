import { type NotNull, type RawBuilder, sql, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { ChannelKind, PlannedAlert } from '../../core/index.ts';
import { ACCOUNT_MAIL } from '../../core/index.ts';
import type { Store } from '../db/open-store.ts';
import { isWaiting } from '../mail/outbox.ts';
import type { Tables } from '../schema/tables.ts';

/** A channel that an alert is for, and from when on (ms UTC) it may leave. */
export interface AlertRoute {
  key: string;
  kind: ChannelKind;
  leavesAt: number;
}

interface AlertsToAdd {
  accountId: string;
  monitorId: string;
  alerts: readonly (PlannedAlert & { incidentId: string })[];
  /** Without the channels on which it failed for good; what is left may be none. */
  routesOf: (alert: PlannedAlert, failedOn: ReadonlySet<string>) => AlertRoute[];
  /** "Now" as leases see it. */
  leaseClock: RawBuilder<number>;
  now: number;
}

/**
 * Puts alerts into the outbox, one delivery per channel, as part of the transaction that records why. What was told or waits is
 * passed over: nobody is told the same step twice. What was superseded, so that nobody was told, comes back; what failed for good
 * on every channel goes where it did not fail. What waits of earlier steps of the same incident gives way. Returns how many
 * deliveries are to be made.
 */
export async function addAlerts(trx: Transaction<Tables>, outbox: AlertsToAdd): Promise<number> {
  let added = 0;
  for (const alert of outbox.alerts) {
    const routes = await routesFor(trx, alert, outbox);
    await giveWay(trx, alert, outbox);
    // Good news about something that nobody was told of is none; what nobody can be told now is told once somebody can.
    if (routes.length === 0) continue;
    const toldAt = await afterOthers(trx, alert, outbox);
    const alertId = await keepAlert(trx, alert, { ...outbox, toldAt });
    for (const route of routes) added += await addDelivery(trx, { ...outbox, alert, alertId, route, toldAt });
  }
  return added;
}

/** The order of what is told of an incident is that of these instants, also where the clock was set back in between. */
async function afterOthers(
  trx: Transaction<Tables>,
  { incidentId }: AlertsToAdd['alerts'][number],
  { accountId, now }: AlertsToAdd,
): Promise<number> {
  const last = await trx
    .selectFrom('deliveries')
    .select((eb) => eb.fn.max('created_at').as('at'))
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId)
    .executeTakeFirst();
  return Math.max(now, (last?.at ?? 0) + 1);
}

async function keepAlert(
  trx: Transaction<Tables>,
  { incidentId, problem, fingerprint, step, severity, facts }: AlertsToAdd['alerts'][number],
  { accountId, monitorId, toldAt }: AlertsToAdd & { toldAt: number },
): Promise<string> {
  const said = { severity, facts: JSON.stringify(facts), created_at: toldAt };
  const { id } = await trx
    .insertInto('alerts')
    .values({
      id: randomUUID(),
      account_id: accountId,
      monitor_id: monitorId,
      incident_id: incidentId,
      kind: problem,
      step,
      fingerprint,
      ...said,
    })
    // Decided on anew because nobody was told: it says what is so now.
    .onConflict((conflict) => conflict.columns(['account_id', 'incident_id', 'step']).doUpdateSet(said))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function failedOn(
  trx: Transaction<Tables>,
  { incidentId, step }: AlertsToAdd['alerts'][number],
  accountId: string,
): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('deliveries')
    .innerJoin('alerts', (join) =>
      join
        .onRef('alerts.account_id', '=', 'deliveries.account_id')
        .onRef('alerts.id', '=', 'deliveries.alert_id'),
    )
    .select('deliveries.channel_key')
    .where('alerts.account_id', '=', accountId)
    .where('alerts.incident_id', '=', incidentId)
    .where('alerts.step', '=', step)
    .where('deliveries.state', '=', 'failed')
    .execute();
  return new Set(rows.map(({ channel_key: key }) => key));
}

/** That it is over is told where the trouble was told; of a time of being down also where that never got out. */
async function routesFor(
  trx: Transaction<Tables>,
  alert: AlertsToAdd['alerts'][number],
  { accountId, routesOf }: AlertsToAdd,
): Promise<AlertRoute[]> {
  const routes = routesOf(alert, await failedOn(trx, alert, accountId));
  if (alert.step !== 'resolved' || routes.length === 0) return routes;
  const earlier = await trx
    .selectFrom('deliveries')
    .select('channel_key')
    .distinct()
    .where('account_id', '=', accountId)
    .where('incident_id', '=', alert.incidentId)
    .where((eb) =>
      alert.problem === 'down'
        ? eb('state', '!=', 'superseded')
        : eb.or([
            eb('state', '=', 'delivered'),
            // Claimed, and not answered for yet: it is being sent, or was when its process was killed.
            eb.and([eb('state', '=', 'waiting'), eb('unanswered', '>', 0)]),
          ]),
    )
    .execute();
  return routes.filter(({ key }) => earlier.some(({ channel_key: told }) => told === key));
}

/**
 * Drops what waits for a channel, of one domain or of all (`monitorId` null): nobody is to get it there any more. What nobody else
 * was told either, the next check tells where it can be told, and is due for that. Publish the signal `due` after it.
 */
export async function dropWaitingFor(
  trx: Transaction<Tables>,
  {
    accountId,
    channelKey,
    monitorId,
    detail,
    now,
  }: { accountId: string; channelKey: string; monitorId: string | null; detail: string; now: number },
): Promise<void> {
  const dropped = await superseding(trx, { detail, now })
    .where('account_id', '=', accountId)
    .where('channel_key', '=', channelKey)
    .where('lease_token', 'is', null)
    .$if(monitorId !== null, (query) =>
      query.where('alert_id', 'in', (eb) =>
        eb
          .selectFrom('alerts')
          .select('alerts.id')
          .where('alerts.account_id', '=', accountId)
          .where('alerts.monitor_id', '=', monitorId),
      ),
    )
    .executeTakeFirst();
  if (dropped.numUpdatedRows === 0n) return;
  const waited = trx
    .selectFrom('deliveries')
    .innerJoin('alerts', (join) =>
      join
        .onRef('alerts.account_id', '=', 'deliveries.account_id')
        .onRef('alerts.id', '=', 'deliveries.alert_id'),
    )
    .select('alerts.monitor_id')
    .where('deliveries.account_id', '=', accountId)
    .where('channel_key', '=', channelKey)
    .where('deliveries.state', '=', 'superseded')
    .where('deliveries.settled_at', '=', now);
  await trx
    .updateTable('monitors')
    .set({ next_check_at: now })
    .where('account_id', '=', accountId)
    .where('next_check_at', '>', now)
    .where('id', 'in', waited.$narrowType<{ monitor_id: NotNull }>())
    .execute();
}

/** Takes what waits out of the outbox, to be narrowed down; what a person asked to be sent again stays. */
export function superseding(trx: Transaction<Tables>, { detail, now }: { detail: string; now: number }) {
  return trx
    .updateTable('deliveries')
    .set({ state: 'superseded', settled_at: now, detail })
    .where(isWaiting)
    .where('forced', '=', 0);
}

/** What is being sent right now stays: the next message waits for it. */
async function giveWay(
  trx: Transaction<Tables>,
  { incidentId }: AlertsToAdd['alerts'][number],
  { accountId, leaseClock, now }: AlertsToAdd,
): Promise<void> {
  await superseding(trx, { detail: 'A later message took its place.', now })
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId)
    .where((eb) => eb.or([eb('lease_token', 'is', null), eb('lease_expires_at', '<=', leaseClock)]))
    .execute();
}

async function addDelivery(
  trx: Transaction<Tables>,
  entry: AlertsToAdd & {
    alert: AlertsToAdd['alerts'][number];
    alertId: string;
    route: AlertRoute;
    toldAt: number;
  },
): Promise<number> {
  const { alert, route, toldAt } = entry;
  const { problem, fingerprint, step, facts, incidentId } = alert;
  const id = randomUUID();
  const waits = { state: 'waiting' as const, next_attempt_at: route.leavesAt, created_at: toldAt };
  const result = await trx
    .insertInto('deliveries')
    .values({
      id,
      account_id: entry.accountId,
      alert_id: entry.alertId,
      incident_id: incidentId,
      channel: route.kind,
      channel_key: route.key,
      channel_id: route.key === ACCOUNT_MAIL ? null : route.key,
      dedupe_key: [entry.monitorId, problem, fingerprint, facts.startedAt, step, route.key].join(':'),
      // Made once, so that a message sent twice arrives as one.
      message_id: `<${id}@alerts.certlantern>`,
      attempts: 0,
      unanswered: 0,
      ...waits,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'dedupe_key'])
        .doUpdateSet({ ...waits, first_attempt_at: null, settled_at: null, detail: null })
        .where(sql<boolean>`deliveries.state = 'superseded'`),
    )
    .returning('id')
    .executeTakeFirst();
  return result === undefined ? 0 : 1;
}

/** Removes tests of channels from before `before` (ms UTC); other alerts go with their incident. Returns how many. */
export async function pruneTests(store: Store, before: number): Promise<number> {
  const { numDeletedRows } = await store.db
    .deleteFrom('alerts')
    .where('kind', '=', 'test')
    .where('created_at', '<', before)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
