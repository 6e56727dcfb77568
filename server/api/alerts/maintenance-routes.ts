import { type MaintenanceWindowWire, MAX_MAINTENANCE_WINDOWS } from '../../../contract/alerting.ts';
import { CALLS } from '../../../contract/calls/calls.ts';
import { maintenanceUntil } from '../../core/alerting/silence.ts';
import { displayName } from '../../core/endpoint.ts';
import {
  addMaintenance,
  maintenanceOf,
  removeMaintenance,
  type StoredWindow,
} from '../../store/alerts/maintenance.ts';
import type { Api, AppParts } from '../http/api.ts';
import { DOMAIN_REFUSALS } from '../domains/domain-refusals.ts';
import { limitCheck, limitRecheckOfAll } from '../auth/verified-address.ts';
import { refuse } from '../http/problem.ts';
import { iso } from '../domains/domain-wire.ts';

/** Manages maintenance windows, during which no alerts about problems are sent. */
export function maintenanceRoutes(api: Api, parts: AppParts): void {
  const { store } = parts;

  api.on(CALLS.listMaintenance, async ({ session: { account }, now }) => {
    const windows = await maintenanceOf(store, { accountId: account.id, now });
    return { data: windows.map((window) => windowWire(window, { now, timeZone: account.timeZone })) };
  });

  api.on(CALLS.addMaintenance, async ({ body, session: { account }, idempotency, now }) => {
    const [startsAt, endsAt] = [Date.parse(body.starts_at), Date.parse(body.ends_at)];
    if (body.repeats === 'never' && endsAt <= now)
      return refuse('invalid_request', '“ends_at” must be in the future.');
    const answerOf = (window: StoredWindow) => ({
      data: windowWire(window, { now, timeZone: account.timeZone }),
    });
    const added = await addMaintenance(store, {
      accountId: account.id,
      monitorId: body.domain_id,
      window: { startsAt, endsAt, repeats: body.repeats },
      note: body.note,
      max: MAX_MAINTENANCE_WINDOWS,
      now,
      alsoWrite: (trx, window) => idempotency.storeAnswer(trx, answerOf(window)),
    });
    if (added === 'not_found') return DOMAIN_REFUSALS.notFound();
    return added === 'too_many'
      ? refuse('too_many_windows', `An account can have up to ${MAX_MAINTENANCE_WINDOWS} windows.`)
      : answerOf(added);
  });

  api.on(CALLS.removeMaintenance, async ({ params, session: { account }, now }) => {
    const { id: accountId, timeZone } = account;
    const window = (await maintenanceOf(store, { accountId, now })).find(({ id }) => id === params.id);
    // Removing an active window triggers checks, which send the alerts that it suppressed.
    if (window && maintenanceUntil([window], now, timeZone) !== null) {
      const { domain } = window;
      const limited =
        domain === null ? await limitRecheckOfAll(parts, account) : limitCheck(parts, account, domain.id);
      if (limited) return limited;
    }
    const removed = await removeMaintenance(store, { accountId, id: params.id, timeZone, now });
    return removed ? { data: null } : refuse('not_found', 'There is no such window.');
  });
}

function windowWire(
  window: StoredWindow,
  { now, timeZone }: { now: number; timeZone: string | null },
): MaintenanceWindowWire {
  const { id, domain, startsAt, endsAt, repeats, note } = window;
  return {
    id,
    domain: domain && { id: domain.id, display_name: displayName(domain) },
    starts_at: iso(startsAt),
    ends_at: iso(endsAt),
    repeats,
    note,
    active: maintenanceUntil([window], now, timeZone) !== null,
  };
}
