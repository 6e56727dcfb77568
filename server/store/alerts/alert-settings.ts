import type { Kysely, Transaction } from 'kysely';
import { isDeepStrictEqual } from 'node:util';
import type { AlertSeverity } from '../../core/alerting/alert.ts';
import { type ChannelState, isChannelOpen } from '../../core/alerting/route.ts';
import {
  ACCOUNT_MAIL,
  affectsAlerts,
  type AlertSettings,
  type DomainAlertSettings,
  effectiveSettings,
  existingChannels,
  maySetSteps,
  type QuietHours,
  withExistingChannels,
} from '../../core/alerting/settings.ts';
import { maintenanceUntil, sendAt } from '../../core/alerting/silence.ts';
import { mayGetDigest } from '../../core/digest.ts';
import { entitlementAt, type Plan } from '../../core/plan.ts';
import { addressOf, parseAccountSettings, parseDomainSettings } from './stored-alerts.ts';
import { lockPlan, storedEntitlement } from '../billing/entitlements.ts';
import { windowsFor } from './maintenance.ts';
import { compileOnce, monitorOf } from '../db/dialect.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { findSuppressed } from '../mail/suppressions.ts';
import { type Unsubscribed, unsubscriptionsOf } from '../mail/unsubscriptions.ts';
import { isWaiting } from '../mail/outbox.ts';
import { makeDueBy } from '../monitors/check-due.ts';

/** The alert settings that apply to one monitor. */
export interface EffectiveAlertSettings {
  /** The account's settings, overridden by the monitor's own as far as the plan allows. */
  settings: AlertSettings;
  plan: Plan;
  /** IANA time zone name; null: UTC. */
  timeZone: string | null;
}

/** The alert settings of one monitor, and the channels and maintenance that decide where its alerts go. */
export interface RoutingContext extends EffectiveAlertSettings {
  /**
   * All channels of the account, mail to its own address first. `isUnsubscribed` is true if the reader of the channel
   * unsubscribed from this monitor or from all mail.
   */
  channels: ChannelState[];
  /** End of the current maintenance, ms UTC; null if there is none. */
  maintenanceUntil: number | null;
}

const settingsRow = compileOnce((db, { accountId, monitorId }: MonitorKey) =>
  db
    .selectFrom('monitors')
    .innerJoin('accounts', 'accounts.id', 'monitors.account_id')
    .select(['plan', 'plan_status', 'plan_source', 'plan_ends_at', 'time_zone'])
    .select(['accounts.alert_settings as ofAccount', 'monitors.alert_settings as ofMonitor'])
    .where('monitors.id', '=', monitorId)
    .where('monitors.account_id', '=', accountId)
    .compile(),
);

/**
 * Returns the alert settings that apply to a monitor. Call it in the transaction that decides on its alerts.
 * @throws Error if the account has no such monitor
 */
export async function effectiveAlertSettings(
  db: Kysely<Tables>,
  { accountId, monitorId, now }: MonitorKey & { now: number },
  store: Store,
): Promise<EffectiveAlertSettings> {
  const [row] = await settingsRow(db, { accountId, monitorId });
  if (row === undefined) throw new Error('The account has no such monitor.');
  const { plan } = entitlementAt(store, storedEntitlement(row), now);
  return {
    settings: effectiveSettings(
      parseAccountSettings(row.ofAccount),
      parseDomainSettings(row.ofMonitor),
      plan,
    ),
    plan,
    timeZone: row.time_zone,
  };
}

export async function routingContext(
  db: Kysely<Tables>,
  key: MonitorKey & { now: number },
  store: Store,
): Promise<RoutingContext> {
  const chosen = await effectiveAlertSettings(db, key, store);
  return { ...chosen, ...(await readDestinations(db, key, chosen.timeZone)) };
}

/** Reads the account's channels and the end of the monitor's current maintenance. */
export async function readDestinations(
  db: Kysely<Tables>,
  { accountId, monitorId, now }: MonitorKey & { now: number },
  timeZone: string | null,
): Promise<Pick<RoutingContext, 'channels' | 'maintenanceUntil'>> {
  const windows = await windowsFor(db, { accountId, monitorId, now });
  return {
    channels: await channelStates(db, { accountId, monitorId }),
    maintenanceUntil: maintenanceUntil(windows, now, timeZone),
  };
}

