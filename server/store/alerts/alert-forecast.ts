import type { KnownIncident } from '../../core/alerting/incident.ts';
import type { AlertSettings, DomainAlertSettings } from '../../core/alerting/settings.ts';
import type { MaintenanceWindow } from '../../core/alerting/silence.ts';
import { entitlementAt, type Plan } from '../../core/plan.ts';
import { nameOf, type Targeted } from '../../core/target.ts';
import type { ExpiringCertificate } from '../../core/verdict.ts';
import { storedEntitlement } from '../billing/entitlements.ts';
import { openExpiries } from './monitor-incidents.ts';
import type { Store } from '../db/open-store.ts';
import { joinVerdict } from '../monitors/monitor-row.ts';
import { currentVerdict } from '../checks/verdict-row.ts';
import { parseAccountSettings, parseDomainSettings } from './stored-alerts.ts';
import { isActive } from '../monitors/check-due.ts';

/** Data from which an account's future alerts are computed. Timestamps are in ms UTC. */
export interface AlertForecastInput {
  settings: AlertSettings;
  plan: Plan;
  timeZone: string | null;
  /** Yields the active monitors and reads them page by page. */
  monitors(): AsyncIterable<PlannedMonitor>;
}

export interface PlannedMonitor extends Targeted {
  id: string;
  /** Fingerprint of the leaf certificate last seen; null if no leaf was seen yet. */
  fingerprint: string | null;
  expiring: readonly ExpiringCertificate[];
  own: DomainAlertSettings | null;
  /** Open expiry incidents. */
  incidents: KnownIncident[];
  /** Maintenance windows of this monitor and those for all domains. */
  windows: MaintenanceWindow[];
}

const BATCH_SIZE = 200;

/** Reads the data from which an account's future alerts are computed. With `monitorId`, it covers only that monitor. */
export async function readAlertForecastInput(
  store: Store,
  { accountId, monitorId, now }: { accountId: string; monitorId?: string; now: number },
): Promise<AlertForecastInput> {
  const account = await store.db
    .selectFrom('accounts')
    .select(['plan', 'plan_status', 'plan_source', 'plan_ends_at', 'time_zone', 'alert_settings'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const windows = await store.db
    .selectFrom('maintenance_windows')
    .select(['monitor_id', 'starts_at', 'ends_at', 'repeats'])
    .where('account_id', '=', accountId)
    .execute();
  return {
    settings: parseAccountSettings(account.alert_settings),
    plan: entitlementAt(store, storedEntitlement(account), now).plan,
    timeZone: account.time_zone,
    async *monitors() {
      for (let after = ''; ;) {
        const page = await readPage(store, { accountId, monitorId, after });
        for (const monitor of page)
          yield {
            ...monitor,
            windows: windows
              .filter(({ monitor_id: of }) => of === null || of === monitor.id)
              .map((row) => ({ startsAt: row.starts_at, endsAt: row.ends_at, repeats: row.repeats })),
          };
        const last = page.at(-1);
        if (!last || page.length < BATCH_SIZE) return;
        after = last.id;
      }
    },
  };
}

async function readPage(
  store: Store,
  { accountId, monitorId, after }: { accountId: string; monitorId: string | undefined; after: string },
): Promise<Omit<PlannedMonitor, 'windows'>[]> {
  let query = store.db
    .selectFrom('monitors')
    .$call(joinVerdict)
    .select(['monitors.id', 'host', 'port', 'target', 'alert_settings', 'certificate_fingerprint'])
    .where('monitors.account_id', '=', accountId)
    .where(isActive)
    .where('monitors.id', '>', after)
    .orderBy('monitors.id')
    .limit(BATCH_SIZE);
  if (monitorId !== undefined) query = query.where('monitors.id', '=', monitorId);
  const rows = await query.execute();
  if (rows.length === 0) return [];
  const monitorIds = rows.map(({ id }) => id);
  const incidents = await openExpiries(store.db, { accountId, monitorIds });
  const byMonitor = Map.groupBy(incidents, ({ monitorId: of }) => of);
  return rows.map((row) => ({
    id: row.id,
    ...nameOf(row),
    fingerprint: row.certificate_fingerprint,
    expiring: currentVerdict(row)?.lastSeen?.expiring ?? [],
    own: parseDomainSettings(row.alert_settings),
    incidents: byMonitor.get(row.id) ?? [],
  }));
}
