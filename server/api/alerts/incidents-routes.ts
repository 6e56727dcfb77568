import { CALLS } from '../../../contract/calls/calls.ts';
import { displayName } from '../../core/endpoint.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import { changeIncident, memberOfIncident } from '../../store/alerts/monitor-incidents.ts';
import { findMonitor } from '../../store/monitors/monitors.ts';
import { incidentWire } from './alert-wire.ts';
import type { Api, AppParts } from '../http/api.ts';
import { refuse } from '../http/problem.ts';
import { limitRecheck } from '../auth/verified-address.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const MAX_SNOOZE_MS = 30 * DAY_MS;

const noIncident = () => refuse('not_found', 'There is no such incident.');

/** Registers the calls that acknowledge and snooze incidents. */
export function incidentRoutes(api: Api, parts: AppParts): void {
  const { store } = parts;

  async function change(
    { account, incidentId, now }: { account: Account; incidentId: string; now: number },
    choice: { acknowledged: boolean } | { snoozedUntil: number | null },
  ) {
    const member = await memberOfIncident(store.db, { accountId: account.id, incidentId });
    if (member === null) return noIncident();
    const { monitor_id: monitorId } = member;
    // Every change except an acknowledgement triggers a check: at once, or when the snooze ends.
    const triggersCheck = !('acknowledged' in choice && choice.acknowledged);
    const limited = triggersCheck
      ? (parts.limits.allow('checkByDomain', monitorId) ?? limitRecheck(parts, account, monitorId))
      : null;
    if (limited) return limited;
    const incident = await changeIncident(store, { accountId: account.id, incidentId, change: choice, now });
    const monitor = await findMonitor(store, { accountId: account.id, monitorId });
    if (incident === null || monitor === null) return noIncident();
    return { data: incidentWire(incident, { displayName: displayName(monitor), now }) };
  }

  api.on(CALLS.acknowledgeIncident, async ({ params, body, session: { account }, now }) =>
    change({ account, incidentId: params.id, now }, { acknowledged: body.acknowledged }),
  );

  api.on(CALLS.snoozeIncident, async ({ params, body, session: { account }, now }) => {
    const until = body.until === null ? null : Date.parse(body.until);
    if (until !== null && (until <= now || until > now + MAX_SNOOZE_MS))
      return refuse('invalid_request', '“until” must be a time within the next 30 days.');
    return change({ account, incidentId: params.id, now }, { snoozedUntil: until });
  });
}