async function channelStates(
  db: Kysely<Tables>,
  { accountId, monitorId }: MonitorKey,
): Promise<ChannelState[]> {
  const rows = await db
    .selectFrom('channels')
    .select(['id', 'kind', 'config', 'confirmed_at', 'disabled_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const unsubscribed = await unsubscriptionsOf(db, accountId);
  const hasUnsubscribed = (from: Unsubscribed | undefined) =>
    from !== undefined && (from.all || from.monitorIds.includes(monitorId));
  const refusals = await findSuppressed(
    db,
    rows.flatMap((row) => addressOf(row) ?? []),
  );
  const open = { key: ACCOUNT_MAIL, kind: 'email' as const, isOpen: true };
  return [
    open,
    ...rows.map((row) => ({
      key: row.id,
      kind: row.kind,
      isOpen:
        isChannelOpen(row.id, { confirmedAt: row.confirmed_at, disabledAt: row.disabled_at }) &&
        !refusals.has(addressOf(row) ?? ''),
    })),
  ].map((channel) => ({ ...channel, isUnsubscribed: hasUnsubscribed(unsubscribed.get(channel.key)) }));
}

/** Returns the settings in which a monitor differs from its account. Includes settings that have no effect without Premium. */
export async function domainSettingsOf(
  store: Store,
  { accountId, monitorId }: MonitorKey,
): Promise<DomainAlertSettings> {
  const row = await store.db
    .selectFrom('monitors')
    .select('alert_settings')
    .where('id', '=', monitorId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return parseDomainSettings(row?.alert_settings ?? null) ?? {};
}

/** An account's alert settings and its weekly digest. */
export interface AccountAlerts {
  settings: AlertSettings;
  timeZone: string | null;
  /** Due time of the next digest, ms UTC; null if the digest is off. */
  digestNextAt: number | null;
}

export async function accountAlertSettings(store: Store, accountId: string): Promise<AccountAlerts> {
  const row = await store.db
    .selectFrom('accounts')
    .select(['alert_settings', 'time_zone', 'digest_next_at'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return {
    settings: parseAccountSettings(row.alert_settings),
    timeZone: row.time_zone,
    digestNextAt: row.digest_next_at,
  };
}

/**
 * Changes only the given parts, so that parallel changes do not overwrite each other; `digestNextAt` null turns the
 * digest off. Returns `premium_required` and changes nothing if the digest would be turned on without Premium.
 */
export async function changeAccountAlerts(
  store: Store,
  accountId: string,
  change: { settings?: Partial<AlertSettings> | undefined; digestNextAt?: number | null | undefined },
  now: number,
): Promise<'changed' | 'premium_required'> {
  const outcome = await inTransaction(store, async (trx) => {
    const { plan } = await lockPlan(store, trx, { accountId, now });
    const { settings, digestNextAt } = change;
    if (typeof digestNextAt === 'number' && !mayGetDigest(plan)) return 'premium_required';
    if (settings) {
      const before = await trx
        .selectFrom('accounts')
        .select(['alert_settings', 'time_zone'])
        .where('id', '=', accountId)
        .executeTakeFirstOrThrow();
      const known = parseAccountSettings(before.alert_settings);
      const { channels, ...rest } = settings;
      const chosen = channels !== undefined && {
        channels: existingChannels(channels, await channelKeys(trx, accountId)),
      };
      const kept = { ...known, ...rest, ...chosen };
      await trx
        .updateTable('accounts')
        .set({ alert_settings: JSON.stringify(kept) })
        .where('id', '=', accountId)
        .execute();
      const all = { accountId, monitorId: null };
      if (affectsAlerts(known, kept)) await makeDueBy(trx, { ...all, at: now });
      const { quietHours } = kept;
      if (!isDeepStrictEqual(known.quietHours, quietHours))
        await rescheduleHeld(trx, { ...all, quietHours, timeZone: before.time_zone, now });
    }
    if (digestNextAt !== undefined)
      await trx
        .updateTable('accounts')
        .set({ digest_next_at: digestNextAt })
        .where('id', '=', accountId)
        .execute();
    return 'changed';
  });
  if (outcome === 'changed') {
    store.signals.publish({ topic: 'alerts', accountId, monitorId: null });
    if (change.settings) for (const topic of ['due', 'deliveries'] as const) store.signals.publish({ topic });
  }
  return outcome;
}

/**
 * Replaces the settings in which a monitor differs from its account. Returns `not_found` if the account has no such
 * monitor, and `premium_required` if the plan does not allow the new steps.
 */
export async function changeMonitorAlerts(
  store: Store,
  { accountId, monitorId }: MonitorKey,
  own: DomainAlertSettings,
  now: number,
): Promise<'changed' | 'not_found' | 'premium_required'> {
  const outcome = await inTransaction(store, async (trx) => {
    const { plan } = await lockPlan(store, trx, { accountId, now });
    const before = await trx
      .selectFrom('monitors')
      .innerJoin('accounts', 'accounts.id', 'monitors.account_id')
      .select(['monitors.alert_settings', 'accounts.alert_settings as ofAccount', 'time_zone'])
      .where('monitors.id', '=', monitorId)
      .where('monitors.account_id', '=', accountId)
      .executeTakeFirst();
    if (!before) return 'not_found';
    const known = parseDomainSettings(before.alert_settings);
    if (!maySetSteps(plan, { before: known, after: own })) return 'premium_required';
    const kept = withExistingChannels(own, await channelKeys(trx, accountId));
    await trx
      .updateTable('monitors')
      .set({ alert_settings: Object.keys(kept).length === 0 ? null : JSON.stringify(kept) })
      .where('id', '=', monitorId)
      .execute();
    const ofAccount = parseAccountSettings(before.ofAccount);
    const settingsBefore = effectiveSettings(ofAccount, known, plan);
    const settingsAfter = effectiveSettings(ofAccount, kept, plan);
    if (affectsAlerts(settingsBefore, settingsAfter)) await makeDueBy(trx, { accountId, monitorId, at: now });
    const { quietHours } = settingsAfter;
    if (!isDeepStrictEqual(settingsBefore.quietHours, quietHours))
      await rescheduleHeld(trx, { accountId, monitorId, quietHours, timeZone: before.time_zone, now });
    return 'changed';
  });
  if (outcome === 'changed') {
    store.signals.publish({ topic: 'alerts', accountId, monitorId });
    for (const topic of ['due', 'deliveries'] as const) store.signals.publish({ topic });
  }
  return outcome;
}

async function channelKeys(trx: Transaction<Tables>, accountId: string): Promise<string[]> {
  const rows = await trx.selectFrom('channels').select('id').where('account_id', '=', accountId).execute();
  return [ACCOUNT_MAIL, ...rows.map(({ id }) => id)];
}

/** Removes a deleted channel from all settings of the account. */
export async function removeChannelFromSettings(
  trx: Transaction<Tables>,
  { accountId, channelId }: { accountId: string; channelId: string },
): Promise<void> {
  const existing = await channelKeys(trx, accountId);
  const account = await trx
    .selectFrom('accounts')
    .select('alert_settings')
    .where('id', '=', accountId)
    .executeTakeFirst();
  const settings = parseAccountSettings(account?.alert_settings ?? null);
  if (settings.channels?.includes(channelId)) {
    const kept = { ...settings, channels: existingChannels(settings.channels, existing) };
    await trx
      .updateTable('accounts')
      .set({ alert_settings: JSON.stringify(kept) })
      .where('id', '=', accountId)
      .execute();
  }
  const monitors = await trx
    .selectFrom('monitors')
    .select(['id', 'alert_settings'])
    .where('account_id', '=', accountId)
    .where('alert_settings', 'like', `%${channelId}%`)
    .execute();
  for (const { id, alert_settings: text } of monitors) {
    const kept = withExistingChannels(parseDomainSettings(text) ?? {}, existing);
    await trx
      .updateTable('monitors')
      .set({ alert_settings: Object.keys(kept).length === 0 ? null : JSON.stringify(kept) })
      .where('id', '=', id)
      .execute();
  }
}

const SEVERITIES: readonly AlertSeverity[] = ['critical', 'warning', 'info'];

/**
 * Reschedules deliveries that quiet hours hold, after these hours changed: of one monitor or, with `monitorId` null, of all without
 * own quiet hours. Skips retries, and deliveries being sent or sent again by a person. Publish `deliveries` after the commit.
 */
async function rescheduleHeld(
  trx: Transaction<Tables>,
  held: {
    accountId: string;
    monitorId: string | null;
    quietHours: QuietHours | null;
    timeZone: string | null;
    now: number;
  },
): Promise<void> {
  const { accountId, monitorId, quietHours, timeZone, now } = held;
  for (const severity of SEVERITIES)
    await trx
      .updateTable('deliveries')
      .set({ next_attempt_at: sendAt(now, severity, { quietHours, timeZone }) })
      .where('account_id', '=', accountId)
      .where(isWaiting)
      .where('next_attempt_at', '>', now)
      .where('first_attempt_at', 'is', null)
      .where('forced', '=', 0)
      .where('lease_token', 'is', null)
      .where('alert_id', 'in', (eb) =>
        eb
          .selectFrom('alerts')
          .innerJoin('monitors', monitorOf('alerts'))
          .select('alerts.id')
          .where('monitors.account_id', '=', accountId)
          .where('alerts.severity', '=', severity)
          .where((of) =>
            monitorId === null
              ? of.or([
                  of('monitors.alert_settings', 'is', null),
                  of('monitors.alert_settings', 'not like', '%"quietHours":%'),
                ])
              : of('monitors.id', '=', monitorId),
          ),
      )
      .execute();
}
