import { CALLS } from '../../../contract/calls.ts';
import { uptimeHistory } from '../../store/checks/uptime.ts';
import type { Api, AppParts } from '../http/api.ts';
import { REFUSALS } from './domain-refusals.ts';
import { uptimeWire } from './uptime-wire.ts';

/** What is known of one domain beside its certificate. */
export function domainUptimeRoute(api: Api, { store }: AppParts): void {
  api.on(CALLS.domainUptime, async ({ params, session, now }) => {
    const history = await uptimeHistory(store, {
      accountId: session.account.id,
      monitorId: params.id,
      now,
    });
    return history === null ? REFUSALS.notFound() : { data: uptimeWire(history) };
  });
}
